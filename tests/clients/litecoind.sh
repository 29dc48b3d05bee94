#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# litecoind.sh <facade's directory> [folder]: Debian's litecoind, unchanged, with
# its block index and its coins in LevelDB, on the facade. It mines blocks on a
# test chain of its own, is killed with -9, and started again, several times; each
# start verifies all blocks at level 4, which takes the coins of each block back
# and puts them in again. Listens on the loopback alone. Prints a count; exit 77
# if the packages cannot be had.
set -euo pipefail
. "$(dirname "$0")/packages.sh"
facade=$(cd "${1:?usage: litecoind.sh <facade directory> [folder]}" && pwd)
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
rounds=${TAMIS_LITECOIN_ROUNDS:-3}
blocks=60
port=${TAMIS_LITECOIN_PORT:-31444}

# The programs, out of the packages, without installing them.
root=$folder/root
if [ ! -x "$root/usr/lib/litecoin/litecoind" ]; then
  mapfile -t names < <(with_missing_dependencies litecoind)
  unpack "$folder" "${names[@]}"
fi
data=$folder/data
rm -rf "$data"
mkdir -p "$data"
libraries=$facade:$root/usr/lib/x86_64-linux-gnu

pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true' EXIT
start() {
  LD_LIBRARY_PATH=$libraries "$root/usr/lib/litecoin/litecoind" -regtest -datadir="$data" \
    -server -listen=0 -dnsseed=0 -discover=0 -rpcport="$port" -rpcbind=127.0.0.1 \
    -rpcallowip=127.0.0.1 -fallbackfee=0.001 -checklevel=4 -checkblocks=0 \
    >>"$folder/litecoind.log" 2>&1 </dev/null &
  pid=$!
  if ! call -rpcwait -rpcclienttimeout=60 getblockcount >/dev/null; then
    tail -20 "$folder/litecoind.log" "$data/regtest/debug.log"
    exit 1
  fi
  grep -q "$facade/libleveldb" "/proc/$pid/maps" || {
    echo "litecoind does not run on the facade"
    exit 1
  }
}
call() {
  LD_LIBRARY_PATH=$libraries timeout 90 "$root/usr/bin/litecoin-cli" -regtest -datadir="$data" -rpcport="$port" "$@"
}

: >"$folder/litecoind.log"
start
call createwallet test >/dev/null 2>&1 || true
address=$(call getnewaddress)
for ((round = 1; round <= rounds; ++round)); do
  call generatetoaddress "$blocks" "$address" >/dev/null
  # The coins go to LevelDB, too, not only the blocks.
  call gettxoutsetinfo >/dev/null
  best=$(call getbestblockhash)
  kill -KILL "$pid"
  wait "$pid" 2>/dev/null || true
  start
  count=$(call getblockcount)
  if [ "$count" -ne $((round * blocks)) ] || [ "$(call getbestblockhash)" != "$best" ]; then
    tail -20 "$data/regtest/debug.log"
    echo "after kill $round: $count blocks of $((round * blocks))"
    exit 1
  fi
  if grep -iE "corrupt|LevelDB (read|write) failure|Error opening" "$data/regtest/debug.log"; then
    exit 1
  fi
done
call verifychain 4 0 | grep -qx true || {
  echo "verifychain does not find the chain right"
  exit 1
}
call stop >/dev/null
wait "$pid"
pid=
echo "litecoind: $count of $((rounds * blocks)) blocks verified after $rounds kills"
