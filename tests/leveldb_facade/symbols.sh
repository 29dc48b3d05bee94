#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# symbols.sh <LevelDB's library> <facade>: every symbol that LevelDB's library
# exports, and that a program can use, is in the facade, and the facade exports
# nothing of Tamis. Prints what is missing; exit 1 if anything is.
set -euo pipefail
peer=$1 facade=$2

names() { nm -DC --defined-only "$1" | sed -E 's/^[0-9a-f]* . //' | sort -u; }

# Not the private functions of Table and TableBuilder, nor instances of
# templates and local classes, which are the library's own.
missing=$(comm -23 <(names "$peer") <(names "$facade") |
  grep -vE '^(void )?std::|std::(pair|thread)|^leveldb::Table::(BlockReader|InternalGet|ReadFilter|ReadMeta)\(|^leveldb::TableBuilder::Write(Raw)?Block\(|leveldb_(filterpolicy_create_bloom::Wrapper|writebatch_iterate::H)$|^leveldb::EnvWrapper::[A-Z]' || true)
if [ -n "$missing" ]; then
  echo "$missing"
  echo "the facade lacks these symbols of LevelDB"
  exit 1
fi
if names "$facade" | grep -E '^tamis|^vtable for tamis'; then
  echo "the facade exports symbols of Tamis"
  exit 1
fi
echo "$(names "$facade" | wc -l) symbols"
