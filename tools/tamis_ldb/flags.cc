// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/flags.h"

#include "tools/command_table.h"

using tamis::Among;
using tamis::AtLeast;
using tamis::Between;

TAMIS_FLAG(string, db, "", "DIR", "the database's directory");
TAMIS_FLAG(string, wal_dir, "", "DIR",
           "the directory of the logs; empty: the database's. No OPTIONS file "
           "sets it");
TAMIS_FLAG(string, db_paths, "", "DIR,...",
           "the directories of tables, in the order in which the program that "
           "writes the database has them. No OPTIONS file has them");
TAMIS_FLAG(bool, ttl, false, "",
           "values end in the time of their write, as those of a DBWithTTL");
TAMIS_FLAG(string, secondary_path, "", "DIR",
           "open the database as a secondary instance, with its LOG there");
TAMIS_FLAG(string, column_family, "default", "NAME", "the family of the keys");
TAMIS_FLAG(bool, hex, false, "", "keys and values are 0x and hex digits");
TAMIS_FLAG(bool, key_hex, false, "", "keys are 0x and hex digits");
TAMIS_FLAG(bool, value_hex, false, "", "values are 0x and hex digits");
TAMIS_FLAG(bool, create_if_missing, false, "",
           "make the database when there is none");
TAMIS_FLAG(string, from, "", "KEY", "the first key; empty: all from the first");
TAMIS_FLAG(string, to, "", "KEY", "the key before which it ends; empty: none");
TAMIS_FLAG(int64, max_keys, -1, "N", "at most this many keys; -1: all",
           AtLeast(-1));
TAMIS_FLAG(bool, no_value, false, "", "keys alone");
TAMIS_FLAG(bool, count_only, false, "", "only how many there are");
TAMIS_FLAG(string, comparator, "bytewise", "NAME",
           "the order of keys of what is created, or where the database does "
           "not say",
           Among({"bytewise", "reverse"}));
TAMIS_FLAG(string, merge_operator, "", "NAME",
           "stringappend, uint64add, max, or their whole names");
TAMIS_FLAG(string, walfile, "", "LOG", "the log");
TAMIS_FLAG(bool, header, false, "", "first a line that names the columns");
TAMIS_FLAG(bool, print_value, false, "", "values too");
TAMIS_FLAG(string, path, "", "MANIFEST",
           "this MANIFEST in place of the current one of --db");
TAMIS_FLAG(string, checkpoint_dir, "", "DIR", "the directory to make");
TAMIS_FLAG(string, backup_dir, "", "DIR", "the directory of the backups");
TAMIS_FLAG(uint32, backup_id, 0, "N", "the backup; 0: the newest");
TAMIS_FLAG(uint32, keep, 0, "N", "how many of the newest backups stay");
TAMIS_FLAG(int32, num_threads, 1, "N", "how many threads copy", AtLeast(1));
TAMIS_FLAG(bool, bulk_load, false, "",
           "sort all entries and ingest them as tables");
TAMIS_FLAG(bool, disable_wal, false, "", "write no log, but tables at the end");
TAMIS_FLAG(bool, compact, false, "", "compact the family afterwards");
TAMIS_FLAG(bool, move_files, false, "", "move the tables, do not copy them");
TAMIS_FLAG(bool, snapshot_consistency, true, "",
           "snapshots do not see the tables");
TAMIS_FLAG(bool, allow_global_seqno, true, "",
           "the tables may replace keys that the database has");
TAMIS_FLAG(bool, allow_blocking_flush, true, "",
           "a memtable with keys of the tables may be flushed first");
TAMIS_FLAG(bool, ingest_behind, false, "",
           "put the tables behind all that the family has, which must have "
           "allow_ingest_behind or cf_allow_ingest_behind in its OPTIONS file");
TAMIS_FLAG(bool, edits, false, "",
           "each edit on a line with its offset, not the contents that they "
           "make up");
TAMIS_FLAG(bool, sort_by_filename, false, "", "by name, not by level");
TAMIS_FLAG(bool, json, false, "", "print JSON");
TAMIS_FLAG(string, html, "", "FILE", "write a page instead of text");
TAMIS_FLAG(string, db_log_dir, "", "DIR",
           "the directory of LOG; empty: the database's");
TAMIS_FLAG(int32, new_levels, 7, "N", "the number of levels", Between(2, 7));
TAMIS_FLAG(bool, print_old_levels, false, "", "first the levels in use");
TAMIS_FLAG(int32, old_compaction_style, 0, "STYLE", "0: levels, 1: universal",
           Among({"0", "1"}));
TAMIS_FLAG(int32, new_compaction_style, 0, "STYLE", "0: levels, 1: universal",
           Among({"0", "1"}));
TAMIS_FLAG(bool, try_load_options, true, "",
           "use the newest OPTIONS file of the database, where it can be read");
TAMIS_FLAG(bool, ignore_unknown_options, false, "",
           "skip options in that file that neither Tamis nor RocksDB knows");
TAMIS_FLAG(string, compression_type, "", "NAME", "of tables that are written",
           Among({"no", "snappy", "lz4", "lz4hc", "zstd"}));
TAMIS_FLAG(int32, compression_max_dict_bytes, 0, "BYTES",
           "of a dictionary in tables that are written", AtLeast(0));
TAMIS_FLAG(double, bloom_bits, 0, "BITS",
           "of a Bloom filter per key in tables that are written", AtLeast(0));
TAMIS_FLAG(int32, fix_prefix_len, 0, "BYTES",
           "filters have prefixes of this length, too; 0: as they do now",
           AtLeast(0));
TAMIS_FLAG(uint64, block_size, 4096, "BYTES",
           "of a data block in tables that are written", AtLeast(1));
TAMIS_FLAG(bool, auto_compaction, true, "", "compactions run by themselves");
TAMIS_FLAG(uint64, db_write_buffer_size, 0, "BYTES", "of all memtables");
TAMIS_FLAG(uint64, write_buffer_size, 64 << 20, "BYTES", "of a memtable",
           AtLeast(65536));
TAMIS_FLAG(uint64, file_size, 64 << 20, "BYTES",
           "of a table that is written, about", AtLeast(1));
