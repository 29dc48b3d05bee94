// SPDX-License-Identifier: Apache-2.0
//
// tamis_sst_dump: prints and verifies table files. Its output is that of
// RocksDB's sst_dump.
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "table/internal_key.h"
#include "tools/filter_report.h"
#include "tools/hex.h"
#include "tools/tamis_sst_dump/dump.h"
#include "tools/tamis_sst_dump/dump_flags.h"
#include "tools/tool_file_system.h"
#include "tools/tool_main.h"

namespace tamis {
namespace {

bool IsTableName(const std::string& name) {
  return name.ends_with(".sst") || name.ends_with(".ldb");
}

Result<std::vector<std::string>> TablesAt(const std::string& path) {
  std::vector<std::string> names;
  if (!ToolFileSystem()->GetChildren(path, &names).ok()) {
    return std::vector<std::string>{path};
  }
  std::vector<std::string> tables;
  for (const std::string& name : names) {
    if (!IsTableName(name)) continue;
    tables.push_back(path + (path.ends_with('/') ? "" : "/") + name);
  }
  if (tables.empty()) return Status::NotFound(path, "holds no table");
  std::sort(tables.begin(), tables.end());
  return tables;
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

Status ParseRecompress(RecompressPlan* plan) {
  plan->block_size = FLAGS_set_block_size;
  std::istringstream names(FLAGS_compression_types);
  if (!FLAGS_compression_types.empty()) plan->types.clear();
  for (std::string name; std::getline(names, name, ',');) {
    const Result<CompressionType> type = ParseCompressionType(name);
    if (!type.ok()) return type.status();
    plan->types.push_back(*type);
  }
  const bool from = IsGiven("compression_level_from");
  if (from != IsGiven("compression_level_to")) {
    return Status::InvalidArgument(
        "--compression_level_from and --compression_level_to are given "
        "together");
  }
  if (from && plan->types.size() != 1) {
    return Status::InvalidArgument(
        "levels are those of one codec: --compression_types names one");
  }
  plan->level_from = FLAGS_compression_level_from;
  plan->level_to = FLAGS_compression_level_to;
  if (plan->level_from > plan->level_to) {
    return Status::InvalidArgument(
        "--compression_level_from is above --compression_level_to");
  }
  plan->compression.max_dict_bytes = FLAGS_compression_max_dict_bytes;
  plan->compression.zstd_max_train_bytes =
      FLAGS_compression_zstd_max_train_bytes;
  plan->compression.max_dict_buffer_bytes =
      FLAGS_compression_max_dict_buffer_bytes;
  plan->compression.use_zstd_dict_trainer =
      !FLAGS_compression_use_zstd_finalize_dict;
  return Status::OK();
}

// Returns InvalidArgument for misuse.
Status ParseFlags(DumpRequest* request) {
  if (FLAGS_what_if && !FLAGS_probe_file.empty()) {
    return Status::InvalidArgument(
        "--what_if and --probe_file exclude each other");
  }
  if (!FLAGS_prefix.empty() && !FLAGS_from.empty()) {
    return Status::InvalidArgument("--prefix and --from exclude each other");
  }
  if (FLAGS_json && (FLAGS_command == "raw" || FLAGS_command == "filter")) {
    return Status::InvalidArgument(FLAGS_command + " has no --json");
  }
  if (FLAGS_compat == 7) request->form = TextForm::kRocksDB7;
  if (FLAGS_compat == 11) request->form = TextForm::kRocksDB11;
  if (FLAGS_read_num != 0) request->left = FLAGS_read_num;
  TAMIS_RETURN_IF_ERROR(ParseKey(FLAGS_from, &request->from));
  TAMIS_RETURN_IF_ERROR(ParseKey(FLAGS_to, &request->to));
  TAMIS_RETURN_IF_ERROR(ParseKey(FLAGS_prefix, &request->prefix));
  Result<std::shared_ptr<const SliceTransform>> extractor =
      ParseExtractor(FLAGS_prefix_extractor);
  if (!extractor.ok()) return extractor.status();
  request->extractor = *std::move(extractor);
  return ParseRecompress(&request->recompress);
}

int PrintInternalKey() {
  const Result<std::string> key = ParseHex(FLAGS_parse_internal_key);
  if (!key.ok()) return Misused(key.status().message());
  if (key->size() < kInternalKeyTailBytes) {
    return Misused(
        "an internal key has 8 bytes or more, --parse_internal_key " +
        std::to_string(key->size()));
  }
  const uint64_t tail = ExtractTail(*key);
  Print("key='" + ExtractUserKey(*key).ToString(true) +
        "' seq:" + std::to_string(tail >> 8) +
        ", type:" + std::to_string(tail & 0xff) + "\n");
  return kExitRight;
}

// The tables of one --file.
int DumpPath(const std::string& path, DumpRequest* request) {
  const Result<std::vector<std::string>> tables = TablesAt(path);
  if (!tables.ok()) return Failed(tables.status());
  // Continues with the other tables after an error.
  int code = kExitRight;
  std::vector<std::string> valid;
  for (const std::string& table : *tables) {
    const Status s = DumpFile(table, request);
    if (s.ok()) {
      valid.push_back(table);
    } else {
      code = Failed(s);
    }
  }
  if (FLAGS_command != "identify" || FLAGS_json) return code;
  if (!IsDirectory(path)) {
    if (!valid.empty()) Print(path + " is a valid SST file\n");
    return code;
  }
  Print("------------------------------\nList of valid SST files found in " +
        path + ":\n");
  for (const std::string& table : valid) Print(table + "\n");
  Print("Number of valid SST files: " + std::to_string(valid.size()) + "\n");
  return code;
}

int Run(const std::vector<std::string>& words) {
  if (!FLAGS_parse_internal_key.empty()) return PrintInternalKey();
  std::vector<std::string> paths = FLAGS_file;
  paths.insert(paths.end(), words.begin(), words.end());
  if (paths.empty()) return Misused("--file is missing");
  DumpRequest request;
  const Status parsed = ParseFlags(&request);
  if (!parsed.ok()) return Misused(parsed.message());
  if (!FLAGS_probe_file.empty()) {
    Result<std::vector<std::string>> keys = ReadProbeKeys(FLAGS_probe_file);
    if (!keys.ok()) return Failed(keys.status());
    request.probes = *std::move(keys);
  }
  int code = kExitRight;
  for (const std::string& path : paths) {
    code = std::max(code, DumpPath(path, &request));
  }
  return code;
}

constexpr Refusal kRefusedFlags[] = {
    {"verify_checksum", "every block that is read has its checksum compared"},
    {"env_uri", "a path in a Ceph cluster is --file=rados://POOL/VOLUME/PATH"},
    {"fs_uri", "a path in a Ceph cluster is --file=rados://POOL/VOLUME/PATH"},
    {"decode_blob_index", "Tamis has no blob files"},
};

const CommandTable kTable = {
    "--file=PATH [--command=COMMAND] [flags] [PATH]...",
    "Prints and verifies table files. Flags and output are those of RocksDB's "
    "sst_dump.\n",
    {},
    {},
    kRefusedFlags,
};

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  return tamis::RunToolOfFiles(
      {"tamis_sst_dump", nullptr, tamis::Run, &tamis::kTable}, argc, argv);
}
