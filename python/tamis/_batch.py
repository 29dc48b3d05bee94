# SPDX-License-Identifier: Apache-2.0
"""Batches: changes that take effect together, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from tamis._bindings import ffi, lib

if TYPE_CHECKING:
    from tamis._database import DB, Family


class WriteBatch:
    """Changes of one or more column families, in order.

        with db.batch(sync=True) as batch:
            batch.put(b"a", b"1")
            batch.delete(b"b")

    The with block writes them when it ends, unless it raised. One thread.
    """

    def __init__(self, db: DB, sync: bool = False) -> None:
        self._db = db
        self._sync = sync
        self._rep = ffi.gc(lib.tamis_writebatch_create(), lib.tamis_writebatch_destroy)

    def put(self, key, value, family: Optional[Family] = None) -> None:
        """Adds a put of the value."""
        k, v = ffi.from_buffer(key), ffi.from_buffer(value)
        lib.tamis_writebatch_put_cf(self._rep, self._of(family), k, len(k), v, len(v))

    def delete(self, key, family: Optional[Family] = None) -> None:
        """Adds a deletion of the key, which need not exist."""
        k = ffi.from_buffer(key)
        lib.tamis_writebatch_delete_cf(self._rep, self._of(family), k, len(k))

    def merge(self, key, operand, family: Optional[Family] = None) -> None:
        """Adds an operand for the family's merge operator."""
        k, v = ffi.from_buffer(key), ffi.from_buffer(operand)
        lib.tamis_writebatch_merge_cf(self._rep, self._of(family), k, len(k), v, len(v))

    def delete_range(self, start, stop, family: Optional[Family] = None) -> None:
        """Adds a deletion of all keys from `start` up to, not including, `stop`."""
        a, b = ffi.from_buffer(start), ffi.from_buffer(stop)
        lib.tamis_writebatch_delete_range_cf(
            self._rep, self._of(family), a, len(a), b, len(b)
        )

    def clear(self) -> None:
        """Removes all changes."""
        lib.tamis_writebatch_clear(self._rep)

    def __len__(self) -> int:
        """Returns the number of changes."""
        return lib.tamis_writebatch_count(self._rep)

    def _of(self, family: Optional[Family]):
        return (self._db if family is None else family)._handle_of(self._db)

    def __enter__(self) -> WriteBatch:
        return self

    def __exit__(self, kind, error, trace) -> None:
        if kind is None:
            self._db.write(self, sync=self._sync)
