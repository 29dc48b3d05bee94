# SPDX-License-Identifier: Apache-2.0
import threading

import pytest

import tamis


@pytest.fixture
def db(tmp_path):
    with tamis.DB(tmp_path / "db") as opened:
        yield opened


def test_is_a_mapping(db):
    db[b"b"] = b"2"
    db[b"a"] = b"1"
    assert db[b"a"] == b"1"
    assert b"c" not in db and db.get(b"c") is None and db.get(b"c", 7) == 7
    assert list(db) == [b"a", b"b"] and len(db) == 2
    assert dict(db.items()) == {b"a": b"1", b"b": b"2"}
    del db[b"a"]
    with pytest.raises(KeyError):
        db[b"a"]
    with pytest.raises(KeyError):
        del db[b"a"]
    db.update({b"x": b"", b"y": bytearray(b"\0\xff")})
    assert db.pop(b"y") == b"\0\xff"
    db.clear()
    assert len(db) == 0


def test_takes_buffers(db):
    db.put(memoryview(b"key"), bytearray(b"value"), sync=True)
    assert db.get(bytearray(b"key")) == b"value"
    with pytest.raises(TypeError):
        db.put("text", b"value")


def test_scans(db):
    for key in (b"a", b"b1", b"b2", b"b\xff", b"c"):
        db[key] = key * 2
    assert list(db.keys(b"b", b"c")) == [b"b1", b"b2", b"b\xff"]
    assert list(db.keys(prefix=b"b")) == [b"b1", b"b2", b"b\xff"]
    assert list(db.keys(prefix=b"b\xff")) == [b"b\xff"]
    assert list(db.keys(b"b2", reverse=True)) == [b"c", b"b\xff", b"b2"]
    assert list(db.values(stop=b"b")) == [b"aa"]
    with pytest.raises(ValueError):
        db.items(b"a", prefix=b"b")
    scan = db.items()
    db[b"d"] = b""
    assert [k for k, _ in scan][-1] == b"c"
    assert list(scan) == []


def test_prefix_of_the_highest_bytes(db):
    db[b"\xff\xff1"] = b""
    db[b"\xfe"] = b""
    assert list(db.keys(prefix=b"\xff\xff")) == [b"\xff\xff1"]


def test_batches(db):
    with db.batch(sync=True) as batch:
        batch.put(b"a", b"1")
        batch.put(b"b", b"2")
        batch.delete(b"a")
        batch.delete_range(b"x", b"z")
        assert len(batch) == 4 and len(db) == 0
    assert dict(db.items()) == {b"b": b"2"}
    with pytest.raises(RuntimeError):
        with db.batch() as batch:
            batch.put(b"c", b"3")
            raise RuntimeError
    assert b"c" not in db
    batch = db.batch()
    batch.put(b"d", b"4")
    batch.clear()
    db.write(batch)
    assert b"d" not in db


def test_snapshots(db):
    db[b"a"] = b"old"
    with db.snapshot() as snapshot:
        db[b"a"] = b"new"
        db[b"b"] = b"new"
        assert snapshot[b"a"] == b"old" and list(snapshot) == [b"a"]
        assert snapshot.multi_get([b"a", b"b"]) == [b"old", None]
    with pytest.raises(tamis.Error):
        snapshot.get(b"a")


@pytest.mark.parametrize("flushed", [False, True])
def test_multi_get(db, flushed):
    expected = {b"k%03d" % i: b"v" * i for i in range(0, 300, 3)}
    db.update(expected)
    if flushed:
        db.flush()
    keys = [b"k%03d" % i for i in range(300)]
    assert db.multi_get(keys) == [expected.get(key) for key in keys]
    assert db.multi_get([]) == []
    buffers = db.multi_get(keys, copy=False)
    assert buffers[3] == b"vvv" and buffers[1] is None and buffers[3].readonly
    with pytest.raises(tamis.Error):
        db.close()
    db[b"k003"] = b"other"
    assert buffers[3] == b"vvv"
    del buffers


def test_families(tmp_path):
    with tamis.DB(tmp_path / "db", families={"f": {"compression": "kNoCompression"}}) as db:
        f = db.family("f")
        g = db.create_family("g", num_levels=4)
        db[b"a"], f[b"a"], g[b"a"] = b"0", b"1", b"2"
        with db.batch() as batch:
            batch.put(b"b", b"1", family=f)
            batch.delete(b"a", family=g)
        assert list(f) == [b"a", b"b"] and list(g) == []
        assert f.multi_get([b"a"]) == [b"1"]
        with db.snapshot("f") as snapshot:
            f.clear()
            assert len(snapshot) == 2 and len(f) == 0
    with tamis.DB(tmp_path / "db", read_only=True) as db:
        assert db.families == ["default", "f", "g"]
        with pytest.raises(tamis.NotSupported):
            db[b"a"] = b""
    with tamis.DB(tmp_path / "db") as db:
        db.drop_family("g")
        assert db.families == ["default", "f"]
        with pytest.raises(KeyError):
            db.family("g")


def test_options(tmp_path):
    with tamis.DB(
        tmp_path / "db",
        write_buffer_size="1M",
        merge_operator="uint64add",
        block_based_table_factory={"block_size": "16K", "filter_policy": "ribbonfilter:10"},
    ) as db:
        db.merge(b"n", (5).to_bytes(8, "little"))
        db.merge(b"n", (6).to_bytes(8, "little"))
        assert int.from_bytes(db[b"n"], "little") == 11
        db.flush()
        db.compact()
        assert db.property("rocksdb.num-files-at-level0") == "0"
        assert db.property("no such") is None
        db.delete_range(b"a", b"z")
        assert len(db) == 0
    with pytest.raises(tamis.InvalidArgument, match="no_such_option"):
        tamis.DB(tmp_path / "db", no_such_option=1)
    with pytest.raises(tamis.InvalidArgument):
        tamis.DB(tmp_path / "other", write_buffer_size="big")


def test_errors(tmp_path):
    with tamis.DB(tmp_path / "db") as db:
        db[b"a"] = b"1"
        with pytest.raises(tamis.Error, match="lock"):
            tamis.DB(tmp_path / "db")
        db.flush()
        scan = db.items()
    assert db.closed
    for call in (lambda: db[b"a"], lambda: db.put(b"a", b""), lambda: next(scan)):
        with pytest.raises(tamis.Error, match="closed"):
            call()
    (table,) = (tmp_path / "db").glob("*.sst")
    table.write_bytes(table.read_bytes()[:50])
    with pytest.raises(tamis.Corruption, match="sst"):
        with tamis.DB(tmp_path / "db") as db:
            db.get(b"a")
    tamis.repair(tmp_path / "db")
    tamis.destroy(tmp_path / "db")
    assert not (tmp_path / "db").exists()


def test_in_memory(tmp_path):
    memory = tamis.Memory()
    path = tmp_path / "db"
    with tamis.DB(path, families={"more": {}}, memory=memory) as db:
        db[b"a"] = b"1"
        db.family("more")[b"b"] = b"2"
        db.create_family("third")[b"c"] = b"3"
        db.flush()
        with pytest.raises(tamis.Error, match="lock"):
            tamis.DB(path, memory=memory)
    with tamis.DB(path, memory=memory) as db:
        assert db[b"a"] == b"1" and db.family("more")[b"b"] == b"2"
        assert db.families == ["default", "more", "third"]
        db.checkpoint("/copy")
    with tamis.DB("/copy", read_only=True, memory=memory) as db:
        del memory
        assert db.family("third")[b"c"] == b"3"
    assert not path.exists()
    with tamis.DB(path, memory=tamis.Memory()) as other:
        assert len(other) == 0


def test_a_damaged_database_says_so(tmp_path):
    with tamis.DB(tmp_path / "db", families={"more": {}}):
        pass
    (tmp_path / "db" / "CURRENT").write_text("no manifest")
    with pytest.raises(tamis.Corruption, match="CURRENT"):
        tamis.DB(tmp_path / "db")
    with pytest.raises(tamis.Error, match="missing"):
        tamis.DB(tmp_path / "missing", read_only=True)


def test_checkpoints(db, tmp_path):
    db[b"a"] = b"1"
    db.checkpoint(tmp_path / "copy")
    db[b"a"] = b"2"
    with tamis.DB(tmp_path / "copy") as copy:
        assert copy[b"a"] == b"1"


def test_threads(db):
    def work(t):
        for i in range(500):
            key = b"%d-%d" % (t, i)
            db[key] = key
            assert db[key] == key
            if i % 100 == 0:
                assert len(list(db.items(prefix=b"%d-" % t))) == i + 1

    threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(db) == 2000
