#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# balboa.sh <facade's directory> [folder]: Debian's balboa-backend-rocksdb, a
# database of DNS observations, unchanged, on the facade librocksdb.so.7.8. It is
# fed through its console, asked for all it has, killed, started again and asked
# again. Listens on the loopback alone. Prints a count; exit 77 if the packages
# cannot be had.
set -euo pipefail
. "$(dirname "$0")/packages.sh"
facade=$(cd "${1:?usage: balboa.sh <facade directory> [folder]}" && pwd)
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
records=200
port=${TAMIS_BALBOA_PORT:-24242}

# The programs, out of the packages, without installing them.
bin=$folder/root/usr/bin
if [ ! -x "$bin/balboa-rocksdb" ]; then
  unpack "$folder" balboa-backend-rocksdb balboa-backend-common
fi

server=
stop() {
  [ -n "$server" ] || return 0
  kill -"$1" "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
}
trap 'stop KILL' EXIT

# Waits for the server's port, which it opens after the database.
start() {
  LD_LIBRARY_PATH=$facade "$bin/balboa-rocksdb" -R -l 127.0.0.1 -p "$port" \
    -d "$folder/database" >>"$folder/log" 2>&1 &
  server=$!
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return; fi
    if ! kill -0 "$server" 2>/dev/null; then break; fi
    sleep 0.1
  done
  cat "$folder/log"
  echo "the server does not start"
  exit 1
}

# A field of an observation, in msgpack: its number, and bytes.
field() { printf "\\x0$1\\xc4\\x$(printf %x ${#2})%s" "$2"; }
# An observation as the console dumps and replays it: name, type, data, sensor,
# count, when it was first and last seen.
observation() {
  printf '\x87'
  field 0 "host$1.example"
  field 1 A
  field 2 "192.0.2.$(($1 % 256))"
  field 3 sensor
  printf '\x04\x03\x05\xce\x5e\x00\x00\x00\x06\xce\x5e\x00\x01\x00'
}

# All entries of the server, a line each.
dump() {
  timeout 60 "$bin/balboa-backend-console" dump -h 127.0.0.1 -p "$port" >"$folder/dump"
  timeout 60 "$bin/balboa-backend-console" jsonize -d "$folder/dump" >"$folder/$1"
  # How many names were seen twice three times.
  grep -c '"count":6,' "$folder/$1" || true
}

rm -rf "$folder/database"
for ((i = 0; i < records; ++i)); do observation "$i"; done >"$folder/observations"
start
# Twice: the merge operator adds the counts.
for round in 1 2; do
  timeout 60 "$bin/balboa-backend-console" replay -h 127.0.0.1 -p "$port" \
    -d "$folder/observations" >>"$folder/log" 2>&1
done
found=0
for ((tries = 0; tries < 100 && found < records; ++tries)); do
  found=$(dump first)
  [ "$found" -ge "$records" ] || sleep 0.1
done
stop KILL
port=$((port + 1))  # the old one's connections linger
start
again=$(dump second)
stop TERM

if [ "$found" -ne "$records" ] || [ "$again" -ne "$records" ]; then
  tail -20 "$folder/log"
  echo "$found of $records records, $again after a kill"
  exit 1
fi
if ! diff <(sort "$folder/first") <(sort "$folder/second") >/dev/null; then
  echo "the kill changed entries"
  exit 1
fi
if ! ls "$folder"/database/OPTIONS-* >/dev/null; then
  echo "the database is not where it should be"
  exit 1
fi
echo "balboa-rocksdb: $records of $records records, the same after kill -9"
