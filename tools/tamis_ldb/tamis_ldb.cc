// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb: reads and changes a database key by key, inspects its files, and
// repairs it. Its output is that of RocksDB's ldb, except for manifest_dump.
#include <cstdint>
#include <string>

#include "tools/tamis_ldb/data_commands.h"
#include "tools/tamis_ldb/file_commands.h"
#include "tools/tamis_ldb/filter_commands.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tool_main.h"

DEFINE_string(db, "", "the database's directory");
DEFINE_string(column_family, "default", "the family of the keys");
DEFINE_bool(hex, false, "keys and values are hex, with 0x in front");
DEFINE_bool(key_hex, false, "keys are hex");
DEFINE_bool(value_hex, false, "values are hex");
DEFINE_bool(create_if_missing, false, "put: make the database if needed");
DEFINE_string(from, "", "the first key");
DEFINE_string(to, "", "the key before which it ends");
DEFINE_int64(max_keys, -1, "at most this many; -1: all");
DEFINE_bool(no_value, false, "scan: keys alone");
DEFINE_bool(count_only, false, "dump, idump: only how many there are");
DEFINE_string(comparator, "bytewise", "the order of keys");
DEFINE_string(merge_operator, "", "by name, as stringappend, uint64add, max");
DEFINE_string(walfile, "", "dump_wal: the log");
DEFINE_bool(header, false, "dump_wal: print a line that names the columns");
DEFINE_bool(print_value, false, "dump_wal: values too");
DEFINE_string(path, "", "manifest_dump: the MANIFEST");
DEFINE_string(checkpoint_dir, "", "checkpoint: the directory to make");

namespace tamis {
namespace {

constexpr const char* kUsage =
    R"(usage: tamis_ldb --db=DIR [flags] COMMAND

  get KEY                  print the value; exit 1 when there is none
  put KEY VALUE            write it, print OK, as all below that change data
  delete KEY               remove it
  singledelete KEY         remove what was put once
  deleterange BEGIN END    remove from BEGIN on, up to but not with END
  merge KEY OPERAND        by the --merge_operator
  batchput (KEY VALUE)...  all at once
  scan                     print every KEY : VALUE in order
       [--from=KEY] [--to=KEY] [--max_keys=N]    from, and up to but not with
       [--no_value]
  dump                     print every KEY ==> VALUE, and how many there are
       [--from, --to, --max_keys] [--count_only]
  idump                    every version of every key, with its sequence number
                           [--from, --to, --max_keys] [--count_only]
  compact                  [--from] [--to]
  checkconsistency         open it with every table
  checkpoint               a copy that opens: --checkpoint_dir=DIR
  create_column_family NAME, drop_column_family NAME

  list_column_families     their names
  list_live_files_metadata tables, by level
  filters                  each table's filters by level, with bits per key and
                           predicted false positives, and sums
  manifest_dump            every edit on a line; [--path=MANIFEST]
  dump_wal                 every batch on a line; --walfile=LOG, in place of --db
       [--header] [--print_value]
  repair                   make a database of what still reads; what does not,
                           and what is replaced, goes to DIR/lost

  --column_family=NAME     whose keys; default: "default"
  --hex                    keys and values are written as 0x and hex digits
  --key_hex, --value_hex   just the keys; just the values
  --create_if_missing      put, batchput: make the database when there is none
  --comparator=NAME        bytewise (default) or reverse: of what is created, or
                           where the database does not say
  --merge_operator=NAME    stringappend, uint64add, max, or their whole names

exit codes: 0 right, 1 not found, corrupt or failed, 2 misused
)";

struct Command {
  const char* name;
  size_t words_min;
  size_t words_max;
  bool needs_db;
  int (*run)(const Call&);
};
constexpr size_t kAny = SIZE_MAX;
constexpr Command kCommands[] = {
    {"get", 1, 1, true, Get},
    {"put", 2, 2, true, Put},
    {"delete", 1, 1, true, Delete},
    {"singledelete", 1, 1, true, SingleDelete},
    {"deleterange", 2, 2, true, DeleteRange},
    {"merge", 2, 2, true, Merge},
    {"batchput", 2, kAny, true, BatchPut},
    {"scan", 0, 0, true, Scan},
    {"dump", 0, 0, true, Dump},
    {"compact", 0, 0, true, Compact},
    {"checkconsistency", 0, 0, true, CheckConsistency},
    {"checkpoint", 0, 0, true, MakeCheckpoint},
    {"create_column_family", 1, 1, true, CreateColumnFamily},
    {"drop_column_family", 1, 1, true, DropColumnFamily},
    {"list_column_families", 0, 0, true, ListColumnFamilies},
    {"list_live_files_metadata", 0, 0, true, ListLiveFilesMetadata},
    {"filters", 0, 0, true, Filters},
    {"manifest_dump", 0, 0, false, ManifestDump},
    {"dump_wal", 0, 0, false, DumpWal},
    {"idump", 0, 0, true, InternalDump},
    {"repair", 0, 0, true, Repair},
};

int Run(const std::vector<std::string>& words) {
  if (words.empty()) return Misused("no command");
  for (const Command& command : kCommands) {
    if (words[0] != command.name) continue;
    const size_t given = words.size() - 1;
    if (given < command.words_min || given > command.words_max) {
      return Misused(words[0] + " takes " + std::to_string(command.words_min) +
                     (command.words_max == kAny ? " or more" : "") +
                     " argument(s)");
    }
    if (command.needs_db && FLAGS_db.empty()) return Misused("--db is missing");
    return command.run({{words.begin() + 1, words.end()}});
  }
  return Misused("unknown command " + words[0]);
}

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  return tamis::RunTool({"tamis_ldb", tamis::kUsage, tamis::Run}, argc, argv);
}
