// SPDX-License-Identifier: Apache-2.0
#include "tools/properties_text.h"

#include <cstdint>

#include "tamis/slice.h"

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

}  // namespace

std::string PropertiesText(const TableProperties& p) {
  std::string out;
  const auto line = [&out](const std::string& name, const std::string& value) {
    out += "  " + name + ": " + value + "\n";
  };
  const auto number = [&line](const std::string& name, uint64_t value) {
    line(name, std::to_string(value));
  };
  number("# data blocks", p.num_data_blocks);
  number("# entries", p.num_entries);
  number("# deletions", p.num_deletions);
  number("# merge operands", p.num_merge_operands);
  number("# range deletions", p.num_range_deletions);
  number("raw key size", p.raw_key_size);
  line("raw average key size", Average(p.raw_key_size, p.num_entries));
  number("raw value size", p.raw_value_size);
  line("raw average value size", Average(p.raw_value_size, p.num_entries));
  number("data block size", p.data_size);
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
  line("merge operator name", Or(p.merge_operator_name, "N/A"));
  line("property collectors names", Or(p.property_collectors_names, "N/A"));
  line("SST file compression algo", Or(p.compression_name, "N/A"));
  line("SST file compression options", Or(p.compression_options, "N/A"));
  number("creation time", p.creation_time);
  number("time stamp of earliest key", p.oldest_key_time);
  number("file creation time", p.file_creation_time);
  number("slow compression estimated data size", Estimate(p, "slow"));
  number("fast compression estimated data size", Estimate(p, "fast"));
  line("DB identity", p.db_id);
  line("DB session identity", p.db_session_id);
  line("DB host id", p.db_host_id);
  number("original file number", p.orig_file_number);
  return out;
}

std::string FurtherPropertiesText(const TableProperties& p) {
  std::string out;
  for (const auto& [name, value] : p.user_collected_properties) {
    out += "  " + name + ": 0x" + Slice(value).ToString(true) + "\n";
  }
  return out;
}

}  // namespace tamis
