# SPDX-License-Identifier: Apache-2.0
"""Tamis, an embedded, ordered, durable key-value store.

    import tamis

    with tamis.DB("/data", write_buffer_size="64M") as db:
        db[b"apple"] = b"green"
        for key, value in db.items(prefix=b"a"):
            print(key, value)

Keys and values are bytes, or anything with the buffer protocol; keys are in the
order of bytes. A DB is a mutable mapping over the default column family.
"""

from tamis._batch import WriteBatch
from tamis._database import DB, Family, Snapshot, destroy, repair
from tamis._errors import Corruption, Error, InvalidArgument, NotSupported
from tamis._options import Memory

__all__ = [
    "DB",
    "Corruption",
    "Error",
    "Family",
    "InvalidArgument",
    "Memory",
    "NotSupported",
    "Snapshot",
    "WriteBatch",
    "destroy",
    "repair",
]
