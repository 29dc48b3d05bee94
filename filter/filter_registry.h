// SPDX-License-Identifier: Apache-2.0
//
// The one list of codecs in the program, and the one place where the name and
// the bytes of a filter decide how it is read. Options never do.
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
  kPartitioned,  // "partitionedfilter.<family>": an index of full ones
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

// The family under which RocksDB, and Tamis, write every filter of RocksDB's.
inline constexpr std::string_view kBuiltinBloomFamily =
    "rocksdb.BuiltinBloomFilter";

// Whether filters of this family are read by their bytes, in one of RocksDB's
// or LevelDB's formats.
bool IsBuiltinFamily(std::string_view family);
// Whether a user's own filters may not stand under this name.
bool IsReservedFamily(std::string_view family);

// The codec that reads this filter (one chunk of it, when block-based);
// nullptr when family or bytes are not known: such a filter always matches.
const FilterCodec* FindCodec(const FilterLocator& where, const Slice& filter);

// FindCodec(...)->Open(filter), with RocksDB's rule that 5 bytes or fewer hold
// no key where a full filter stands.
FilterView OpenFilter(const FilterLocator& where, const Slice& filter);

// OpenFilter for whoever opens many filters that stand under one name: the
// name is looked at once. A small value; any thread.
class FilterOpener {
 public:
  explicit FilterOpener(const FilterLocator& where);

  // False: the name says nothing to us, and every filter matches.
  bool known() const { return rule_ != Rule::kUnknown; }
  // nullptr as FindCodec.
  const FilterCodec* Find(const Slice& filter) const;
  FilterView Open(const Slice& filter) const;

 private:
  enum class Rule : uint8_t { kUnknown, kFixedCodec, kByTrailer };
  Rule rule_ = Rule::kUnknown;
  const FilterCodec* fixed_codec_ = nullptr;
};

// Every codec this build knows; tests and tools loop over it.
std::span<const FilterCodec* const> BuiltinCodecs();

}  // namespace tamis
