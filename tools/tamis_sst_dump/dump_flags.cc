// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_sst_dump/dump_flags.h"

#include "tools/command_table.h"

using tamis::Among;
using tamis::AtLeast;
using tamis::Between;

TAMIS_FLAG_LIST(file, "PATH",
                "a table, or a folder of them; more may follow, each with a "
                "flag of its own, or as arguments");
TAMIS_FLAG(
    string, command, "check", "COMMAND",
    "check: read every entry, print errors alone; scan: print every entry, "
    "'KEY' seq:N, type:T => VALUE; verify: read every block, compare "
    "checksums, order and counts; raw: write all that is in the table to "
    "PATH_dump.txt; recompress: sizes with other codecs; identify: name the "
    "files that are tables; layout: each block with its offset, and what lies "
    "between blocks; filter: what the filter is, and with --probe_file what "
    "it answers; properties: what the table says of itself; none: open it",
    Among({"check", "scan", "verify", "raw", "recompress", "identify", "layout",
           "filter", "properties", "none"}));
TAMIS_FLAG(bool, output_hex, false, "", "scan: keys and values in hex");
TAMIS_FLAG(bool, input_key_hex, false, "",
           "--from, --to and --prefix are 0x and hex digits");
TAMIS_FLAG(uint64, read_num, 0, "N",
           "check, scan: at most this many entries in all; 0: all");
TAMIS_FLAG(string, from, "", "KEY", "check, scan: the first user key");
TAMIS_FLAG(string, to, "", "KEY",
           "check, scan: the user key before which it ends");
TAMIS_FLAG(string, prefix, "", "KEY",
           "check, scan: only user keys that begin so, in place of --from");
TAMIS_FLAG(bool, show_properties, false, "", "print the properties, too");
TAMIS_FLAG(bool, list_meta_blocks, false, "",
           "print the blocks that the metaindex names, too");
TAMIS_FLAG(
    bool, json, false, "",
    "a JSON object for each table, on a line; scan: for each entry, with "
    "keys and values in hex");
TAMIS_FLAG(int32, compat, 0, "RELEASE",
           "print raw and properties exactly as RocksDB 7 or 11 does, without "
           "its unique ID; 0: as 7, with further sections, and properties as "
           "text in place of hex",
           Among({"0", "7", "11"}));
TAMIS_FLAG(string, output, "", "PATH", "raw: where to; -: stdout");
TAMIS_FLAG(uint64, set_block_size, 16384, "BYTES",
           "recompress: of an uncompressed data block", AtLeast(1));
TAMIS_FLAG(string, compression_types, "", "LIST",
           "recompress: kNoCompression, kSnappyCompression, kLZ4Compression, "
           "kLZ4HCCompression or kZSTD, separated by commas; empty: all");
TAMIS_FLAG(int32, compression_level_from, 32767, "N",
           "recompress: the first level of one codec; 32767: its default");
TAMIS_FLAG(int32, compression_level_to, 32767, "N",
           "recompress: the last level of one codec");
TAMIS_FLAG(uint32, compression_max_dict_bytes, 0, "BYTES",
           "recompress: of a dictionary; 0: none");
TAMIS_FLAG(uint32, compression_zstd_max_train_bytes, 0, "BYTES",
           "recompress: of samples for zstd's training; 0: no training");
TAMIS_FLAG(uint64, compression_max_dict_buffer_bytes, 0, "BYTES",
           "recompress: of data that samples are taken from; 0: all");
TAMIS_FLAG(bool, compression_use_zstd_finalize_dict, false, "",
           "recompress: finalize a dictionary of samples in place of training");
TAMIS_FLAG(string, parse_internal_key, "", "KEY",
           "print the parts of this internal key, 0x and hex digits, and end");
TAMIS_FLAG(string, probe_file, "", "PATH",
           "filter: ask for these keys, one in hex a line; the answer is \"may "
           "match\" or \"no\", a line each");
TAMIS_FLAG(string, prefix_extractor, "", "X",
           "filter: fixed:N or capped:N, as the table was written; without it "
           "a filter of prefixes alone is not asked");
TAMIS_FLAG(bool, what_if, false, "",
           "filter: build every format over a part of the table's keys, and "
           "show which share of the other keys, and of the ranges between "
           "them, each excludes");
TAMIS_FLAG(int32, what_if_stored, 10, "N",
           "filter: percent of the keys that are in that part", Between(1, 99));
