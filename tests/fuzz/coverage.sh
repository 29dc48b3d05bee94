#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coverage.sh <program> <profile>...: which lines of what reads files the
# profiles of fuzz runs show as reached. A table first, then the ranges of lines
# that no run reached.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# What reads bytes that nobody vouches for.
decoders=(
  table/format.cc table/block.cc table/block.h table/data_block_hash_index.cc
  table/block_fetcher.cc table/properties.cc table/internal_key.cc
  table/index_format.cc table/index_reader.cc table/resident_index.cc
  table/filter_loader.cc table/table_open.cc table/table_check.cc
  table/table_verify.cc table/table_salvage.cc
  db/manifest/version_edit_decode.cc db/manifest/manifest_state.cc db/wal/log_reader.cc
  db/recovery/log_replay.cc db/recovery/lost_edits.cc db/wal/batch_cursor.cc db/base/file_names.cc
  db/recovery/create_database.cc db/recovery/directory_listing.cc
  db/recovery/leveldb_directory.cc db/recovery/recovery.cc db/repair/repair.cc db/repair/repair_families.cc
  db/repair/repair_files.cc db/repair/repair_layout.cc db/repair/repair_logs.cc
  db/repair/repair_manifest.cc db/repair/repair_tables.cc
  filter/filter_registry.cc filter/block_based_placement.cc
  filter/user_filter.cc filter/leveldb_bloom.cc filter/cache_local_bloom.cc
  filter/fast_local_bloom.cc filter/ribbon.cc
  util/coding/coding.cc util/coding/coding.h util/compression/compression.cc util/compression/codec_bzip2.cc
  util/compression/codec_lz4.cc util/compression/codec_snappy.cc util/compression/codec_zlib.cc util/compression/codec_zstd.cc
  util/compression/lz4_decoder.cc util/compression/snappy_decoder.cc util/compression/step_decoder.cc
  tools/hex.cc tools/tool_main.cc tools/tamis_ldb/words.cc
)

# tool <name>: the one that belongs to the compiler, first.
tool() {
  command -v "$1-14" || command -v "$1" ||
    { echo "coverage: $1 is not installed (package llvm-14)" >&2 && exit 2; }
}

program=$1
shift
profdata=$(tool llvm-profdata)
cov=$(tool llvm-cov)
merged=$(mktemp)
trap 'rm -f "$merged"' EXIT
"$profdata" merge -sparse -o "$merged" "$@"

# The sources have the path they were compiled under.
root=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' \
  "$(dirname "$program")/../CMakeCache.txt")
"$cov" export "$program" -instr-profile="$merged" -format=lcov \
  "${decoders[@]/#/$root/}" |
  awk -v root="$root/" '
    /^SF:/ { file = substr($0, 4); sub(root, "", file); files[++n] = file }
    /^DA:/ {
      split(substr($0, 4), at, ",")
      ++lines[file]
      if (at[2] > 0) { ++reached[file]; first = 0; next_line = 0; next }
      if (first == 0 || at[1] != next_line || ranges_of != file) {
        ++ranges[file]; first = at[1]; ranges_of = file
      }
      next_line = at[1] + 1
      from[file, ranges[file]] = first
      to[file, ranges[file]] = at[1]
    }
    END {
      printf "%-34s %6s %8s\n", "what reads files", "lines", "reached"
      for (i = 1; i <= n; ++i) {
        file = files[i]
        all += lines[file]
        good += reached[file]
        printf "%-34s %6d %7.1f%%\n", file, lines[file],
          100 * reached[file] / lines[file]
      }
      printf "%-34s %6d %7.1f%%\n", "together", all, 100 * good / all
      print "never reached:"
      for (i = 1; i <= n; ++i) {
        file = files[i]
        for (r = 1; r <= ranges[file]; ++r) {
          print "  " file ":" from[file, r] "-" to[file, r]
        }
      }
    }'
