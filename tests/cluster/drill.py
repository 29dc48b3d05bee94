#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A database on a Ceph cluster on loopback loses its owners: ./dev cluster.

drill.py <cluster.sh> <folder of programs> <folder> [--kills N] [--pauses N]
         [--partitions N] [--restarts N] [--fulls N] [--controls N]
         [--followers N] [--promotions N] [--seed N] [--port N] [--facade F]

  kills     the writer is killed, and in every second round an OSD or a monitor
            with it; another process takes over and finds all that was
            acknowledged
  pauses    the writer is stopped, another one takes over and writes; the first
            goes on, and must be fenced. In every second round, the cluster does
            not know that it must not listen to it (no blocklist)
  partitions  the writer is in a network namespace, and what it sends, the answers,
            or both get lost. In every second round, another one takes over and
            writes; when the network delivers again, the first must be fenced.
            Otherwise, it waits for longer than its lease, and goes on
  restarts  all daemons are killed under the writer, which waits until they are
            back, and goes on
  fulls     the cluster is full for a while: the writer waits; in every second
            round, it is killed then
  controls  pauses, but of a cluster that compares nothing: these must lose
            acknowledged writes, or the pauses prove nothing
  followers  eight followers for N seconds beside a writer that flushes and
            compacts: none sees an error, or history going backwards
  promotions  a writer is killed, and its follower becomes the owner
With a facade, the folder of a libleveldb.so.1d, the cluster's daemons keep their
own data in that library's databases; at the end, RocksDB's ldb opens these, too.
After each round, no stripe may be left that belongs to no file, but for what a
fenced process sent late. In the end, RocksDB's ldb opens a copy of a database.
Prints what was acknowledged, lost, wrong and torn; exit 1 unless the last three
are 0, or if a fenced process had a write acknowledged.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import time

NETWORK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "network.sh")
SPACE = "tamis_writer"
DAEMONS = ["mon.a", "mon.b", "mon.c", "osd.0", "osd.1", "osd.2"]


class Drill:
    def __init__(self, options):
        self.options = options
        self.drill = f"{options.programs}/tamis_cluster_drill"
        self.tool = [f"{options.programs}/tamis_rados",
                     f"--config={options.folder}/ceph.conf",
                     "--names_pool=names", "--log_pool=logs",
                     "--table_pool=tables"]
        self.config = f"{options.folder}/ceph.conf"
        self.random = random.Random(options.seed)
        self.total = {"acknowledged": 0, "lost": 0, "wrong": 0, "torn": 0,
                      "orphans": 0}
        self.failures = []

    def daemon(self, act, name):
        subprocess.run([self.options.cluster, "daemon", act,
                        self.options.folder, name], check=True)

    def check_libraries(self):
        """Each daemon runs on the facade that was asked for."""
        if not self.options.facade:
            return
        library = os.path.realpath(f"{self.options.facade}/libleveldb.so.1d")
        for name in DAEMONS:
            with open(f"{self.options.folder}/{name}.pid") as file:
                pid = file.read().strip()
            with open(f"/proc/{pid}/maps") as file:
                if library not in file.read():
                    self.fail(f"{name} does not run on {library}")

    def scan_by_rocksdb(self, directory, *flags):
        """The keys of a directory; None without RocksDB's ldb."""
        ldb = shutil.which("rocksdb_ldb") or shutil.which("ldb")
        return ldb and subprocess.run(
            [ldb, f"--db={directory}", "scan", "--no_value", *flags],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def open_daemons_data(self):
        """The daemons have ended. RocksDB opens and verifies their databases."""
        for name in DAEMONS:
            inside = "store.db" if name.startswith("mon") else "db"
            directory = f"{self.options.folder}/{name}/{inside}"
            self.look("tamis_ldb", f"--db={directory}", "checkconsistency")
            done = self.scan_by_rocksdb(directory, "--hex")
            if done is None:
                continue
            keys = done.stdout.count("\n")
            print(f"{name}: RocksDB finds {keys} keys", flush=True)
            if done.returncode != 0 or keys == 0:
                self.fail(f"{name}: {done.stderr}")

    def acks(self, volume, name):
        return f"{self.options.folder}/{volume}.{name}.acks"

    def output(self, volume, name):
        return f"{self.options.folder}/{volume}.{name}.out"

    def write(self, volume, name, *flags, space=None):
        inside = ["ip", "netns", "exec", space] if space else []
        with open(self.output(volume, name), "wb") as out:
            return subprocess.Popen(
                [*inside, self.drill, "write", self.config, volume,
                 self.acks(volume, name), name, *flags],
                stdout=out, stderr=subprocess.STDOUT)

    def count(self, volume, name):
        try:
            with open(self.acks(volume, name), "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def wait_for_acks(self, volume, name, n, writer, seconds=120):
        end = time.time() + seconds
        while self.count(volume, name) < n and time.time() < end:
            if writer.poll() is not None:
                break
            time.sleep(0.02)
        if self.count(volume, name) < n:
            with open(self.output(volume, name)) as out:
                self.fail(f"{volume}: {name} has {self.count(volume, name)} "
                          f"acknowledged writes, and not {n}: {out.read()}")

    def fail(self, why):
        self.failures.append(why)
        print("FAILED:", why, flush=True)

    def verify(self, volume, *names):
        done = subprocess.run(
            [self.drill, "verify", self.config, volume,
             *[self.acks(volume, name) for name in names]],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"{volume}: {done.stdout.strip()}", flush=True)
        if done.returncode != 0:
            self.fail(f"{volume}: {done.stdout}")
        if not done.stdout.startswith("acknowledged"):
            return
        for part in done.stdout.split(","):
            what, number = part.split()
            if what in self.total:
                self.total[what] += int(number)
        orphans = self.ask("--remove", "orphans", volume).splitlines()
        self.total["orphans"] += len(orphans)

    def ask(self, *arguments):
        done = subprocess.run([*self.tool, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            self.fail(f"tamis_rados {' '.join(arguments)}: {done.stdout}")
        return done.stdout

    def look(self, program, *arguments):
        done = subprocess.run(
            [f"{self.options.programs}/{program}", *arguments],
            env={**os.environ, "CEPH_CONF": self.config},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            self.fail(f"{program} {' '.join(arguments)}: {done.stdout[:300]}")
        return done.stdout

    def open_in_rocksdb(self, volume):
        """A copy in a directory has the keys that the volume has."""
        directory = f"{self.options.folder}/{volume}.copy"
        print(f"{volume}:", self.ask("copy_out", volume, "/db", directory).strip())
        done = self.scan_by_rocksdb(directory)
        if done is None:
            print("RocksDB's ldb is not installed: the copy is not opened")
            return
        found = set(done.stdout.split())
        with open(self.acks(volume, "a")) as file:
            missing = [key for key in file.read().split() if key not in found]
        print(f"{volume}: RocksDB finds {len(found)} keys", flush=True)
        place = f"rados://names,logs,tables/{volume}/db"
        scanned = self.look("tamis_ldb", f"--db={place}", "scan", "--no_value")
        if set(scanned.split()) != found:
            self.fail(f"{volume}: tamis_ldb finds other keys: {scanned[:300]}")
        self.look("tamis_sst_dump", f"--file={place}", "--command=verify")
        if done.returncode != 0 or missing:
            self.fail(f"{volume}: RocksDB misses {missing[:3]} {done.stderr}")

    def kill_round(self, i):
        volume = f"kill{i}"
        writer = self.write(volume, "a")
        self.wait_for_acks(volume, "a", 50 + self.random.randrange(1000), writer)
        daemon = self.random.choice(DAEMONS) if i % 2 else None
        if daemon:
            self.await_clean()
            self.daemon("kill", daemon)
        # Some writes wait for the cluster then.
        time.sleep(self.random.random())
        writer.kill()
        writer.wait()
        self.verify(volume, "a")
        if daemon:
            self.daemon("start", daemon)
            time.sleep(3)

    def pause_round(self, i):
        volume = f"pause{i}"
        flags = ["no_blocklist"] if i % 2 else []
        first = self.write(volume, "a")
        self.wait_for_acks(volume, "a", 50 + self.random.randrange(500), first)
        first.send_signal(signal.SIGSTOP)
        before = self.count(volume, "a")
        # By the lease, or by an operator.
        if i % 4 < 2:
            flags.append("take_over")
        else:
            time.sleep(4)
        second = self.write(volume, "b", *flags)
        self.wait_for_acks(volume, "b", 50 + self.random.randrange(200), second)
        first.send_signal(signal.SIGCONT)
        self.must_be_fenced(volume, first, before)
        second.kill()
        second.wait()
        self.verify(volume, "a", "b")

    def await_clean(self):
        """The cluster can lose another daemon."""
        done = subprocess.run([self.drill, "await_clean", self.config],
                              stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            self.fail(f"placement group {done.stdout.strip()}")

    def must_be_fenced(self, volume, first, before):
        """The process that was replaced has had `before` writes acknowledged."""
        try:
            code = first.wait(60)
        except subprocess.TimeoutExpired:
            code = None
            first.kill()
            first.wait()
        late = self.count(volume, "a") - before
        # What was acknowledged before, its threads may have written down later.
        if code != 3 or late > 4:
            self.fail(f"{volume}: the fenced process ended with {code}, after "
                      f"{late} acknowledged writes")

    def network(self, *arguments):
        subprocess.run([NETWORK, *arguments], check=True)

    def partition_round(self, i):
        volume = f"partition{i}"
        first = self.write(volume, "a", *(["no_blocklist"] if i % 4 < 2 else []),
                           space=SPACE)
        self.wait_for_acks(volume, "a", 50 + self.random.randrange(500), first)
        self.network("lose", ["both", "answers", "requests"][i // 2 % 3])
        # What is on its way arrives.
        time.sleep(0.5)
        before = self.count(volume, "a")
        if i % 2 == 0:
            second = self.write(volume, "b", "take_over", *(
                ["no_blocklist"] if i % 4 == 0 else []))
            self.wait_for_acks(volume, "b", 50 + self.random.randrange(200),
                               second)
            self.network("deliver")
            self.must_be_fenced(volume, first, before)
            second.kill()
            second.wait()
            self.verify(volume, "a", "b")
        else:
            time.sleep(1 + self.random.randrange(8))
            if self.count(volume, "a") > before:
                self.fail(f"{volume}: the network delivers")
            self.network("deliver")
            self.wait_for_acks(volume, "a", before + 100, first)
            first.kill()
            first.wait()
            self.verify(volume, "a")

    def restart_round(self, i):
        volume = f"restart{i}"
        writer = self.write(volume, "a")
        self.wait_for_acks(volume, "a", 100, writer)
        for daemon in DAEMONS:
            self.daemon("kill", daemon)
        time.sleep(self.random.randrange(6))
        for daemon in DAEMONS:
            self.daemon("start", daemon)
        self.wait_for_acks(volume, "a", self.count(volume, "a") + 100, writer)
        writer.kill()
        writer.wait()
        self.verify(volume, "a")

    def set_full(self, full):
        ratios = [0.0001, 0.0002, 0.0003] if full else [0.85, 0.9, 0.95]
        kinds = ["nearfull", "backfillfull", "full"]
        # Each may not be below the one before.
        for kind, ratio in list(zip(kinds, ratios))[::1 if full else -1]:
            subprocess.run(["ceph", "-c", self.config, "--connect-timeout", "30",
                            "osd", f"set-{kind}-ratio", str(ratio)],
                           check=True, stderr=subprocess.DEVNULL)

    def full_round(self, i):
        volume = f"full{i}"
        writer = self.write(volume, "a")
        self.wait_for_acks(volume, "a", 100 + self.random.randrange(500), writer)
        self.set_full(True)
        before = -1
        for _ in range(60):
            if self.count(volume, "a") == before:
                break
            before = self.count(volume, "a")
            time.sleep(1)
        else:
            self.fail(f"{volume}: the cluster does not get full")
        if i % 2 == 1:
            writer.kill()
            writer.wait()
        self.set_full(False)
        if i % 2 == 0:
            self.wait_for_acks(volume, "a", before + 100, writer)
            writer.kill()
            writer.wait()
        self.verify(volume, "a")

    def control_round(self, i):
        volume = f"control{i}"
        flags = ["no_blocklist", "unguarded"]
        first = self.write(volume, "a", *flags)
        self.wait_for_acks(volume, "a", 50 + self.random.randrange(200), first)
        first.send_signal(signal.SIGSTOP)
        second = self.write(volume, "b", *flags, "take_over")
        self.wait_for_acks(volume, "b", 50, second)
        first.send_signal(signal.SIGCONT)
        try:
            first.wait(30)
        except subprocess.TimeoutExpired:
            first.kill()
            first.wait()
        second.kill()
        second.wait()
        done = subprocess.run(
            [self.drill, "verify", self.config, volume,
             self.acks(volume, "a"), self.acks(volume, "b")],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(f"{volume}: {done.stdout.strip()[:200]}", flush=True)
        return done.returncode != 0

    def follow(self, seconds):
        volume = "follow"
        # A worker that is killed with the writer leaves a pin.
        writer = self.write(volume, "a", "no_worker")
        self.wait_for_acks(volume, "a", 1, writer)
        followers = [subprocess.Popen(
            [self.drill, "follow", self.config, volume, str(seconds), "a"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for _ in range(8)]
        for follower in followers:
            out = follower.communicate()[0].strip()
            print(f"{volume}: {out}", flush=True)
            if follower.returncode != 0:
                self.fail(f"{volume}: {out}")
        writer.kill()
        writer.wait()
        self.verify(volume, "a")
        pins = self.ask("pins", volume)
        if pins:
            self.fail(f"{volume}: pins of followers that ended: {pins}")

    def promote_round(self, i):
        volume = f"promote{i}"
        writer = self.write(volume, "a")
        self.wait_for_acks(volume, "a", 1, writer)
        follower = subprocess.Popen(
            [self.drill, "promote", self.config, volume,
             self.acks(volume, "a"), "a"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        opened = follower.stdout.readline()
        self.wait_for_acks(volume, "a", 50 + self.random.randrange(300), writer)
        # In every second round, the writer still writes.
        if i % 2 == 0:
            writer.kill()
        out = follower.communicate("now\n")[0].strip()
        print(f"{volume}: {out}", flush=True)
        if opened != "open\n" or follower.returncode != 0:
            self.fail(f"{volume}: {opened} {out}")
        if i % 2 == 1 and writer.wait(30) != 3:
            self.fail(f"{volume}: the writer was not fenced")
        writer.kill()
        writer.wait()
        self.verify(volume, "a")

    def run(self):
        conformance = subprocess.run(
            [self.drill, "conformance", self.config])
        if conformance.returncode != 0:
            self.fail("the cluster is not what the simulation is")
        for i in range(self.options.kills):
            self.kill_round(i)
        for i in range(self.options.pauses):
            self.pause_round(i)
        for i in range(self.options.partitions):
            self.partition_round(i)
        for i in range(self.options.restarts):
            self.restart_round(i)
        for i in range(self.options.fulls):
            self.full_round(i)
        lossy = sum(self.control_round(i) for i in range(self.options.controls))
        if self.options.controls > 0:
            print(f"{lossy} of {self.options.controls} controls lose something")
            if lossy == 0:
                self.fail("what a paused process sends late does no harm even "
                          "where nothing is compared")
        if self.options.followers > 0:
            self.follow(self.options.followers)
        for i in range(self.options.promotions):
            self.promote_round(i)
        if self.options.kills > 0:
            self.open_in_rocksdb("kill0")
        print(f"{self.options.kills} kills, {self.options.pauses} pauses, "
              f"{self.options.partitions} partitions, "
              f"{self.options.restarts} restarts of the cluster, "
              f"{self.options.fulls} times full, "
              f"{self.options.followers} s of followers, "
              f"{self.options.promotions} promotions: " +
              ", ".join(f"{what} {n}" for what, n in self.total.items()))


def make_network():
    """The address at which daemons are to listen; None without namespaces."""
    made = subprocess.run([NETWORK, "make"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if made.returncode == 0:
        return made.stdout.strip()
    subprocess.run([NETWORK, "remove"])
    print("partitions: skipped: no network namespace:", made.stdout.strip())
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cluster")
    parser.add_argument("programs")
    parser.add_argument("folder")
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--pauses", type=int, default=4)
    parser.add_argument("--partitions", type=int, default=2)
    parser.add_argument("--restarts", type=int, default=1)
    parser.add_argument("--fulls", type=int, default=2)
    parser.add_argument("--controls", type=int, default=2)
    parser.add_argument("--followers", type=int, default=10)
    parser.add_argument("--promotions", type=int, default=2)
    parser.add_argument("--port", type=int, default=44300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--facade")
    options = parser.parse_args()
    if options.facade:
        os.environ["TAMIS_CLUSTER_FACADE"] = os.path.abspath(options.facade)
    address = make_network() if options.partitions > 0 else None
    if address is None:
        options.partitions = 0
        address = "127.0.0.1"
    start = subprocess.run([options.cluster, "start", options.folder,
                            str(options.port), address])
    drill = Drill(options)
    try:
        if start.returncode != 0:
            print("cluster: skipped: it did not start; see", options.folder)
        else:
            drill.check_libraries()
            drill.run()
    finally:
        subprocess.run([options.cluster, "stop", options.folder])
        if options.partitions > 0:
            subprocess.run([NETWORK, "remove"])
    if options.facade and start.returncode == 0:
        drill.open_daemons_data()
    sys.exit(1 if drill.failures else 0)


if __name__ == "__main__":
    main()
