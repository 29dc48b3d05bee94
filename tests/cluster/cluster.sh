#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# cluster.sh start|stop <folder> [<first port> [<address>]]: a Ceph cluster on
# loopback, or on another address of this machine, of three monitors and three
# OSDs, with everything in the folder, and the pools names, logs (replicated) and
# tables (erasure-coded, 2 + 1; it works on two of three OSDs, as the others do).
# Daemons are stopped by their pids.
# cluster.sh daemon start|kill <folder> mon.a|osd.0|...: one of them.
# TAMIS_CLUSTER_FACADE=<folder of a libleveldb.so.1d>: the daemons use this library
# and keep all of their data in LevelDB; all pools are replicated then.
set -euo pipefail
facade=${TAMIS_CLUSTER_FACADE:-}
# What a daemon is started with.
daemon=(env)
[ -z "$facade" ] || daemon+=("LD_LIBRARY_PATH=$facade")

# Programs of Debian's ceph-mon, ceph-osd and ceph-common.
write_config() {
  local port=$1 address=$2 name hosts=""
  for name in a b c; do
    hosts+="${hosts:+,}[v2:$address:$port,v1:$address:$((port + 1))]"
    port=$((port + 2))
  done
  cat >"$folder/ceph.conf" <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon_initial_members = a,b,c
mon_host = $hosts
public_addr = $address
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
mon_data = $folder/mon.\$id
osd_data = $folder/osd.\$id
run_dir = $folder/run
log_file = $folder/\$name.log
log_to_stderr = false
pid_file =
mon_allow_pool_delete = true
mon_data_avail_warn = 2
mon_data_avail_crit = 1
mon_warn_on_pool_no_redundancy = false
mon_osd_down_out_interval = 600
osd_memory_target = 939524096
osd_pool_default_size = 3
osd_pool_default_min_size = 2
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
osd_heartbeat_interval = 2
osd_heartbeat_grace = 8
osd_op_num_shards = 1
osd_op_num_threads_per_shard = 1
[mon]
admin_socket = $folder/run/\$name.asok
[osd]
admin_socket = $folder/run/\$name.asok
CONF
  if [ -z "$facade" ]; then
    cat >>"$folder/ceph.conf" <<'CONF'
osd_objectstore = bluestore
bluestore_block_size = 8589934592
bluestore_cache_autotune = false
bluestore_cache_size = 134217728
CONF
  else
    cat >>"$folder/ceph.conf" <<'CONF'
osd_objectstore = kstore
kstore_backend = leveldb
enable_experimental_unrecoverable_data_corrupting_features = kstore
[mon]
mon_keyvaluedb = leveldb
CONF
  fi
}

ceph_do() { ceph -c "$folder/ceph.conf" --connect-timeout 30 "$@"; }

start_daemon() {
  local kind=${1%%.*} id=${1#*.}
  "${daemon[@]}" setsid "ceph-$kind" -i "$id" -c "$folder/ceph.conf" -f \
    >>"$folder/$1.out" 2>&1 </dev/null &
  echo $! >"$folder/$1.pid"
}

kill_daemon() {
  [ -f "$folder/$1.pid" ] || return 0
  kill -9 "$(cat "$folder/$1.pid")" 2>/dev/null || true
  rm -f "$folder/$1.pid"
}

start_all() {
  mkdir -p "$folder/run"
  folder=$(cd "$folder" && pwd)
  write_config "$1" "$2"
  local fsid name port=$1 address=$2
  fsid=$(sed -n 's/^fsid = //p' "$folder/ceph.conf")
  local members=()
  for name in a b c; do
    members+=(--addv "$name" "[v2:$address:$port,v1:$address:$((port + 1))]")
    port=$((port + 2))
  done
  monmaptool --create --clobber --fsid "$fsid" "${members[@]}" "$folder/monmap" >/dev/null
  for name in a b c; do
    mkdir -p "$folder/mon.$name"
    "${daemon[@]}" ceph-mon -c "$folder/ceph.conf" --mkfs -i "$name" --monmap "$folder/monmap"
    start_daemon "mon.$name"
  done
  ceph_do mon enable-msgr2 >/dev/null 2>&1 || true
  for name in 0 1 2; do
    local uuid
    uuid=$(cat /proc/sys/kernel/random/uuid)
    ceph_do osd new "$uuid" "$name" >/dev/null
    mkdir -p "$folder/osd.$name"
    "${daemon[@]}" ceph-osd -c "$folder/ceph.conf" --mkfs -i "$name" --osd-uuid "$uuid" >/dev/null 2>&1
    start_daemon "osd.$name"
  done
  for name in names logs; do
    ceph_do osd pool create "$name" 8 >/dev/null 2>&1
  done
  create_table_pool
  # An I/O to each pool waits until its placement groups are active.
  for name in names logs tables; do
    timeout 60 rados -c "$folder/ceph.conf" -p "$name" put ready /dev/null
    rados -c "$folder/ceph.conf" -p "$name" rm ready
  done
}

create_table_pool() {
  if [ -n "$facade" ]; then
    ceph_do osd pool create tables 8 >/dev/null 2>&1
    return
  fi
  ceph_do osd erasure-code-profile set two_and_one k=2 m=1 \
    crush-failure-domain=osd >/dev/null 2>&1
  ceph_do osd pool create tables 8 8 erasure two_and_one >/dev/null 2>&1
  ceph_do osd pool set tables allow_ec_overwrites true >/dev/null 2>&1
  ceph_do osd pool set tables min_size 2 >/dev/null 2>&1
}

stop_all() {
  local name
  for name in osd.0 osd.1 osd.2 mon.a mon.b mon.c; do kill_daemon "$name"; done
}

case "${1:-}" in
  start)
    folder=${2:?}
    start_all "${3:-44300}" "${4:-127.0.0.1}"
    ;;
  stop)
    folder=${2:?}
    stop_all
    ;;
  daemon)
    folder=${3:?}
    case "$2" in
      start) start_daemon "${4:?}" ;;
      kill) kill_daemon "${4:?}" ;;
      *) exit 2 ;;
    esac
    ;;
  *)
    sed -n '4,11p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac
