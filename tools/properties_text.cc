// SPDX-License-Identifier: Apache-2.0
#include "tools/properties_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "tamis/slice.h"

#include "tools/json_text.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

// Shows "0" for 0 / 0, as users expect.
std::string Average(uint64_t sum, uint64_t count) {
  return std::to_string(
      count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count));
}

std::string Or(const std::string& value, const char* otherwise) {
  return value.empty() ? otherwise : value;
}

std::string Family(uint64_t id) {
  return id == TableProperties().column_family_id ? "N/A" : std::to_string(id);
}

std::string IndexTitle(const TableProperties& p) {
  return std::string("index block size (user-key? ") +
         (p.index_key_is_user_key ? "1" : "0") + ", delta-value? " +
         (p.index_value_is_delta_encoded ? "1" : "0") + ")";
}

// Estimated data size under a fast or slow codec, from samples; 0: not sampled.
uint64_t Estimate(const TableProperties& p, const std::string& speed) {
  const auto found = p.user_collected_properties.find(
      "rocksdb.sample_for_compression." + speed + ".data.size");
  if (found == p.user_collected_properties.end()) return 0;
  Decoder in(found->second);
  const uint64_t bytes = in.Varint64();
  return in.ok() ? bytes : 0;
}

std::optional<uint64_t> StoredNumber(const StoredProperties& stored,
                                     const std::string& name) {
  const auto found = stored.find("rocksdb." + name);
  if (found == stored.end()) return std::nullopt;
  Decoder in(found->second);
  const uint64_t number = in.Varint64();
  return in.ok() ? std::optional(number) : std::nullopt;
}

// Names after "rocksdb." that RocksDB 7 shows as lines of their own.
const std::set<std::string>& ShownBySeven() {
  static const std::set<std::string> names = {
      "column.family.id",
      "column.family.name",
      "comparator",
      "compression",
      "compression_options",
      "creating.db.identity",
      "creating.host.identity",
      "creating.session.identity",
      "creation.time",
      "data.size",
      "file.creation.time",
      "filter.policy",
      "filter.size",
      "fixed.key.length",
      "format.version",
      "index.key.is.user.key",
      "index.partitions",
      "index.size",
      "index.value.is.delta.encoded",
      "merge.operator",
      "num.data.blocks",
      "num.entries",
      "num.filter_entries",
      "num.range-deletions",
      "oldest.key.time",
      "original.file.number",
      "prefix.extractor.name",
      "property.collectors",
      "raw.key.size",
      "raw.value.size",
      "sample_for_compression.fast.data.size",
      "sample_for_compression.slow.data.size",
      "seqno.time.map",
      "top-level.index.size",
  };
  return names;
}

// What RocksDB 11 adds to them.
const std::set<std::string>& ShownByEleven() {
  static const std::set<std::string> names = {
      "data.block.restart.interval",
      "index.block.restart.interval",
      "key.largest.seqno",
      "key.smallest.seqno",
      "newest.key.time",
      "num.data.blocks.compression.bypassed",
      "num.data.blocks.compression.rejected",
      "num.uniform.blocks",
      "tail.start.offset",
      "uncompressed.data.size",
      "user.defined.timestamps.persisted",
  };
  return names;
}

bool IsShown(const std::string& full_name, TextForm form) {
  constexpr std::string_view kNamePrefix = "rocksdb.";
  if (!full_name.starts_with(kNamePrefix)) return false;
  const std::string name = full_name.substr(kNamePrefix.size());
  return ShownBySeven().contains(name) ||
         (form == TextForm::kRocksDB11 && ShownByEleven().contains(name));
}

// Of the properties that further lines show, those that hold a varint64.
bool IsNumber(const std::string& full_name) {
  static const std::set<std::string> names = {
      "rocksdb.deleted.keys",
      "rocksdb.merge.operands",
  };
  if (names.contains(full_name)) return true;
  constexpr std::string_view kNamePrefix = "rocksdb.";
  return full_name.starts_with(kNamePrefix) &&
         full_name != "rocksdb.user.defined.timestamps.persisted" &&
         ShownByEleven().contains(full_name.substr(kNamePrefix.size()));
}

std::string IndexTypeName(const std::string& value) {
  constexpr const char* kNames[] = {"kBinarySearch", "kHashSearch",
                                    "kTwoLevelIndexSearch",
                                    "kBinarySearchWithFirstKey"};
  Decoder in(value);
  const uint32_t type = in.Fixed32();
  return in.ok() && type < std::size(kNames) ? kNames[type] : "";
}

// As in JSON.
bool IsDecimal(const std::string& text) {
  const size_t digits = text.find_first_not_of("0123456789");
  const bool leading = text.size() > 1 && text[0] == '0' && text[1] != '.';
  if (text.empty() || digits == 0 || leading) return false;
  return digits == std::string::npos ||
         (text[digits] == '.' && digits + 1 < text.size() &&
          text.find_first_not_of("0123456789", digits + 1) ==
              std::string::npos);
}

std::string ValueText(const std::string& name, const std::string& value) {
  if (name == "rocksdb.block.based.table.index.type") {
    const std::string type = IndexTypeName(value);
    if (!type.empty()) return type;
  }
  // Those of tables for ingestion have a fixed size.
  if (name.starts_with("rocksdb.external_sst_file.")) {
    if (value.size() == 4) return std::to_string(DecodeFixed32(value.data()));
    if (value.size() == 8) return std::to_string(DecodeFixed64(value.data()));
  }
  if (IsNumber(name)) {
    Decoder in(value);
    const uint64_t number = in.Varint64();
    if (in.ok() && in.empty()) return std::to_string(number);
  }
  const bool printable =
      !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
        return c >= 0x20 && c < 0x7f;
      });
  return printable ? value : "0x" + Slice(value).ToString(true);
}

}  // namespace

std::string PropertiesText(const TableProperties& p,
                           const StoredProperties& stored, TextForm form) {
  const bool eleven = form == TextForm::kRocksDB11;
  std::string out;
  const auto line = [&out](const std::string& name, const std::string& value) {
    out += "  " + name + ": " + value + "\n";
  };
  const auto number = [&line](const std::string& name, uint64_t value) {
    line(name, std::to_string(value));
  };
  // A line of RocksDB 11.
  const auto newer = [&](const std::string& title, const std::string& name,
                         uint64_t otherwise) {
    if (eleven) number(title, StoredNumber(stored, name).value_or(otherwise));
  };
  number("# data blocks", p.num_data_blocks);
  newer("# data blocks compression rejected",
        "num.data.blocks.compression.rejected", 0);
  newer("# data blocks compression bypassed",
        "num.data.blocks.compression.bypassed", 0);
  newer("# uniform blocks", "num.uniform.blocks", 0);
  number("# entries", p.num_entries);
  number("# deletions", p.num_deletions);
  number("# merge operands", p.num_merge_operands);
  number("# range deletions", p.num_range_deletions);
  number("raw key size", p.raw_key_size);
  line("raw average key size", Average(p.raw_key_size, p.num_entries));
  number("raw value size", p.raw_value_size);
  line("raw average value size", Average(p.raw_value_size, p.num_entries));
  number("data block size", p.data_size);
  newer("data uncompressed size", "uncompressed.data.size", 0);
  number(IndexTitle(p), p.index_size);
  if (p.index_partitions != 0) {
    number("# index partitions", p.index_partitions);
    number("top-level index size", p.top_level_index_size);
  }
  number("filter block size", p.filter_size);
  number("# entries for filter", p.num_filter_entries);
  number("(estimated) table size", p.data_size + p.index_size + p.filter_size);
  line("filter policy name", Or(p.filter_policy_name, "N/A"));
  line("prefix extractor name", Or(p.prefix_extractor_name, "N/A"));
  line("column family ID", Family(p.column_family_id));
  line("column family name", Or(p.column_family_name, "N/A"));
  line("comparator name", Or(p.comparator_name, "N/A"));
  if (eleven) line("user defined timestamps persisted", "true");
  newer("largest sequence number in file", "key.largest.seqno", UINT64_MAX);
  newer("smallest sequence number in file", "key.smallest.seqno", UINT64_MAX);
  line("merge operator name", Or(p.merge_operator_name, "N/A"));
  line("property collectors names", Or(p.property_collectors_names, "N/A"));
  line("SST file compression algo", Or(p.compression_name, "N/A"));
  line("SST file compression options", Or(p.compression_options, "N/A"));
  number("creation time", p.creation_time);
  number("time stamp of earliest key", p.oldest_key_time);
  newer("time stamp of newest key", "newest.key.time", 0);
  number("file creation time", p.file_creation_time);
  number("slow compression estimated data size", Estimate(p, "slow"));
  number("fast compression estimated data size", Estimate(p, "fast"));
  line("DB identity", p.db_id);
  line("DB session identity", p.db_session_id);
  line("DB host id", p.db_host_id);
  number("original file number", p.orig_file_number);
  return out;
}

std::string FurtherPropertiesText(const StoredProperties& stored) {
  std::string out;
  for (const auto& [name, value] : stored) {
    if (IsShown(name, TextForm::kOwn)) continue;
    out += "  " + name + ": " + ValueText(name, value) + "\n";
  }
  return out;
}

std::string RawPropertiesText(const StoredProperties& stored, TextForm form) {
  std::string out;
  for (const auto& [name, value] : stored) {
    if (IsShown(name, form)) continue;
    out += "  # " + name + ": 0x" + Slice(value).ToString(true) + "\n";
  }
  return out;
}

std::string PropertiesJson(const TableProperties& properties,
                           const StoredProperties& stored) {
  JsonObject object;
  std::istringstream lines(
      PropertiesText(properties, stored, TextForm::kRocksDB11) +
      RawPropertiesText(stored, TextForm::kRocksDB11));
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    size_t begin = line.find_first_not_of(' ');
    if (line.compare(begin, 2, "# ") == 0) begin += 2;
    const std::string name = line.substr(begin, colon - begin);
    std::string value = line.substr(colon + 2);
    const auto found = stored.find(name);
    if (found != stored.end()) value = ValueText(name, found->second);
    if (IsDecimal(value)) {
      object.Value(name, value);
    } else {
      object.Text(name, value);
    }
  }
  return object.ToString();
}

}  // namespace tamis
