// SPDX-License-Identifier: Apache-2.0
#include "table/properties.h"

#include <limits>
#include <map>
#include <utility>

#include "table/block_builder.h"
#include "util/coding/coding.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

// Whether a number is written if it is zero.
enum class Presence : uint8_t { kAlways, kNonZero };

struct NumberProperty {
  const char* name;
  uint64_t TableProperties::*field;
  Presence presence;
};

constexpr NumberProperty kNumbers[] = {
    {"rocksdb.column.family.id", &TableProperties::column_family_id,
     Presence::kAlways},
    {"rocksdb.creation.time", &TableProperties::creation_time,
     Presence::kAlways},
    {"rocksdb.data.size", &TableProperties::data_size, Presence::kAlways},
    {"rocksdb.deleted.keys", &TableProperties::num_deletions,
     Presence::kAlways},
    {"rocksdb.file.creation.time", &TableProperties::file_creation_time,
     Presence::kNonZero},
    {"rocksdb.filter.size", &TableProperties::filter_size, Presence::kAlways},
    {"rocksdb.fixed.key.length", &TableProperties::fixed_key_len,
     Presence::kAlways},
    {"rocksdb.format.version", &TableProperties::format_version,
     Presence::kAlways},
    {"rocksdb.index.partitions", &TableProperties::index_partitions,
     Presence::kNonZero},
    {"rocksdb.index.size", &TableProperties::index_size, Presence::kAlways},
    {"rocksdb.merge.operands", &TableProperties::num_merge_operands,
     Presence::kAlways},
    {"rocksdb.num.data.blocks", &TableProperties::num_data_blocks,
     Presence::kAlways},
    {"rocksdb.num.entries", &TableProperties::num_entries, Presence::kAlways},
    {"rocksdb.num.filter_entries", &TableProperties::num_filter_entries,
     Presence::kAlways},
    {"rocksdb.num.range-deletions", &TableProperties::num_range_deletions,
     Presence::kAlways},
    {"rocksdb.oldest.key.time", &TableProperties::oldest_key_time,
     Presence::kAlways},
    {"rocksdb.original.file.number", &TableProperties::orig_file_number,
     Presence::kAlways},
    {"rocksdb.raw.key.size", &TableProperties::raw_key_size, Presence::kAlways},
    {"rocksdb.raw.value.size", &TableProperties::raw_value_size,
     Presence::kAlways},
    {"rocksdb.tail.start.offset", &TableProperties::tail_start_offset,
     Presence::kNonZero},
    {"rocksdb.top-level.index.size", &TableProperties::top_level_index_size,
     Presence::kNonZero},
};

// Booleans encoded as varints.
struct FlagProperty {
  const char* name;
  bool TableProperties::*field;
};

constexpr FlagProperty kFlags[] = {
    {"rocksdb.index.key.is.user.key", &TableProperties::index_key_is_user_key},
    {"rocksdb.index.value.is.delta.encoded",
     &TableProperties::index_value_is_delta_encoded},
};

// Booleans encoded as '1' or '0'.
constexpr FlagProperty kDigits[] = {
    {"rocksdb.block.based.table.whole.key.filtering",
     &TableProperties::whole_key_filtering},
    {"rocksdb.block.based.table.prefix.filtering",
     &TableProperties::prefix_filtering},
};

// Written if not empty.
struct StringProperty {
  const char* name;
  std::string TableProperties::*field;
};

constexpr StringProperty kStrings[] = {
    {"rocksdb.column.family.name", &TableProperties::column_family_name},
    {"rocksdb.comparator", &TableProperties::comparator_name},
    {"rocksdb.compression", &TableProperties::compression_name},
    {"rocksdb.compression_options", &TableProperties::compression_options},
    {"rocksdb.creating.db.identity", &TableProperties::db_id},
    {"rocksdb.creating.host.identity", &TableProperties::db_host_id},
    {"rocksdb.creating.session.identity", &TableProperties::db_session_id},
    {"rocksdb.filter.policy", &TableProperties::filter_policy_name},
    {"rocksdb.merge.operator", &TableProperties::merge_operator_name},
    {"rocksdb.prefix.extractor.name", &TableProperties::prefix_extractor_name},
    {"rocksdb.property.collectors",
     &TableProperties::property_collectors_names},
};

// What an allocation takes beside its bytes, about.
constexpr size_t kAllocationBytes = 16;

// The bytes that the object allocates.
size_t AllocatedBy(const std::string& text) {
  return text.capacity() > std::string().capacity()
             ? text.capacity() + 1 + kAllocationBytes
             : 0;
}
size_t AllocatedBy(const std::map<std::string, std::string>& texts) {
  constexpr size_t kNodeBytes =
      4 * sizeof(void*) + 2 * sizeof(std::string) + kAllocationBytes;
  size_t bytes = 0;
  for (const auto& [name, value] : texts) {
    bytes += kNodeBytes + AllocatedBy(name) + AllocatedBy(value);
  }
  return bytes;
}

constexpr char kIndexTypeProperty[] = "rocksdb.block.based.table.index.type";

// Sets the property of that name. Returns false if the value has the wrong
// type. Unknown names become user properties.
bool Assign(const Slice& name, const Slice& value, TableProperties* out) {
  Decoder in(value);
  for (const NumberProperty& p : kNumbers) {
    if (name != Slice(p.name)) continue;
    out->*p.field = in.Varint64();
    return in.ok() && in.empty();
  }
  for (const FlagProperty& p : kFlags) {
    if (name != Slice(p.name)) continue;
    out->*p.field = in.Varint64() != 0;
    return in.ok() && in.empty();
  }
  for (const FlagProperty& p : kDigits) {
    if (name != Slice(p.name)) continue;
    out->*p.field = value == Slice("1");
    return value.size() == 1 && (value[0] == '0' || value[0] == '1');
  }
  for (const StringProperty& p : kStrings) {
    if (name != Slice(p.name)) continue;
    out->*p.field = value.ToString();
    return true;
  }
  if (name == Slice(kIndexTypeProperty)) {
    out->index_type = in.Fixed32();
    return in.ok() && in.empty();
  }
  out->user_collected_properties.emplace(name.ToString(), value.ToString());
  return true;
}

std::string Varint(uint64_t v) {
  std::string out;
  PutVarint64(&out, v);
  return out;
}

}  // namespace

std::string EncodeProperties(const TableProperties& properties) {
  std::map<std::string, std::string> sorted =
      properties.user_collected_properties;
  for (const NumberProperty& p : kNumbers) {
    const uint64_t value = properties.*p.field;
    if (p.presence == Presence::kAlways || value != 0) {
      sorted[p.name] = Varint(value);
    }
  }
  for (const FlagProperty& p : kFlags) {
    sorted[p.name] = Varint(properties.*p.field ? 1 : 0);
  }
  for (const FlagProperty& p : kDigits) {
    sorted[p.name] = std::string(1, properties.*p.field ? '1' : '0');
  }
  for (const StringProperty& p : kStrings) {
    if (!(properties.*p.field).empty()) sorted[p.name] = properties.*p.field;
  }
  std::string index_type;
  PutFixed32(&index_type, properties.index_type);
  sorted[kIndexTypeProperty] = index_type;

  BlockBuilder block(std::numeric_limits<int>::max());
  for (const auto& [name, value] : sorted) block.Add(name, value);
  return block.Finish().ToString();
}

Result<TableProperties> DecodeProperties(PinnedBytes block,
                                         const BlockOrigin& origin) {
  TableProperties properties;
  std::string previous;
  BlockIterator it;
  it.Open(std::move(block), BlockFormat(), origin);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    if (!previous.empty() && it.key().compare(previous) <= 0) {
      return origin.Corruption("properties unsorted: '" + Printable(it.key()) +
                               "' after '" + Printable(previous) + "'");
    }
    previous = it.key().ToString();
    if (!Assign(it.key(), it.value(), &properties)) {
      return origin.Corruption("property '" + Printable(previous) +
                               "' has a malformed value '" +
                               PrintableHex(it.value()) + "'");
    }
  }
  if (!it.status().ok()) return it.status();
  return properties;
}

std::string TableProperties::ToString(const std::string& separator,
                                      const std::string& key_value) const {
  std::string out;
  const auto add = [&](const char* name, const std::string& value) {
    out.append(name).append(key_value).append(value).append(separator);
  };
  for (const NumberProperty& p : kNumbers) {
    add(p.name, std::to_string(this->*p.field));
  }
  for (const FlagProperty& p : kFlags) add(p.name, this->*p.field ? "1" : "0");
  for (const FlagProperty& p : kDigits) {
    add(p.name, this->*p.field ? "1" : "0");
  }
  add(kIndexTypeProperty, std::to_string(index_type));
  for (const StringProperty& p : kStrings) add(p.name, this->*p.field);
  for (const auto& [name, value] : user_collected_properties) {
    add(name.c_str(), Slice(value).ToString(true));
  }
  return out;
}

void RecordDecoupledFilters(bool decoupled, TableProperties* properties) {
  if (decoupled) {
    properties->user_collected_properties[kDecoupledFiltersProperty] = "1";
  } else {
    properties->user_collected_properties.erase(kDecoupledFiltersProperty);
  }
}

size_t TableProperties::ApproximateMemoryUsage() const {
  size_t bytes = sizeof(*this) + kAllocationBytes;
  for (const StringProperty& p : kStrings) bytes += AllocatedBy(this->*p.field);
  return bytes + AllocatedBy(user_collected_properties) +
         AllocatedBy(readable_properties);
}

}  // namespace tamis
