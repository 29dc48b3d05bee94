#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A database on a Ceph cluster on loopback loses its owners: ./dev cluster.

drill.py <cluster.sh> <folder of programs> <folder> [--kills N] [--pauses N]
         [--restarts N] [--seed N]

  kills     the writer is killed, and in every second round an OSD or a monitor
            with it; another process takes over and finds all that was
            acknowledged
  pauses    the writer is stopped, another one takes over and writes; the first
            goes on, and must be fenced. In every second round, the cluster does
            not know that it must not listen to it (no blocklist)
  restarts  all daemons are killed under the writer, which waits until they are
            back, and goes on
After each round, no stripe may be left that belongs to no file, but for what a
fenced process sent late. In the end, RocksDB's ldb opens a copy of a database.
Prints what was acknowledged, lost, wrong and torn; exit 1 unless the last three
are 0, or if a fenced process had a write acknowledged.
"""
import argparse
import random
import shutil
import signal
import subprocess
import sys
import time

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

    def acks(self, volume, name):
        return f"{self.options.folder}/{volume}.{name}.acks"

    def output(self, volume, name):
        return f"{self.options.folder}/{volume}.{name}.out"

    def write(self, volume, name, *flags):
        with open(self.output(volume, name), "wb") as out:
            return subprocess.Popen(
                [self.drill, "write", self.config, volume,
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

    def open_in_rocksdb(self, volume):
        """A copy in a directory has the keys that the volume has."""
        directory = f"{self.options.folder}/{volume}.copy"
        print(f"{volume}:", self.ask("copy_out", volume, "/db", directory).strip())
        ldb = shutil.which("rocksdb_ldb") or shutil.which("ldb")
        if ldb is None:
            print("RocksDB's ldb is not installed: the copy is not opened")
            return
        done = subprocess.run(
            [ldb, f"--db={directory}", "scan", "--no_value"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        found = set(done.stdout.split())
        with open(self.acks(volume, "a")) as file:
            missing = [key for key in file.read().split() if key not in found]
        print(f"{volume}: RocksDB finds {len(found)} keys", flush=True)
        if done.returncode != 0 or missing:
            self.fail(f"{volume}: RocksDB misses {missing[:3]} {done.stderr}")

    def kill_round(self, i):
        volume = f"kill{i}"
        writer = self.write(volume, "a")
        self.wait_for_acks(volume, "a", 50 + self.random.randrange(1000), writer)
        daemon = self.random.choice(DAEMONS) if i % 2 else None
        if daemon:
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
        try:
            code = first.wait(30)
        except subprocess.TimeoutExpired:
            code = None
            first.kill()
        late = self.count(volume, "a") - before
        # What was acknowledged before, its threads may have written down later.
        if code != 3 or late > 4:
            self.fail(f"{volume}: the fenced process ended with {code}, after "
                      f"{late} acknowledged writes")
        second.kill()
        second.wait()
        self.verify(volume, "a", "b")

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

    def run(self):
        conformance = subprocess.run(
            [self.drill, "conformance", self.config])
        if conformance.returncode != 0:
            self.fail("the cluster is not what the simulation is")
        for i in range(self.options.kills):
            self.kill_round(i)
        for i in range(self.options.pauses):
            self.pause_round(i)
        for i in range(self.options.restarts):
            self.restart_round(i)
        if self.options.kills > 0:
            self.open_in_rocksdb("kill0")
        print(f"{self.options.kills} kills, {self.options.pauses} pauses, "
              f"{self.options.restarts} restarts of the cluster: " +
              ", ".join(f"{what} {n}" for what, n in self.total.items()))
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cluster")
    parser.add_argument("programs")
    parser.add_argument("folder")
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--pauses", type=int, default=4)
    parser.add_argument("--restarts", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = subprocess.run([options.cluster, "start", options.folder])
    if start.returncode != 0:
        subprocess.run([options.cluster, "stop", options.folder])
        print("cluster: skipped: it did not start; see", options.folder)
        return
    try:
        code = Drill(options).run()
    finally:
        subprocess.run([options.cluster, "stop", options.folder])
    sys.exit(code)


if __name__ == "__main__":
    main()
