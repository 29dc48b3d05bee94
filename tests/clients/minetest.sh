#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# minetest.sh <facade's directory> [folder]: Debian's minetest-server, a game's
# server, unchanged, with map, players and accounts in LevelDB, on the facade. A
# mod places blocks, and looks for them after the server was killed with -9 and
# started again, several times. Prints a count; exit 77 if the packages cannot be had.
set -euo pipefail
. "$(dirname "$0")/packages.sh"
facade=$(cd "${1:?usage: minetest.sh <facade directory> [folder]}" && pwd)
folder=${2:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
rounds=${TAMIS_MINETEST_ROUNDS:-3}
blocks=500
port=${TAMIS_MINETEST_PORT:-31007}

# The programs, out of the packages, without installing them.
root=$folder/root
server=$root/usr/lib/minetest/minetestserver
if [ ! -x "$server" ]; then
  mapfile -t names < <(with_missing_dependencies minetest-server)
  unpack "$folder" "${names[@]}"
  # Where the server looks for its data beside itself.
  mkdir -p "$root/usr/lib/share"
  ln -sfn ../../share/games/minetest "$root/usr/lib/share/minetest"
fi

world=$folder/world
rm -rf "$world" "$folder/home"
mkdir -p "$world/worldmods/blocks" "$folder/home"
cat >"$world/world.mt" <<'MT'
backend = leveldb
player_backend = leveldb
auth_backend = leveldb
mod_storage_backend = files
gameid = devtest
MT
cat >"$folder/server.conf" <<CONF
port = $port
bind_address = 127.0.0.1
mg_name = singlenode
server_map_save_interval = 0.2
server_unload_unused_data_timeout = 1
CONF
# Round N places N * blocks ... and finds those of all rounds before.
cat >"$world/worldmods/blocks/init.lua" <<'LUA'
local round = tonumber(minetest.settings:get("test_round"))
local blocks = tonumber(minetest.settings:get("test_blocks"))
local function place(n)
  return {x = n % 50 * 17, y = math.floor(n / 50) * 17, z = n % 7 * 17}
end
minetest.after(0, function()
  local found = 0
  for n = 0, round * blocks - 1 do
    minetest.load_area(place(n))
    local node = minetest.get_node(place(n))
    if node.name == "basenodes:stone" and node.param2 == n % 200 then found = found + 1 end
  end
  for n = round * blocks, (round + 1) * blocks - 1 do
    minetest.load_area(place(n))
    minetest.set_node(place(n), {name = "basenodes:stone", param2 = n % 200})
  end
  -- The map is saved several times meanwhile.
  minetest.after(2, function()
    minetest.log("action", "ROUND " .. round .. " FOUND " .. found .. " OF " .. round * blocks .. ".")
  end)
end)
LUA

pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true' EXIT
for ((round = 0; round <= rounds; ++round)); do
  { cat "$folder/server.conf"
    echo "test_round = $round"
    echo "test_blocks = $blocks"; } >"$folder/round.conf"
  : >"$folder/round.$round.log"
  (cd "$folder" && exec env HOME="$folder/home" \
    MINETEST_SUBGAME_PATH="$root/usr/share/games/minetest/games" \
    LD_LIBRARY_PATH="$facade:$root/usr/lib/x86_64-linux-gnu" \
    "$server" --world "$world" --gameid devtest --config "$folder/round.conf") \
    >>"$folder/round.$round.log" 2>&1 </dev/null &
  pid=$!
  for ((i = 0; i < 600; ++i)); do
    grep -q 'ROUND.*FOUND' "$folder/round.$round.log" && break
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  if ! grep -q "libleveldb" "/proc/$pid/maps" 2>/dev/null ||
    ! grep -q "$facade/libleveldb" "/proc/$pid/maps"; then
    cat "$folder/round.$round.log"
    echo "minetest-server does not run on the facade"
    exit 1
  fi
  sleep 0.3
  kill -KILL "$pid" || {
    tail -5 "$folder/round.$round.log"
    echo "minetest-server ended by itself"
    exit 1
  }
  wait "$pid" 2>/dev/null || true
  pid=
  expected="ROUND $round FOUND $((round * blocks)) OF $((round * blocks))."
  if ! grep -qF "$expected" "$folder/round.$round.log"; then
    tail -20 "$folder/round.$round.log"
    echo "expected: $expected"
    exit 1
  fi
done
echo "minetest-server: $((rounds * blocks)) of $((rounds * blocks)) blocks found after $rounds kills"
