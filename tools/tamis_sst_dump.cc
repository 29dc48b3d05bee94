// SPDX-License-Identifier: Apache-2.0
//
// tamis_sst_dump: prints and verifies table files. Its output is that of
// RocksDB's sst_dump.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <gflags/gflags.h>

#include "tools/filter_report.h"
#include "tools/hex.h"
#include "tools/properties_text.h"
#include "tools/raw_table.h"
#include "tools/table_dump.h"
#include "tools/table_facts.h"
#include "tools/tool_main.h"

using tamis::Among;
using tamis::Between;

TAMIS_FLAG(string, file, "", "PATH", "a table, or a folder of them");
TAMIS_FLAG(
    string, command, "scan", "COMMAND",
    "scan: print every entry, 'KEY' seq:N, type:T => VALUE; verify: read "
    "every block, compare checksums, order and counts; raw: write all "
    "that is in the table to PATH_dump.txt; filter: what its filter is, "
    "and with --probe_file what it answers; properties: what the table "
    "says of itself; none: open it",
    Among({"scan", "verify", "raw", "filter", "properties", "none"}));
TAMIS_FLAG(bool, output_hex, false, "", "keys and values in hex");
TAMIS_FLAG(bool, input_key_hex, false, "",
           "--from and --to are 0x and hex digits");
TAMIS_FLAG(uint64, read_num, 0, "N",
           "at most this many entries in all; 0: all");
TAMIS_FLAG(string, from, "", "KEY", "scan: the first user key");
TAMIS_FLAG(string, to, "", "KEY", "scan: the user key before which it ends");
TAMIS_FLAG(bool, show_properties, false, "", "print the properties, too");
TAMIS_FLAG(string, output, "", "PATH", "raw: where to; -: stdout");
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

namespace tamis {
namespace {

// The parsed flags.
struct Probes {
  std::shared_ptr<const SliceTransform> extractor;
  std::vector<std::string> keys;
};

struct ScanRange {
  std::string from;
  std::string to;
  uint64_t left = std::numeric_limits<uint64_t>::max();
};

bool IsTableName(const std::filesystem::path& path) {
  return path.extension() == ".sst" || path.extension() == ".ldb";
}

Result<std::vector<std::string>> TablesAt(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return std::vector<std::string>{path};
  }
  std::vector<std::string> tables;
  std::filesystem::directory_iterator it(path, error);
  for (; !error && it != std::filesystem::directory_iterator();
       it.increment(error)) {
    if (IsTableName(it->path())) tables.push_back(it->path().string());
  }
  if (error) return Status::IOError(path, error.message());
  if (tables.empty()) return Status::NotFound(path, "holds no table");
  std::sort(tables.begin(), tables.end());
  return tables;
}

std::string EntryLine(const Slice& internal_key, const Slice& value) {
  const uint64_t tail = ExtractTail(internal_key);
  return "'" + ExtractUserKey(internal_key).ToString(FLAGS_output_hex) +
         "' seq:" + std::to_string(tail >> 8) +
         ", type:" + std::to_string(tail & 0xff) + " => " +
         value.ToString(FLAGS_output_hex) + "\n";
}

Status Scan(const RawTable& table, ScanRange* range) {
  if (range->left == 0) return Status::OK();
  return table.ForEachRow(
      range->from, [&](const Slice& key, const Slice& value) {
        if (!range->to.empty() && table.order().CompareUserKeys(
                                      ExtractUserKey(key), range->to) >= 0) {
          return false;
        }
        Print(EntryLine(key, value));
        return --range->left != 0;
      });
}

Status Verify(const RawTable& table) {
  TAMIS_RETURN_IF_ERROR(table.Verify());
  TAMIS_RETURN_IF_ERROR(ReadFilterFacts(table).status());
  Print("The file is ok\n");
  return Status::OK();
}

Status Raw(const RawTable& table) {
  if (FLAGS_output == "-") return DumpTable(table, Print);
  std::string path = FLAGS_output;
  if (path.empty()) {
    path = std::filesystem::path(table.path()).replace_extension().string() +
           "_dump.txt";
  }
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  TAMIS_RETURN_IF_ERROR(
      DumpTable(table, [&out](std::string_view text) { out << text; }));
  out.close();
  if (!out) return Status::IOError(path, "cannot be written");
  Print("raw dump written to file " + path + "\n");
  return Status::OK();
}

Status Filter(const RawTable& table, const Probes& probes) {
  if (FLAGS_what_if) return ReportWhatIf(table, FLAGS_what_if_stored, Print);
  if (FLAGS_probe_file.empty()) return ReportFilter(table, Print);
  return ProbeFilter(table, probes.extractor, probes.keys, Print);
}

// True if only the result is printed, for another program.
bool IsBareOutput() {
  return (FLAGS_command == "raw" && FLAGS_output == "-") ||
         (FLAGS_command == "filter" && !FLAGS_probe_file.empty());
}

Status Process(const std::string& path, const Probes& probes,
               ScanRange* range) {
  const bool to_stdout = IsBareOutput();
  if (!to_stdout) Print("Process " + path + "\n");
  Result<std::unique_ptr<RawTable>> table = RawTable::Open(path);
  if (!table.ok()) return table.status();
  if (!to_stdout) {
    Print("Sst file format: block-based\n");
  }
  if (FLAGS_command == "scan") {
    Print("from [" + Slice(range->from).ToString(true) + "] to [" +
          Slice(range->to).ToString(true) + "]\n");
    TAMIS_RETURN_IF_ERROR(Scan(**table, range));
  } else if (FLAGS_command == "verify") {
    TAMIS_RETURN_IF_ERROR(Verify(**table));
  } else if (FLAGS_command == "raw") {
    TAMIS_RETURN_IF_ERROR(Raw(**table));
  } else if (FLAGS_command == "filter") {
    TAMIS_RETURN_IF_ERROR(Filter(**table, probes));
  }
  if (FLAGS_show_properties || FLAGS_command == "properties") {
    Print("Table Properties:\n------------------------------\n" +
          PropertiesText((*table)->properties()) +
          FurtherPropertiesText((*table)->properties()));
  }
  return Status::OK();
}

Status ParseKey(const std::string& text, std::string* key) {
  if (!FLAGS_input_key_hex || text.empty()) {
    *key = text;
    return Status::OK();
  }
  Result<std::string> bytes = ParseHex(text);
  if (!bytes.ok()) return bytes.status();
  *key = *std::move(bytes);
  return Status::OK();
}

int Run(const std::vector<std::string>& words) {
  if (!words.empty()) return Misused("unexpected argument '" + words[0] + "'");
  if (FLAGS_file.empty()) return Misused("--file is missing");
  if (FLAGS_what_if && !FLAGS_probe_file.empty()) {
    return Misused("--what_if and --probe_file exclude each other");
  }
  ScanRange range;
  if (FLAGS_read_num != 0) range.left = FLAGS_read_num;
  for (const auto& [text, key] :
       {std::pair{FLAGS_from, &range.from}, std::pair{FLAGS_to, &range.to}}) {
    const Status parsed = ParseKey(text, key);
    if (!parsed.ok()) return Misused(parsed.message());
  }
  Probes probes;
  Result<std::shared_ptr<const SliceTransform>> extractor =
      ParseExtractor(FLAGS_prefix_extractor);
  if (!extractor.ok()) return Misused(extractor.status().message());
  probes.extractor = *std::move(extractor);
  if (!FLAGS_probe_file.empty()) {
    Result<std::vector<std::string>> keys = ReadProbeKeys(FLAGS_probe_file);
    if (!keys.ok()) return Failed(keys.status());
    probes.keys = *std::move(keys);
  }
  Result<std::vector<std::string>> tables = TablesAt(FLAGS_file);
  if (!tables.ok()) return Failed(tables.status());
  // Continues with the other tables after an error.
  int code = kExitRight;
  for (const std::string& table : *tables) {
    const Status s = Process(table, probes, &range);
    if (!s.ok()) code = Failed(s);
  }
  return code;
}

const CommandTable kTable = {
    "--file=PATH [--command=COMMAND] [flags]",
    "Prints and verifies table files. Flags and output are those of RocksDB's "
    "sst_dump.\n",
};

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  return tamis::RunTool({"tamis_sst_dump", nullptr, tamis::Run, &tamis::kTable},
                        argc, argv);
}
