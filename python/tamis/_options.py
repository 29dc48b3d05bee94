# SPDX-License-Identifier: Apache-2.0
"""Options as keywords: the names and the text of tamis/convenience.h."""

from __future__ import annotations

from typing import Mapping, Optional, Union

from tamis._bindings import ffi, lib
from tamis._errors import check, new_error_slot

OptionValue = Union[bool, int, float, str, Mapping[str, "OptionValue"]]


def text_of(value: OptionValue) -> str:
    """Returns the value as options' text has it; a mapping is a struct."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{" + ";".join(f"{n}={text_of(v)}" for n, v in value.items()) + "}"
    return str(value)


class Memory:
    """Files in memory, for databases that need not outlive the process.

    They are there as long as this object, or a database in it.
    """

    def __init__(self) -> None:
        self._env = ffi.gc(lib.tamis_create_mem_env(), lib.tamis_env_destroy)


def make_options(options: Mapping[str, OptionValue], memory: Optional[Memory] = None):
    """Returns a tamis_options_t with these options, and the others' defaults.

    Raises InvalidArgument for a name or a value that there is not.
    """
    base = ffi.gc(lib.tamis_options_create(), lib.tamis_options_destroy)
    made = ffi.gc(lib.tamis_options_create(), lib.tamis_options_destroy)
    text = ";".join(f"{name}={text_of(value)}" for name, value in options.items())
    slot = new_error_slot()
    lib.tamis_get_options_from_string(base, text.encode(), made, slot)
    check(slot)
    if memory is not None:
        lib.tamis_options_set_env(made, memory._env)
    return made
