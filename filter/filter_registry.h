// SPDX-License-Identifier: Apache-2.0
//
// Lists the codecs. The name and the bytes of a filter, not the options,
// determine the codec that reads it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "filter/filter_codec.h"
#include "filter/range_filter.h"

namespace tamis {

enum class FilterPlacement : uint8_t {
  kBlockBased,   // "filter.<family>", one filter per 2 KiB of file offset
  kFull,         // "fullfilter.<family>", one per table
  kPartitioned,  // "partitionedfilter.<family>", an index of full filters
};

const char* FilterPlacementName(FilterPlacement placement);

// A filter's name in the metaindex, parsed.
// "fullfilter.rocksdb.BuiltinBloomFilter" is {kFull,
// "rocksdb.BuiltinBloomFilter"}. ParseMetaindexKey returns nullopt for a name
// of something else.
struct FilterLocator {
  FilterPlacement placement;
  std::string family;
};
std::optional<FilterLocator> ParseMetaindexKey(const Slice& key);
std::string MetaindexKey(FilterPlacement placement, std::string_view family);

// Returns whether a codec reads filters of this family: those in a format of
// RocksDB, LevelDB or Tamis.
bool IsBuiltinFamily(std::string_view family);
// Returns whether a user's policy must not use this name.
bool IsReservedFamily(std::string_view family);

// Returns the codec that reads this filter, or this chunk of a block-based one.
// Returns nullptr if the family or the bytes are unknown; such a filter always
// matches.
const FilterCodec* FindCodec(const FilterLocator& where, const Slice& filter);

// Opens the filter with the codec of FindCodec. By RocksDB's rule, a full
// filter of 5 bytes or fewer holds no keys.
FilterView OpenFilter(const FilterLocator& where, const Slice& filter);

// Opens a full filter of any built-in codec by its trailer alone, for a policy
// of the user's that reads filters of built-in builders under its own name.
FilterView OpenFilterByTrailer(const Slice& filter);

// Opens many filters under one name, which is looked up once. A value type; any
// thread.
class FilterOpener {
 public:
  explicit FilterOpener(const FilterLocator& where);

  // Returns whether the name is known. If not, every filter matches.
  bool known() const { return rule_ != Rule::kUnknown; }
  // Returns the codec as FindCodec does.
  const FilterCodec* Find(const Slice& filter) const;
  FilterView Open(const Slice& filter) const;

 private:
  enum class Rule : uint8_t { kUnknown, kFixedCodec, kByTrailer };
  Rule rule_ = Rule::kUnknown;
  const FilterCodec* fixed_codec_ = nullptr;
};

// Returns the codec of range filters of this family, or nullptr.
const RangeFilterCodec* FindRangeFilterCodec(std::string_view family);
std::span<const RangeFilterCodec* const> RangeFilterCodecs();

// Returns every codec of point filters, for tests and tools.
std::span<const FilterCodec* const> BuiltinCodecs();

}  // namespace tamis
