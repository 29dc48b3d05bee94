#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# network.sh make: a network namespace, tamis_writer, joined to this one by a
#   pair of virtual interfaces. Prints the address of this end, at which daemons
#   listen. Fails where namespaces or interfaces cannot be made.
# network.sh lose requests|answers|both: what the namespace sends to this end,
#   what this end sends there, or both, gets lost from now on, without an error:
#   the sender takes the other one to be at an address that nobody has.
# network.sh deliver: nothing gets lost any more.
# network.sh remove: the namespace is gone, and what is in it has no network.
set -euo pipefail

readonly space=tamis_writer
readonly here=tamis_cluster address=10.213.87.1
readonly there=tamis_client client=10.213.87.2
readonly nobody=02:00:00:00:00:99

remove() {
  ip netns del "$space" 2>/dev/null || true
  ip link del "$here" 2>/dev/null || true
}

make() {
  remove
  ip netns add "$space"
  ip link add "$here" type veth peer name "$there"
  ip link set "$there" netns "$space"
  ip addr add "$address/30" dev "$here"
  ip link set "$here" up
  ip -n "$space" addr add "$client/30" dev "$there"
  ip -n "$space" link set lo up
  ip -n "$space" link set "$there" up
  echo "$address"
}

lose_requests() {
  ip -n "$space" neigh replace "$address" lladdr "$nobody" dev "$there" nud permanent
}

lose_answers() {
  ip neigh replace "$client" lladdr "$nobody" dev "$here" nud permanent
}

case "${1:-} ${2:-}" in
  "make ") make ;;
  "lose requests") lose_requests ;;
  "lose answers") lose_answers ;;
  "lose both")
    lose_requests
    lose_answers
    ;;
  "deliver ")
    # What was to be sent meanwhile is sent again, to where the other one is.
    ip -n "$space" neigh flush dev "$there" nud permanent
    ip neigh flush dev "$here" nud permanent
    ;;
  "remove ") remove ;;
  *)
    sed -n '4,13p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
esac
