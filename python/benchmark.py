# SPDX-License-Identifier: Apache-2.0
"""Times of Tamis, plyvel and a dict: python3 benchmark.py [count] [rounds]

Each round runs all of them in turn; the figures are medians, in microseconds for
a key. Keys have 16 bytes, values 100; both databases are on the disk, with their
defaults, and writes are not synced.
"""

import random
import shutil
import statistics
import sys
import tempfile
import time

import tamis

try:
    import plyvel
except ImportError:
    plyvel = None

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
BATCH = 100


class OfTamis:
    def __init__(self, path):
        self.db = tamis.DB(path)

    def put(self, key, value):
        self.db.put(key, value)

    def batch(self, pairs):
        with self.db.batch() as batch:
            for key, value in pairs:
                batch.put(key, value)

    def get(self, key):
        return self.db.get(key)

    def multi_get(self, keys):
        return self.db.multi_get(keys)

    def scan(self):
        return self.db.items()

    def close(self):
        self.db.close()


class OfPlyvel:
    def __init__(self, path):
        self.db = plyvel.DB(path, create_if_missing=True)

    def put(self, key, value):
        self.db.put(key, value)

    def batch(self, pairs):
        with self.db.write_batch() as batch:
            for key, value in pairs:
                batch.put(key, value)

    def get(self, key):
        return self.db.get(key)

    def multi_get(self, keys):
        return [self.db.get(key) for key in keys]

    def scan(self):
        return iter(self.db)

    def close(self):
        self.db.close()


class OfDict:
    def __init__(self, path):
        self.db = {}

    def put(self, key, value):
        self.db[key] = value

    def batch(self, pairs):
        self.db.update(pairs)

    def get(self, key):
        return self.db.get(key)

    def multi_get(self, keys):
        return [self.db.get(key) for key in keys]

    def scan(self):
        return iter(sorted(self.db.items()))

    def close(self):
        pass


def run(engine, keys, value, times):
    """Adds the seconds of each operation to `times`."""
    folder = tempfile.mkdtemp()
    db = engine(folder + "/db")

    def measure(name, work):
        begin = time.perf_counter()
        work()
        times.setdefault(name, []).append((time.perf_counter() - begin) / COUNT * 1e6)

    def chunks():
        return (keys[i : i + BATCH] for i in range(0, COUNT, BATCH))

    measure("put", lambda: [db.put(key, value) for key in keys])
    measure(f"batch of {BATCH}", lambda: [db.batch([(k, value) for k in c]) for c in chunks()])
    measure("get", lambda: [db.get(key) for key in keys])
    measure(f"multi_get of {BATCH}", lambda: [db.multi_get(c) for c in chunks()])
    measure("scan", lambda: sum(1 for _ in db.scan()))
    db.close()
    shutil.rmtree(folder)


def main():
    engines = {"Tamis": OfTamis, "plyvel": OfPlyvel, "dict": OfDict}
    if plyvel is None:
        del engines["plyvel"]
    keys = [b"%016d" % i for i in range(COUNT)]
    random.Random(301).shuffle(keys)
    times = {name: {} for name in engines}
    for _ in range(ROUNDS):
        for name, engine in engines.items():
            run(engine, keys, b"v" * 100, times[name])
    print("| µs a key |", " | ".join(engines), "|")
    print("|---|" + "---|" * len(engines))
    for operation in times["dict"]:
        cells = []
        for name in engines:
            all_times = times[name][operation]
            cells.append(
                f"{statistics.median(all_times):.2f} "
                f"[{min(all_times):.2f} .. {max(all_times):.2f}]"
            )
        print(f"| {operation} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main()
