// SPDX-License-Identifier: Apache-2.0
//
// The list of codecs, and the rules by which a filter's name and bytes decide
// how it is read. Options never do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "filter/filter_codec.h"

namespace tamis {

enum class FilterPlacement : uint8_t {
  kBlockBased,   // "filter.<family>": one filter per 2 KiB of file offset
  kFull,         // "fullfilter.<family>": one per table
  kPartitioned,  // "partitionedfilter.<family>": an index of full filters
};

const char* FilterPlacementName(FilterPlacement placement);

// "fullfilter.rocksdb.BuiltinBloomFilter" → {kFull,
// "rocksdb.BuiltinBloomFilter"}. nullopt: not a filter's key.
struct FilterLocator {
  FilterPlacement placement;
  std::string family;
};
std::optional<FilterLocator> ParseMetaindexKey(const Slice& key);
std::string MetaindexKey(FilterPlacement placement, std::string_view family);

// The family of every filter in a RocksDB format, in RocksDB and in Tamis.
inline constexpr std::string_view kBuiltinBloomFamily =
    "rocksdb.BuiltinBloomFilter";

// True if filters of this family are in a format of RocksDB or LevelDB.
bool IsBuiltinFamily(std::string_view family);
// True if a user's policy must not use this name.
bool IsReservedFamily(std::string_view family);

// The codec that reads this filter (block-based: one chunk of it); nullptr:
// unknown family or bytes. Such a filter always matches.
const FilterCodec* FindCodec(const FilterLocator& where, const Slice& filter);

// FindCodec(...)->Open(filter). By RocksDB's rule, a full filter of 5 bytes or
// fewer holds no keys.
FilterView OpenFilter(const FilterLocator& where, const Slice& filter);

// OpenFilter for many filters under one name, which is parsed once. A value
// type; any thread.
class FilterOpener {
 public:
  explicit FilterOpener(const FilterLocator& where);

  // False: unknown name; every filter matches.
  bool known() const { return rule_ != Rule::kUnknown; }
  // nullptr: as FindCodec.
  const FilterCodec* Find(const Slice& filter) const;
  FilterView Open(const Slice& filter) const;

 private:
  enum class Rule : uint8_t { kUnknown, kFixedCodec, kByTrailer };
  Rule rule_ = Rule::kUnknown;
  const FilterCodec* fixed_codec_ = nullptr;
};

// Every codec of this build, for tests and tools.
std::span<const FilterCodec* const> BuiltinCodecs();

}  // namespace tamis
