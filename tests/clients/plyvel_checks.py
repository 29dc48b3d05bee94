# SPDX-License-Identifier: Apache-2.0
"""plyvel_checks.py <directory of the library>: uses every class of plyvel."""
import sys

import plyvel

with open("/proc/self/maps") as maps:
    loaded = {line.split()[-1] for line in maps if "libleveldb" in line}
assert all(path.startswith(sys.argv[1]) for path in loaded), loaded


def show(name, value):
    print(name, repr(value))


def error(name, call):
    try:
        call()
        print(name, "no error")
    except Exception as e:
        print(name, type(e).__name__)


error("absent", lambda: plyvel.DB("absent"))
db = plyvel.DB(
    "db",
    create_if_missing=True,
    write_buffer_size=1 << 20,
    max_open_files=100,
    lru_cache_size=1 << 20,
    block_size=2000,
    block_restart_interval=8,
    max_file_size=1 << 21,
    compression="snappy",
    bloom_filter_bits=10,
    paranoid_checks=True,
)
error("locked", lambda: plyvel.DB("db"))
show("get", db.get(b"a"))
show("default", db.get(b"a", b"none", verify_checksums=True, fill_cache=False))
db.put(b"a", b"1")
db.put(b"empty", b"", sync=True)
db.delete(b"absent", sync=True)
show("get", (db.get(b"a"), db.get(b"empty")))

with db.write_batch(sync=True) as batch:
    for i in range(2000):
        batch.put(b"key%06d" % i, b"value %d" % i)
    batch.delete(b"key000007")
batch = db.write_batch()
batch.put(b"never", b"")
batch.clear()
batch.write()
other = db.write_batch()
other.put(b"appended", b"yes")
batch.append(other)
show("batch", batch.approximate_size() > 0)
batch.write()
try:
    with db.write_batch(transaction=True) as batch:
        batch.put(b"rolled back", b"")
        raise ValueError
except ValueError:
    show("transaction", db.get(b"rolled back"))

show("all", len(list(db)))
show("range", list(db.iterator(start=b"key000005", stop=b"key000009")))
show("reverse", list(db.iterator(stop=b"key000003", reverse=True))[:4])
show("keys", list(db.iterator(prefix=b"key00000", include_value=False)))
show("values", list(db.iterator(prefix=b"key00001", include_key=False)))
show("bounds", list(db.iterator(start=b"key000001", stop=b"key000003",
                                include_start=False, include_stop=True)))
with db.iterator(start=b"key000100") as it:
    show("next", (next(it), it.prev(), next(it)))
    it.seek(b"key001000")
    show("seek", next(it))
    it.seek_to_stop()
    show("stop", it.prev())
    it.seek_to_start()
    show("start", next(it))
with db.raw_iterator() as it:
    it.seek_to_first()
    show("first", it.item())
    it.seek_to_last()
    show("last", (it.key(), it.value()))
    it.seek(b"key0005")
    it.next()
    it.prev()
    show("raw", (it.valid(), it.item()))
    it.seek(b"zzz")
    show("invalid", it.valid())
    error("item", it.item)

with db.snapshot() as snapshot:
    db.put(b"a", b"2")
    db.delete(b"key000001")
    show("snapshot", (snapshot.get(b"a"), db.get(b"a")))
    show("snapshot", len(list(snapshot.iterator(prefix=b"key"))))
prefixed = db.prefixed_db(b"key")
show("prefixed", prefixed.get(b"000002"))
show("prefixed", len(list(prefixed)))
with prefixed.write_batch() as batch:
    batch.put(b"zz", b"prefixed")
show("prefixed", db.get(b"keyzz"))

db.compact_range()
db.compact_range(start=b"a", stop=b"b")
show("size", db.approximate_size(b"key", b"kez") > 1000)
show("sizes", [size > 1000 for size in
               db.approximate_sizes((b"a", b"b"), (b"key", b"kez"))])
show("stats", db.get_property(b"leveldb.stats")[:60])
show("tables", db.get_property(b"leveldb.sstables")[:15])
show("none", db.get_property(b"no such"))
db.close()
show("closed", db.closed)
error("closed", lambda: db.get(b"a"))


def by_number(a, b):
    # compact_range() without bounds passes empty keys.
    x, y = int(a or b"0"), int(b or b"0")
    return (x > y) - (x < y)


db = plyvel.DB("numbers", create_if_missing=True, comparator=by_number,
               comparator_name=b"by number")
for n in (5, 100, 20, 3):
    db.put(b"%d" % n, b"")
show("order", [key for key, _ in db])
db.compact_range()
show("order", [key for key, _ in db.iterator(start=b"4", stop=b"50")])
db.close()
error("other order", lambda: plyvel.DB("numbers"))

error("there", lambda: plyvel.DB("db", error_if_exists=True))
plyvel.repair_db("db")
db = plyvel.DB("db")
show("repaired", len(list(db)))
db.close()
plyvel.destroy_db("db")
error("destroyed", lambda: plyvel.DB("db"))
