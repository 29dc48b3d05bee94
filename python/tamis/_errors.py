# SPDX-License-Identifier: Apache-2.0
"""Errors: the message is that of Status::ToString()."""

from tamis._bindings import ffi, lib


class Error(Exception):
    """A call failed."""


class Corruption(Error):
    """What is stored is damaged. The message names the file and the place."""


class InvalidArgument(Error, ValueError):
    """An argument, or an option, is wrong."""


class NotSupported(Error):
    """The database lacks what is asked for, or the file needs what Tamis lacks."""


_KINDS = {
    "Corruption": Corruption,
    "Invalid argument": InvalidArgument,
    "Not implemented": NotSupported,
}


def new_error_slot():
    """Returns the char** that C functions report errors in."""
    return ffi.new("char**")


def check(slot) -> None:
    """Raises the error that is in the slot."""
    if slot[0] == ffi.NULL:
        return
    message = ffi.string(slot[0]).decode("utf-8", "replace")
    lib.tamis_free(slot[0])
    slot[0] = ffi.NULL
    raise _KINDS.get(message.split(":")[0], Error)(message)
