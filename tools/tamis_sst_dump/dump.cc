// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_sst_dump/dump.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "tamis/comparator.h"

#include "tools/block_map.h"
#include "tools/filter_report.h"
#include "tools/json_text.h"
#include "tools/raw_table.h"
#include "tools/table_dump.h"
#include "tools/table_facts.h"
#include "tools/tamis_sst_dump/dump_flags.h"
#include "tools/tool_main.h"

namespace tamis {
namespace {

// In RocksDB's words.
std::string FormatText(TableFormat format) {
  return format == TableFormat::kBlockBased
             ? "block-based"
             : std::string(TableFormatName(format)) + " table";
}

std::string EntryLine(const Slice& internal_key, const Slice& value) {
  const uint64_t tail = ExtractTail(internal_key);
  const Slice key = ExtractUserKey(internal_key);
  if (FLAGS_json) {
    JsonObject entry;
    entry.Text("key", key.ToString(true))
        .Number("seq", tail >> 8)
        .Number("type", tail & 0xff)
        .Text("value", value.ToString(true));
    return entry.ToString() + "\n";
  }
  return "'" + key.ToString(FLAGS_output_hex) +
         "' seq:" + std::to_string(tail >> 8) +
         ", type:" + std::to_string(tail & 0xff) + " => " +
         value.ToString(FLAGS_output_hex) + "\n";
}

// One table: what is printed of it, and what its JSON object has.
class Dump {
 public:
  Dump(const std::string& path, DumpRequest* request)
      : path_(path), request_(request) {}

  Status Run() {
    Say("Process " + path_ + "\n");
    Status s = Open();
    if (s.ok()) s = Command();
    if (s.ok()) s = Further();
    if (FLAGS_json && FLAGS_command != "scan") {
      JsonObject object;
      object.Text("file", path_).Text("status", s.ToString());
      if (table_ != nullptr) {
        object.Number("bytes", table_->size_bytes())
            .Number("format_version", table_->footer().format_version);
      }
      for (const auto& [name, value] : members_) object.Value(name, value);
      Print(object.ToString() + "\n");
    }
    return s;
  }

 private:
  // Prints for people, unless only the result is to be printed, for another
  // program.
  void Say(const std::string& text) const {
    const bool bare = FLAGS_json ||
                      (FLAGS_command == "raw" && FLAGS_output == "-") ||
                      (FLAGS_command == "filter" && !FLAGS_probe_file.empty());
    if (!bare) Print(text);
  }

  Status Open() {
    Result<std::unique_ptr<RawTable>> table = RawTable::Open(path_);
    if (!table.ok()) return table.status();
    table_ = *std::move(table);
    Say(std::string("Sst file format: ") + FormatText(table_->format()) + "\n");
    return Status::OK();
  }

  Status Command() {
    if (FLAGS_command == "check" || FLAGS_command == "scan") return Scan();
    if (FLAGS_command == "verify") return Verify();
    if (FLAGS_command == "raw") return Raw();
    if (FLAGS_command == "recompress") return Sizes();
    if (FLAGS_command == "layout") return Layout();
    if (FLAGS_command == "filter") return Filter();
    return Status::OK();
  }

  Status Scan() {
    const bool print = FLAGS_command == "scan";
    const std::string& prefix = request_->prefix;
    // In another order, keys of the prefix may come before it.
    const bool bytewise =
        table_->order().user_comparator() == BytewiseComparator();
    const std::string from =
        bytewise && !prefix.empty() ? prefix : request_->from;
    Say("from [" + Slice(prefix.empty() ? from : prefix).ToString(true) +
        "] to [" + Slice(request_->to).ToString(true) + "]\n");
    uint64_t entries = 0;
    Status s;
    if (request_->left != 0) {
      s = table_->ForEachRow(from, [&](const Slice& key, const Slice& value) {
        const Slice user_key = ExtractUserKey(key);
        if (!request_->to.empty() &&
            table_->order().CompareUserKeys(user_key, request_->to) >= 0) {
          return false;
        }
        if (!user_key.starts_with(prefix)) return !bytewise;
        ++entries;
        if (print) Print(EntryLine(key, value));
        return --request_->left != 0;
      });
    }
    members_.emplace_back("entries", std::to_string(entries));
    return s;
  }

  Status Verify() {
    uint64_t entries = 0;
    TAMIS_RETURN_IF_ERROR(table_->Verify(&entries));
    TAMIS_RETURN_IF_ERROR(ReadFilterFacts(*table_).status());
    Say("The file is ok\n");
    members_.emplace_back("entries", std::to_string(entries));
    return Status::OK();
  }

  Status Raw() {
    if (FLAGS_output == "-") return DumpTable(*table_, request_->form, Print);
    std::string path = FLAGS_output;
    if (path.empty()) {
      path = std::filesystem::path(path_).replace_extension().string() +
             "_dump.txt";
    }
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    const Status dumped =
        DumpTable(*table_, request_->form,
                  [&out](std::string_view text) { out << text; });
    out.close();
    TAMIS_RETURN_IF_ERROR(dumped);
    if (!out) return Status::IOError(path, "cannot be written");
    Say("raw dump written to file " + path + "\n");
    return Status::OK();
  }

  Status Sizes() {
    Say("Block Size: " + std::to_string(request_->recompress.block_size) +
        "\n");
    std::vector<std::string> rows;
    const Status s = Recompress(
        *table_, request_->recompress,
        [this](CompressionType type) {
          std::string name = CompressionEnumName(type);
          name.resize(std::max<size_t>(name.size(), 24), ' ');
          Say("Compression: " + name + "\n");
        },
        [this](CompressionType type) {
          Say("Unsupported compression type: " + CompressionEnumName(type) +
              ".\n");
        },
        [this, &rows](const Recompressed& result) {
          Say(RecompressedLine(result));
          rows.push_back(RecompressedJson(result));
        });
    members_.emplace_back("recompressed", JsonArray(rows));
    return s;
  }

  Status Layout() {
    const Result<std::vector<MappedBlock>> blocks = MapBlocks(*table_);
    if (!blocks.ok()) return blocks.status();
    Say(BlockMapText(*blocks));
    members_.emplace_back("blocks", BlockMapJson(*blocks));
    return Status::OK();
  }

  Status Filter() {
    if (FLAGS_what_if) {
      return ReportWhatIf(*table_, FLAGS_what_if_stored, Print);
    }
    if (FLAGS_probe_file.empty()) return ReportFilter(*table_, Print);
    return ProbeFilter(*table_, request_->extractor, request_->probes, Print);
  }

  Status Further() {
    const TableProperties& properties = table_->properties();
    if (FLAGS_list_meta_blocks) {
      Say("Meta blocks:\n------------------------------\n" +
          MetaBlocksText(*table_));
      std::vector<std::string> rows;
      for (const RawTable::MetaBlock& block : table_->metaindex()) {
        JsonObject row;
        row.Text("name", block.name)
            .Number("offset", block.handle.offset)
            .Number("size", block.handle.size);
        rows.push_back(row.ToString());
      }
      members_.emplace_back("meta_blocks", JsonArray(rows));
    }
    if (!FLAGS_show_properties && FLAGS_command != "properties") {
      return Status::OK();
    }
    const StoredProperties& stored = table_->stored_properties();
    const TextForm form = request_->form;
    std::string text = "Table Properties:\n------------------------------\n" +
                       PropertiesText(properties, stored, form);
    if (form == TextForm::kOwn) {
      text += FurtherPropertiesText(stored);
    } else {
      text +=
          "  Sequence number to time mapping: \n"
          "  Raw user collected properties\n"
          "------------------------------\n" +
          RawPropertiesText(stored, form);
    }
    Say(text);
    members_.emplace_back("properties", PropertiesJson(properties, stored));
    return Status::OK();
  }

  const std::string path_;
  DumpRequest* const request_;
  std::unique_ptr<RawTable> table_;
  std::vector<std::pair<std::string, std::string>> members_;  // JSON
};

}  // namespace

Status DumpFile(const std::string& path, DumpRequest* request) {
  return Dump(path, request).Run();
}

}  // namespace tamis
