#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# ceph.sh <facade's directory> <folder of programs> [folder] [drill flag...]: three
# monitors and three OSDs of Debian 12's Ceph 16, unchanged, which keep all of
# their data in LevelDB, on the facade. Databases on their volumes lose writers,
# daemons, the network and the whole cluster (tests/cluster/drill.py, which takes
# the flags), and RocksDB's ldb reads what the daemons wrote. Prints a count; exit
# 77 if the packages are not installed, or have no LevelDB any more.
set -euo pipefail
usage="usage: ceph.sh <facade directory> <folder of programs> [folder] [drill flag...]"
facade=$(cd "${1:?$usage}" && pwd)
programs=$(cd "${2:?$usage}" && pwd)
folder=${3:-$(mktemp -d)}
shift 2
[ $# -eq 0 ] || shift
cluster=$(cd "$(dirname "$0")/../cluster" && pwd)

for program in ceph ceph-mon ceph-osd rados; do
  if ! command -v "$program" >/dev/null; then
    echo "SKIPPED: $program is not installed"
    exit 77
  fi
done
if ! ldd "$(command -v ceph-osd)" | grep -F libleveldb.so.1d >/dev/null; then
  echo "SKIPPED: ceph-osd is not linked with LevelDB"
  exit 77
fi

rm -rf "$folder"
mkdir -p "$folder"
# The store for key-value engines does not say how full it is.
python3 "$cluster/drill.py" "$cluster/cluster.sh" "$programs" "$folder" --port 44600 \
  --facade "$facade" --kills 4 --pauses 2 --partitions 2 --restarts 2 --followers 5 \
  --promotions 1 --controls 0 "$@" --fulls 0
