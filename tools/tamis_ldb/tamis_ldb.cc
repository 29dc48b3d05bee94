// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb: reads and changes a database key by key, inspects its files, and
// repairs it. Its output is that of RocksDB's ldb.
#include "tools/tamis_ldb/data_commands.h"
#include "tools/tamis_ldb/file_commands.h"
#include "tools/tamis_ldb/filter_commands.h"
#include "tools/tamis_ldb/info_commands.h"
#include "tools/tamis_ldb/load_commands.h"
#include "tools/tamis_ldb/manifest_commands.h"
#include "tools/tamis_ldb/shape_commands.h"
#include "tools/tool_main.h"

namespace tamis {
namespace {

// The flags that commands share. Those that read only the files take kFiles.
constexpr const char* kFiles = "db! wal_dir comparator merge_operator";
constexpr const char* kDatabase =
    "db! wal_dir comparator merge_operator try_load_options "
    "ignore_unknown_options";
constexpr const char* kReads =
    "db! wal_dir comparator merge_operator try_load_options "
    "ignore_unknown_options "
    "column_family";
constexpr const char* kTables =
    "compression_type compression_max_dict_bytes bloom_bits fix_prefix_len "
    "block_size file_size";
constexpr const char* kWrites =
    "db! wal_dir comparator merge_operator try_load_options "
    "ignore_unknown_options "
    "column_family compression_type compression_max_dict_bytes bloom_bits "
    "fix_prefix_len block_size file_size auto_compaction db_write_buffer_size "
    "write_buffer_size";
constexpr const char* kCreates = "create_if_missing";
constexpr const char* kHex = "hex key_hex value_hex";
constexpr const char* kKeyHex = "hex key_hex";
constexpr const char* kRange = "from to";

const Command kCommands[] = {
    {"get",
     "KEY",
     1,
     1,
     "print the value; exit 1 when there is none",
     {kReads, kHex},
     Get},
    {"multi_get",
     "KEY...",
     1,
     Command::kAny,
     "print each value, or that there is none",
     {kReads, kHex},
     MultiGet},
    {"put",
     "KEY VALUE",
     2,
     2,
     "write it, print OK, as all below that change data",
     {kWrites, kHex, kCreates},
     Put},
    {"delete", "KEY", 1, 1, "remove it", {kWrites, kKeyHex}, Delete},
    {"singledelete",
     "KEY",
     1,
     1,
     "remove what was put once",
     {kWrites, kKeyHex},
     SingleDelete},
    {"deleterange",
     "BEGIN END",
     2,
     2,
     "remove from BEGIN on, up to but not with END",
     {kWrites, kKeyHex},
     DeleteRange},
    {"merge",
     "KEY OPERAND",
     2,
     2,
     "by the --merge_operator",
     {kWrites, kHex},
     Merge},
    {"batchput",
     "KEY VALUE [KEY VALUE]...",
     2,
     Command::kAny,
     "all at once",
     {kWrites, kHex, kCreates},
     BatchPut},
    {"query",
     "",
     0,
     0,
     "a shell: get KEY, put KEY VALUE, delete KEY and help, a line each from "
     "stdin",
     {kWrites, kHex, kCreates},
     Query},
    {"scan",
     "",
     0,
     0,
     "print every KEY : VALUE in order",
     {kReads, kHex, kRange, "max_keys no_value"},
     Scan},
    {"dump",
     "",
     0,
     0,
     "print every KEY ==> VALUE, and how many there are",
     {kReads, kHex, kRange, "max_keys count_only"},
     Dump},
    {"idump",
     "",
     0,
     0,
     "every version of every key, with its sequence number",
     {kReads, kHex, kRange, "max_keys count_only"},
     InternalDump},
    {"load",
     "",
     0,
     0,
     "put the entries of stdin, as dump or scan prints them",
     {kWrites, kHex, kCreates, "bulk_load disable_wal compact"},
     Load},
    {"write_extern_sst",
     "TABLE",
     1,
     1,
     "write the entries of stdin, which ascend, to a table for "
     "ingest_extern_sst",
     {kReads, kHex},
     WriteExternSst},
    {"ingest_extern_sst",
     "TABLE...",
     1,
     Command::kAny,
     "add tables",
     {kWrites, kCreates, "move_files snapshot_consistency allow_global_seqno",
      "allow_blocking_flush ingest_behind"},
     IngestExternSst},
    {"approxsize",
     "",
     0,
     0,
     "bytes of the tables in the range",
     {kReads, kKeyHex, "from! to!"},
     ApproxSize},
    {"get_property",
     "NAME",
     1,
     1,
     "as rocksdb.estimate-num-keys, rocksdb.stats",
     {kReads},
     GetProperty},
    {"stats",
     "",
     0,
     0,
     "tables, bytes and filters by level",
     {kReads, "json"},
     Stats},
    {"compact",
     "",
     0,
     0,
     "compact the keys of the range",
     {kWrites, kKeyHex, kRange},
     Compact},
    {"reduce_levels",
     "",
     0,
     0,
     "compact into this number of levels",
     {kWrites, "new_levels! print_old_levels"},
     ReduceLevels},
    {"change_compaction_style",
     "",
     0,
     0,
     "compact all, for another compaction style",
     {kWrites, "old_compaction_style! new_compaction_style!"},
     ChangeCompactionStyle},
    {"checkconsistency",
     "",
     0,
     0,
     "open it with every table",
     {kReads},
     CheckConsistency},
    {"checkpoint",
     "",
     0,
     0,
     "make a copy that opens",
     {kDatabase, "checkpoint_dir!"},
     MakeCheckpoint},
    {"create_column_family",
     "NAME",
     1,
     1,
     "add a family without keys",
     {kDatabase, kTables},
     CreateColumnFamily},
    {"drop_column_family",
     "NAME",
     1,
     1,
     "remove a family with its keys",
     {kDatabase},
     DropColumnFamily},
    {"list_column_families",
     "",
     0,
     0,
     "their names",
     {"db!"},
     ListColumnFamilies},
    {"list_live_files_metadata",
     "",
     0,
     0,
     "tables, by level",
     {kFiles, "sort_by_filename"},
     ListLiveFilesMetadata},
    {"list_file_range_deletes",
     "",
     0,
     0,
     "range deletions by table",
     {"db! column_family max_keys"},
     ListFileRangeDeletes},
    {"file_checksum_dump",
     "",
     0,
     0,
     "checksums of whole tables",
     {"db path"},
     FileChecksumDump},
    {"filters",
     "",
     0,
     0,
     "each table's filters by level, with bits per key and predicted false "
     "positives, and sums",
     {kFiles},
     Filters},
    {"manifest_dump",
     "",
     0,
     0,
     "what the MANIFEST says",
     {"db path hex edits"},
     ManifestDump},
    {"dump_wal",
     "",
     0,
     0,
     "every batch on a line",
     {"db walfile! header print_value"},
     DumpWal},
    {"unsafe_remove_sst_file",
     "NUMBER",
     1,
     1,
     "take a table out of the MANIFEST of a database that is not open",
     {"db!"},
     UnsafeRemoveSstFile},
    {"repair",
     "",
     0,
     0,
     "make a database of what still reads; what does not, and what is "
     "replaced, goes to DIR/lost",
     {kFiles},
     Repair},
};

constexpr Refusal kRefusedCommands[] = {
    {"backup", "Tamis has no backup engine; checkpoint makes a copy"},
    {"restore", "Tamis has no backup engine; a checkpoint opens as it is"},
    {"dump_live_files",
     "list_live_files_metadata, manifest_dump, idump and dump_wal print its "
     "parts"},
    {"update_manifest", "Tamis keeps no temperatures of files"},
};

constexpr Refusal kRefusedFlags[] = {
    {"ttl", "Tamis has no values that expire"},
    {"timestamp", "Tamis has no values that expire"},
    {"start_time", "Tamis has no values that expire"},
    {"end_time", "Tamis has no values that expire"},
    {"secondary_path",
     "Tamis has no secondary instances; reading commands "
     "open read-only"},
    {"env_uri", "Tamis opens directories of the operating system"},
    {"fs_uri", "Tamis opens directories of the operating system"},
    {"backup_dir", "Tamis has no backup engine"},
    {"write_global_seqno",
     "Tamis keeps a table's sequence number in the MANIFEST"},
    {"disable_consistency_checks", "Tamis always checks the order of tables"},
    {"enable_blob_files", "Tamis has no blob files"},
    {"decode_blob_index", "Tamis has no blob files"},
    {"dump_uncompressed_blobs", "Tamis has no blob files"},
    {"write_committed", "Tamis has no two-phase commit"},
};

const CommandTable kTable = {
    "--db=DIR [flags] COMMAND",
    "Reads and changes a database key by key, inspects its files, and repairs "
    "it.\nCommands, flags and output are those of RocksDB's ldb.\n",
    kCommands,
    kRefusedCommands,
    kRefusedFlags,
};

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  return tamis::RunTool({"tamis_ldb", nullptr, nullptr, &tamis::kTable}, argc,
                        argv);
}
