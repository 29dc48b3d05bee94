# SPDX-License-Identifier: Apache-2.0
"""Databases, their column families, and snapshots of them.

Every call into the library releases the GIL. A DB may be used by several threads
at a time; iterators and batches by one.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any, Optional

from tamis._batch import WriteBatch
from tamis._bindings import ffi, lib
from tamis._errors import Error, check, new_error_slot
from tamis._options import Memory, OptionValue, make_options

DEFAULT = "default"


def _successor(prefix: bytes) -> Optional[bytes]:
    """Returns the smallest key after all keys with the prefix; None: there is none."""
    cut = prefix.rstrip(b"\xff")
    return cut[:-1] + bytes([cut[-1] + 1]) if cut else None


class _Pin:
    """A value that a buffer shows; while there is one, its DB stays open."""

    def __init__(self, db: DB, rep) -> None:
        self.db = db
        self.rep = ffi.gc(rep, lib.tamis_pinnableslice_destroy)
        db._pins.add(self)

    def buffer(self) -> memoryview:
        size = ffi.new("size_t*")
        data = lib.tamis_pinnableslice_value(self.rep, size)
        kept = ffi.gc(ffi.cast("char*", data), lambda _, pin=self: None)
        return memoryview(ffi.buffer(kept, size[0])).toreadonly()


class _Scan(Iterator):
    """An iterator over (key, value). DB.close ends it."""

    def __init__(self, db: DB, handle, reverse: bool, options, bounds) -> None:
        self._db = db
        self._kept = (options, bounds)
        self._size = ffi.new("size_t*")
        self._it = ffi.gc(
            lib.tamis_create_iterator_cf(db._rep(), options, handle), lib.tamis_iter_destroy
        )
        self._move = lib.tamis_iter_seek_to_last if reverse else lib.tamis_iter_seek_to_first
        self._step = lib.tamis_iter_prev if reverse else lib.tamis_iter_next
        db._scans.add(self)

    def __next__(self) -> tuple[bytes, bytes]:
        if self._it is None:
            self._db._rep()  # raises if it is closed
            raise StopIteration
        self._move(self._it)
        self._move = self._step
        if not lib.tamis_iter_valid(self._it):
            slot = new_error_slot()
            lib.tamis_iter_get_error(self._it, slot)
            self.close()
            check(slot)
            raise StopIteration
        data = lib.tamis_iter_key(self._it, self._size)
        key = bytes(ffi.buffer(data, self._size[0]))
        data = lib.tamis_iter_value(self._it, self._size)
        return key, bytes(ffi.buffer(data, self._size[0]))

    def close(self) -> None:
        """Lets go of what it keeps; it has no more entries."""
        if self._it is not None:
            ffi.release(self._it)
            self._it = None


class _Reads:
    """What a family, as it is now or at a snapshot, can be asked."""

    _db: DB
    _family: str
    _snapshot: Any = None
    _cached_options: Any = None

    def _handle_of(self, db: DB):
        if db is not self._db:
            raise ValueError("the family is of another database")
        return db._handle_named(self._family)

    def _handle(self):
        return self._handle_of(self._db)

    def _read_options(self):
        options = ffi.gc(lib.tamis_readoptions_create(), lib.tamis_readoptions_destroy)
        if self._snapshot is not None:
            lib.tamis_readoptions_set_snapshot(options, self._snapshot)
        return options

    def get(self, key, default=None):
        """Returns the value of the key as bytes, or `default`."""
        k = ffi.from_buffer(key)
        slot = new_error_slot()
        found = lib.tamis_get_pinned_cf(
            self._db._rep(), self._options(), self._handle(), k, len(k), slot
        )
        check(slot)
        if found == ffi.NULL:
            return default
        size = ffi.new("size_t*")
        try:
            return bytes(ffi.buffer(lib.tamis_pinnableslice_value(found, size), size[0]))
        finally:
            lib.tamis_pinnableslice_destroy(found)

    def _options(self):
        if self._cached_options is None:
            self._cached_options = self._read_options()
        return self._cached_options

    def multi_get(self, keys: Iterable, copy: bool = True) -> list:
        """Returns the value of each key, or None, in the order of the keys.

        One call into the library, which reads other blocks while it waits for
        one; for values in memory it is no faster than get(). With copy=False, values are read-only
        memoryviews of the database's own memory, which they keep as long as they
        live; close() raises Error while there are any.
        """
        views = [ffi.from_buffer(key) for key in keys]
        count = len(views)
        pointers = ffi.new("char*[]", [ffi.cast("char*", v) for v in views])
        sizes = ffi.new("size_t[]", [len(v) for v in views])
        values = ffi.new("tamis_pinnableslice_t*[]", count)
        errors = ffi.new("char*[]", count)
        lib.tamis_batched_multi_get_cf(
            self._db._rep(), self._options(), self._handle(), count,
            ffi.cast("const char* const*", pointers), sizes, values, errors, False,
        )
        failed = None
        result: list = []
        for i in range(count):
            if errors[i] != ffi.NULL:
                failed = failed or ffi.string(errors[i]).decode("utf-8", "replace")
                lib.tamis_free(errors[i])
            if values[i] == ffi.NULL:
                result.append(None)
                continue
            buffer = _Pin(self._db, values[i]).buffer()
            result.append(bytes(buffer) if copy else buffer)
        if failed is not None:
            raise Error(failed)
        return result

    def items(self, start=None, stop=None, *, prefix=None, reverse: bool = False) -> Iterator:
        """Yields (key, value) of the keys from `start` up to, not including, `stop`.

        With `prefix`, only of keys that begin with it. What is written after the
        call is not seen.
        """
        if prefix is not None:
            if start is not None or stop is not None:
                raise ValueError("prefix excludes start and stop")
            start, stop = bytes(prefix), _successor(bytes(prefix))
        options = self._read_options()
        bounds = []  # the library borrows them
        for bound, set_bound in (
            (start, lib.tamis_readoptions_set_iterate_lower_bound),
            (stop, lib.tamis_readoptions_set_iterate_upper_bound),
        ):
            if bound is not None:
                view = ffi.from_buffer(bytes(bound))
                bounds.append(view)
                set_bound(options, view, len(view))
        return _Scan(self._db, self._handle(), reverse, options, bounds)

    def keys(self, start=None, stop=None, *, prefix=None, reverse: bool = False) -> Iterator:
        """Yields the keys, as items() does."""
        return (k for k, _ in self.items(start, stop, prefix=prefix, reverse=reverse))

    def values(self, start=None, stop=None, *, prefix=None, reverse: bool = False) -> Iterator:
        """Yields the values, as items() does."""
        return (v for _, v in self.items(start, stop, prefix=prefix, reverse=reverse))

    def __getitem__(self, key) -> bytes:
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def __contains__(self, key) -> bool:
        return self.get(key) is not None

    def __iter__(self) -> Iterator:
        return self.keys()

    def __len__(self) -> int:
        """Counts the keys, by a scan."""
        return sum(1 for _ in self.keys())


class _Family(_Reads, MutableMapping):
    def put(self, key, value, *, sync: bool = False) -> None:
        """Sets the value of the key. With `sync`, it survives a power cut."""
        k, v = ffi.from_buffer(key), ffi.from_buffer(value)
        slot = new_error_slot()
        lib.tamis_put_cf(
            self._db._rep(), self._db._write_options(sync), self._handle(),
            k, len(k), v, len(v), slot,
        )
        check(slot)

    def delete(self, key, *, sync: bool = False) -> None:
        """Deletes the key, which need not exist."""
        k = ffi.from_buffer(key)
        slot = new_error_slot()
        lib.tamis_delete_cf(
            self._db._rep(), self._db._write_options(sync), self._handle(), k, len(k), slot
        )
        check(slot)

    def merge(self, key, operand, *, sync: bool = False) -> None:
        """Adds an operand, which the option merge_operator combines with the value."""
        k, v = ffi.from_buffer(key), ffi.from_buffer(operand)
        slot = new_error_slot()
        lib.tamis_merge_cf(
            self._db._rep(), self._db._write_options(sync), self._handle(),
            k, len(k), v, len(v), slot,
        )
        check(slot)

    def delete_range(self, start, stop, *, sync: bool = False) -> None:
        """Deletes all keys from `start` up to, not including, `stop`, at once."""
        a, b = ffi.from_buffer(start), ffi.from_buffer(stop)
        slot = new_error_slot()
        lib.tamis_delete_range_cf(
            self._db._rep(), self._db._write_options(sync), self._handle(),
            a, len(a), b, len(b), slot,
        )
        check(slot)

    def flush(self) -> None:
        """Writes the memtable to a table."""
        options = ffi.gc(lib.tamis_flushoptions_create(), lib.tamis_flushoptions_destroy)
        slot = new_error_slot()
        lib.tamis_flush_cf(self._db._rep(), options, self._handle(), slot)
        check(slot)

    def compact(self, start=None, stop=None) -> None:
        """Compacts the tables that have keys of the range; without one, all."""
        a = ffi.NULL if start is None else ffi.from_buffer(start)
        b = ffi.NULL if stop is None else ffi.from_buffer(stop)
        lib.tamis_compact_range_cf(
            self._db._rep(), self._handle(),
            a, 0 if start is None else len(a), b, 0 if stop is None else len(b),
        )

    def property(self, name: str) -> Optional[str]:
        """Returns a property, as "rocksdb.stats", or None if there is none."""
        value = lib.tamis_property_value_cf(self._db._rep(), self._handle(), name.encode())
        if value == ffi.NULL:
            return None
        try:
            return ffi.string(value).decode("utf-8", "replace")
        finally:
            lib.tamis_free(value)

    def __setitem__(self, key, value) -> None:
        self.put(key, value)

    def __delitem__(self, key) -> None:
        if key not in self:
            raise KeyError(key)
        self.delete(key)

    def clear(self) -> None:
        """Deletes all keys, one by one."""
        for key in list(self.keys()):
            self.delete(key)


class Family(_Family):
    """A column family of a database: DB.family."""

    def __init__(self, db: DB, name: str) -> None:
        self._db = db
        self._family = name

    @property
    def name(self) -> str:
        """Its name."""
        return self._family


class Snapshot(_Reads):
    """A family as it was at one point in time: DB.snapshot. A context manager."""

    def __init__(self, db: DB, family: str) -> None:
        self._db = db
        self._family = family
        self._snapshot = lib.tamis_create_snapshot(db._rep())
        db._snapshots.add(self)

    def _handle_of(self, db: DB):
        if self._snapshot is None:
            raise Error("the snapshot is released")
        return super()._handle_of(db)

    def release(self) -> None:
        """Releases it, so that compactions may drop what only it shows."""
        if self._snapshot is not None:
            lib.tamis_release_snapshot(self._db._rep(), self._snapshot)
            self._snapshot = None
            self._cached_options = None
            self._db._snapshots.discard(self)

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *_) -> None:
        self.release()


class DB(_Family):
    """An open database; a mapping over its default column family.

    path                the directory, made if it is missing
    read_only           opens for reading; the database may be open elsewhere
    families            options of column families, by name; families that the
                        database has need not be named
    memory              where the directory is; None: on the disk
    options             RocksDB's options by name, of the database and of all
                        families: numbers, booleans, texts such as "64M", and
                        mappings for structs:

        DB(path, compression="kZSTD",
           block_based_table_factory={"block_size": "16K",
                                      "filter_policy": "ribbonfilter:10"})

    Raises InvalidArgument for an option that there is not, Error if another
    process has the database.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        families: Optional[dict[str, dict[str, OptionValue]]] = None,
        memory: Optional[Memory] = None,
        **options: OptionValue,
    ) -> None:
        self._db = self
        self._memory = memory
        self._family = DEFAULT
        self.path = os.fspath(path)
        self._common = {"create_if_missing": not read_only, **options}
        self._pointer: Any = None
        self._handles: dict[str, Any] = {}
        self._snapshots: set[Snapshot] = set()
        self._scans: weakref.WeakSet[_Scan] = weakref.WeakSet()
        self._pins: weakref.WeakSet[_Pin] = weakref.WeakSet()
        self._open(read_only, families or {})

    def _open(self, read_only: bool, given: dict[str, dict[str, OptionValue]]) -> None:
        options = make_options(self._common, self._memory)
        names = _families_of(options, self.path)
        if not read_only:
            lib.tamis_options_set_create_missing_column_families(options, 1)
            names += [name for name in given if name not in names]
        each = [
            make_options({**self._common, **given.get(name, {})}, self._memory) for name in names
        ]
        # A cast does not keep alive what it casts.
        texts = [ffi.new("char[]", name.encode()) for name in names]
        name_list = ffi.new("char*[]", texts)
        option_list = ffi.new("tamis_options_t*[]", each)
        handles = ffi.new("tamis_column_family_handle_t*[]", len(names))
        slot = new_error_slot()
        arguments = (
            options, self.path.encode(), len(names),
            ffi.cast("const char* const*", name_list),
            ffi.cast("const tamis_options_t* const*", option_list),
            handles,
        )
        if read_only:
            opened = lib.tamis_open_for_read_only_column_families(*arguments, 0, slot)
        else:
            opened = lib.tamis_open_column_families(*arguments, slot)
        check(slot)
        self._pointer = opened
        self._handles = dict(zip(names, handles))
        self._writes = []
        for sync in (0, 1):
            write = ffi.gc(lib.tamis_writeoptions_create(), lib.tamis_writeoptions_destroy)
            lib.tamis_writeoptions_set_sync(write, sync)
            self._writes.append(write)

    def _rep(self):
        if self._pointer is None:
            raise Error("the database is closed")
        return self._pointer

    def _write_options(self, sync: bool):
        return self._writes[sync]

    def _handle_named(self, name: str):
        handle = self._handles.get(name)
        if handle is None:
            self._rep()
            raise KeyError(f"there is no column family {name!r}")
        return handle

    def close(self) -> None:
        """Closes the database, with its snapshots and iterators. Calls after it fail."""
        if self._pointer is None:
            return
        if len(self._pins) > 0:
            raise Error("buffers of multi_get(copy=False) are still in use")
        for scan in list(self._scans):
            scan.close()
        for snapshot in list(self._snapshots):
            snapshot.release()
        for handle in self._handles.values():
            lib.tamis_column_family_handle_destroy(handle)
        self._handles = {}
        lib.tamis_close(self._pointer)
        self._pointer = None

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._pointer is None

    def family(self, name: str) -> Family:
        """Returns the column family of that name. KeyError if there is none."""
        self._handle_named(name)
        return Family(self, name)

    @property
    def families(self) -> list[str]:
        """The names of the column families."""
        self._rep()
        return list(self._handles)

    def create_family(self, name: str, **options: OptionValue) -> Family:
        """Creates a column family."""
        slot = new_error_slot()
        handle = lib.tamis_create_column_family(
            self._rep(),
            make_options({**self._common, **options}, self._memory),
            name.encode(),
            slot,
        )
        check(slot)
        self._handles[name] = handle
        return Family(self, name)

    def drop_family(self, name: str) -> None:
        """Deletes a column family and all that it has."""
        handle = self._handle_named(name)
        slot = new_error_slot()
        lib.tamis_drop_column_family(self._rep(), handle, slot)
        check(slot)
        lib.tamis_column_family_handle_destroy(self._handles.pop(name))

    def batch(self, *, sync: bool = False) -> WriteBatch:
        """Returns a batch, which a with block writes when it ends."""
        return WriteBatch(self, sync)

    def write(self, batch: WriteBatch, *, sync: bool = False) -> None:
        """Writes all changes of the batch, or none."""
        slot = new_error_slot()
        lib.tamis_write(self._rep(), self._write_options(sync), batch._rep, slot)
        check(slot)

    def snapshot(self, family: str = DEFAULT) -> Snapshot:
        """Returns a snapshot of a family; later writes do not change what it shows."""
        self._handle_named(family)
        return Snapshot(self, family)

    def checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Makes a copy of the database, of hard links where it can."""
        slot = new_error_slot()
        made = lib.tamis_checkpoint_object_create(self._rep(), slot)
        check(slot)
        try:
            lib.tamis_checkpoint_create(made, os.fspath(path).encode(), 0, slot)
            check(slot)
        finally:
            lib.tamis_checkpoint_object_destroy(made)

    def __enter__(self) -> DB:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self.close()


def _families_of(options, path: str) -> list[str]:
    """Returns the names of the families of a database, "default" first.

    Of one that cannot be read, or is not there, "default": opening it says why.
    """
    count = ffi.new("size_t*")
    slot = new_error_slot()
    listed = lib.tamis_list_column_families(options, path.encode(), count, slot)
    try:
        check(slot)
    except Error:
        return [DEFAULT]
    try:
        return [ffi.string(listed[i]).decode() for i in range(count[0])]
    finally:
        lib.tamis_list_column_families_destroy(listed, count[0])


def destroy(path: str | os.PathLike[str], memory: Optional[Memory] = None) -> None:
    """Deletes the database, and no other file of the directory."""
    slot = new_error_slot()
    lib.tamis_destroy_db(make_options({}, memory), os.fspath(path).encode(), slot)
    check(slot)


def repair(path: str | os.PathLike[str], **options: OptionValue) -> None:
    """Makes a damaged database readable again; what it replaces goes to lost/."""
    slot = new_error_slot()
    lib.tamis_repair_db(make_options(options), os.fspath(path).encode(), slot)
    check(slot)
