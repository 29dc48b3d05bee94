// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb: reads and changes a database key by key, inspects its files, and
// repairs it. Its output is that of RocksDB's ldb, except for manifest_dump.
#include "tools/tamis_ldb/data_commands.h"
#include "tools/tamis_ldb/file_commands.h"
#include "tools/tamis_ldb/filter_commands.h"
#include "tools/tool_main.h"

namespace tamis {
namespace {

// The flags that commands share.
constexpr const char* kNeedsDb = "db! wal_dir";
constexpr const char* kFamily = "column_family";
constexpr const char* kOrder = "comparator merge_operator";
constexpr const char* kHex = "hex key_hex value_hex";
constexpr const char* kKeyHex = "hex key_hex";
constexpr const char* kRange = "from to";

const Command kCommands[] = {
    {"get",
     "KEY",
     1,
     1,
     "print the value; exit 1 when there is none",
     {kNeedsDb, kFamily, kOrder, kHex},
     Get},
    {"put",
     "KEY VALUE",
     2,
     2,
     "write it, print OK, as all below that change data",
     {kNeedsDb, kFamily, kOrder, kHex, "create_if_missing"},
     Put},
    {"delete",
     "KEY",
     1,
     1,
     "remove it",
     {kNeedsDb, kFamily, kOrder, kKeyHex},
     Delete},
    {"singledelete",
     "KEY",
     1,
     1,
     "remove what was put once",
     {kNeedsDb, kFamily, kOrder, kKeyHex},
     SingleDelete},
    {"deleterange",
     "BEGIN END",
     2,
     2,
     "remove from BEGIN on, up to but not with END",
     {kNeedsDb, kFamily, kOrder, kKeyHex},
     DeleteRange},
    {"merge",
     "KEY OPERAND",
     2,
     2,
     "by the --merge_operator",
     {kNeedsDb, kFamily, kOrder, kHex},
     Merge},
    {"batchput",
     "KEY VALUE [KEY VALUE]...",
     2,
     Command::kAny,
     "all at once",
     {kNeedsDb, kFamily, kOrder, kHex, "create_if_missing"},
     BatchPut},
    {"scan",
     "",
     0,
     0,
     "print every KEY : VALUE in order",
     {kNeedsDb, kFamily, kOrder, kHex, kRange, "max_keys no_value"},
     Scan},
    {"dump",
     "",
     0,
     0,
     "print every KEY ==> VALUE, and how many there are",
     {kNeedsDb, kFamily, kOrder, kHex, kRange, "max_keys count_only"},
     Dump},
    {"idump",
     "",
     0,
     0,
     "every version of every key, with its sequence number",
     {kNeedsDb, kFamily, kOrder, kHex, kRange, "max_keys count_only"},
     InternalDump},
    {"compact",
     "",
     0,
     0,
     "compact the keys of the range",
     {kNeedsDb, kFamily, kOrder, kKeyHex, kRange},
     Compact},
    {"checkconsistency",
     "",
     0,
     0,
     "open it with every table",
     {kNeedsDb, kFamily, kOrder},
     CheckConsistency},
    {"checkpoint",
     "",
     0,
     0,
     "make a copy that opens",
     {kNeedsDb, kOrder, "checkpoint_dir!"},
     MakeCheckpoint},
    {"create_column_family",
     "NAME",
     1,
     1,
     "add a family without keys",
     {kNeedsDb, kOrder},
     CreateColumnFamily},
    {"drop_column_family",
     "NAME",
     1,
     1,
     "remove a family with its keys",
     {kNeedsDb, kOrder},
     DropColumnFamily},
    {"list_column_families",
     "",
     0,
     0,
     "their names",
     {kNeedsDb},
     ListColumnFamilies},
    {"list_live_files_metadata",
     "",
     0,
     0,
     "tables, by level",
     {kNeedsDb, kOrder},
     ListLiveFilesMetadata},
    {"filters",
     "",
     0,
     0,
     "each table's filters by level, with bits per key and predicted false "
     "positives, and sums",
     {kNeedsDb, kOrder},
     Filters},
    {"manifest_dump",
     "",
     0,
     0,
     "every edit on a line",
     {"db path"},
     ManifestDump},
    {"dump_wal",
     "",
     0,
     0,
     "every batch on a line",
     {"db walfile! header print_value"},
     DumpWal},
    {"repair",
     "",
     0,
     0,
     "make a database of what still reads; what does not, and what is "
     "replaced, goes to DIR/lost",
     {kNeedsDb, kOrder},
     Repair},
};

constexpr Refusal kRefusedCommands[] = {
    {"backup", "Tamis has no backup engine; checkpoint makes a copy"},
    {"restore", "Tamis has no backup engine; a checkpoint opens as it is"},
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
