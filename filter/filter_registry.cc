// SPDX-License-Identifier: Apache-2.0
#include "filter/filter_registry.h"

#include <algorithm>
#include <array>

#include "filter/binary_fuse.h"
#include "filter/bloom_math.h"
#include "filter/bumped_ribbon.h"
#include "filter/cache_local_bloom.h"
#include "filter/fast_local_bloom.h"
#include "filter/fence_filter.h"
#include "filter/grafite.h"
#include "filter/homogeneous_ribbon.h"
#include "filter/leveldb_bloom.h"
#include "filter/retrieval_codec.h"
#include "filter/ribbon.h"
#include "filter/surf_filter.h"
#include "filter/xor_filter.h"
#include "util/base/immortal.h"

namespace tamis {

namespace {

constexpr std::string_view kTamisPrefix = "tamis.";

constexpr std::string_view kBlockBasedPrefix = "filter.";
constexpr std::string_view kFullPrefix = "fullfilter.";
constexpr std::string_view kPartitionedPrefix = "partitionedfilter.";

std::string_view PrefixOf(FilterPlacement placement) {
  switch (placement) {
    case FilterPlacement::kBlockBased:
      return kBlockBasedPrefix;
    case FilterPlacement::kFull:
      return kFullPrefix;
    case FilterPlacement::kPartitioned:
      return kPartitionedPrefix;
  }
  return {};
}

// RocksDB's name for all its filters, and other names that the first 7.0
// releases wrote.
constexpr std::string_view kRocksDBFamilies[] = {
    kBuiltinBloomFamily,
    "bloomfilter",
    "ribbonfilter",
    "rocksdb.internal.LegacyBloomFilter",
    "rocksdb.internal.FastLocalBloomFilter",
    "rocksdb.internal.Standard128RibbonFilter",
    "rocksdb.internal.DeprecatedBlockBasedBloomFilter",
};
// LevelDB before 1.18, when the hash depended on the signedness of char.
constexpr std::string_view kOldLevelDBFamily = "leveldb.BuiltinBloomFilter";

bool IsRocksDBFamily(std::string_view family) {
  return std::ranges::find(kRocksDBFamilies, family) !=
         std::end(kRocksDBFamilies);
}

const FilterCodec* BlockBasedCodec(std::string_view family) {
  if (family == kLevelDBBloomFamily) return LevelDBBloomCodec();
  if (family == kOldLevelDBFamily || IsRocksDBFamily(family)) {
    return LevelDBBloomSignedTailCodec();
  }
  return nullptr;
}

// The first byte of a full filter's trailer identifies the format: a probe
// count (legacy), or a negative marker.
const FilterCodec* CodecByTrailer(const Slice& filter) {
  // Without keys, all full codecs behave alike.
  if (filter.size() <= kFilterTrailerBytes) return FastLocalBloomCodec();
  const auto marker =
      static_cast<int8_t>(filter[filter.size() - kFilterTrailerBytes]);
  if (marker == -1) return FastLocalBloomCodec();
  if (marker == -2) return RibbonCodec();
  if (marker > 0) return CacheLocalBloomCodec();
  return nullptr;
}

// Tamis's own codecs by marker. Built once: a lookup opens a partition for
// every probe.
class OwnCodecs {
 public:
  OwnCodecs() {
    for (const FilterCodec* codec : BuiltinCodecs()) {
      if (const auto* own = dynamic_cast<const RetrievalCodec*>(codec)) {
        by_marker_[IndexOf(own->marker())] = own;
      }
    }
  }
  // Returns nullptr if there is none.
  const FilterCodec* Find(int8_t marker) const {
    return by_marker_[IndexOf(marker)];
  }

 private:
  static size_t IndexOf(int8_t marker) { return static_cast<uint8_t>(marker); }

  std::array<const FilterCodec*, 256> by_marker_{};
};

// Returns the codec of Tamis's own that writes this family, or nullptr.
const FilterCodec* TamisCodec(std::string_view family) {
  for (const FilterCodec* codec : BuiltinCodecs()) {
    if (codec->family() == family && family.starts_with(kTamisPrefix)) {
      return codec;
    }
  }
  return nullptr;
}

}  // namespace

bool IsBuiltinFamily(std::string_view family) {
  return IsRocksDBFamily(family) || family == kLevelDBBloomFamily ||
         family == kOldLevelDBFamily || TamisCodec(family) != nullptr;
}

bool IsReservedFamily(std::string_view family) {
  return family.empty() || IsBuiltinFamily(family) ||
         family.starts_with("rocksdb.") || family.starts_with("leveldb.") ||
         family.starts_with(kTamisPrefix);
}

const char* FilterPlacementName(FilterPlacement placement) {
  switch (placement) {
    case FilterPlacement::kBlockBased:
      return "block-based";
    case FilterPlacement::kFull:
      return "full";
    case FilterPlacement::kPartitioned:
      return "partitioned";
  }
  return "unknown";
}

std::optional<FilterLocator> ParseMetaindexKey(const Slice& key) {
  for (FilterPlacement placement :
       {FilterPlacement::kBlockBased, FilterPlacement::kFull,
        FilterPlacement::kPartitioned}) {
    const std::string_view prefix = PrefixOf(placement);
    if (key.starts_with(prefix)) {
      return FilterLocator{
          placement, std::string(key.ToStringView().substr(prefix.size()))};
    }
  }
  return std::nullopt;
}

std::string MetaindexKey(FilterPlacement placement, std::string_view family) {
  std::string key(PrefixOf(placement));
  key.append(family);
  return key;
}

FilterOpener::FilterOpener(const FilterLocator& where) {
  if (where.placement == FilterPlacement::kBlockBased) {
    fixed_codec_ = BlockBasedCodec(where.family);
  } else if (IsRocksDBFamily(where.family)) {
    rule_ = Rule::kByTrailer;
  } else {
    fixed_codec_ = TamisCodec(where.family);
  }
  if (fixed_codec_ != nullptr) rule_ = Rule::kFixedCodec;
}

const FilterCodec* FilterOpener::Find(const Slice& filter) const {
  return rule_ == Rule::kByTrailer ? CodecByTrailer(filter) : fixed_codec_;
}

FilterView FilterOpener::Open(const Slice& filter) const {
  const FilterCodec* const codec = Find(filter);
  return codec == nullptr ? FilterView::AlwaysMatch() : codec->Open(filter);
}

const FilterCodec* FindCodec(const FilterLocator& where, const Slice& filter) {
  return FilterOpener(where).Find(filter);
}

FilterView OpenFilter(const FilterLocator& where, const Slice& filter) {
  return FilterOpener(where).Open(filter);
}

FilterView OpenFilterByTrailer(const Slice& filter) {
  if (const FilterCodec* const codec = CodecByTrailer(filter)) {
    return codec->Open(filter);
  }
  const auto marker =
      static_cast<int8_t>(filter[filter.size() - kFilterTrailerBytes]);
  const FilterCodec* const own = Immortal<const OwnCodecs>()->Find(marker);
  return own == nullptr ? FilterView::AlwaysMatch() : own->Open(filter);
}

std::span<const FilterCodec* const> BuiltinCodecs() {
  struct Codecs {
    const std::array<const FilterCodec*, 9> all = {
        LevelDBBloomCodec(),
        LevelDBBloomSignedTailCodec(),
        CacheLocalBloomCodec(),
        FastLocalBloomCodec(),
        RibbonCodec(),
        HomogeneousRibbonCodec(),
        BumpedRibbonCodec(),
        BinaryFuseCodec(),
        XorCodec()};
  };
  return Immortal<Codecs>()->all;
}

std::span<const RangeFilterCodec* const> RangeFilterCodecs() {
  struct Codecs {
    const std::array<const RangeFilterCodec*, 3> all = {
        GrafiteCodec(), FenceCodec(), SurfCodec()};
  };
  return Immortal<Codecs>()->all;
}

const RangeFilterCodec* FindRangeFilterCodec(std::string_view family) {
  for (const RangeFilterCodec* codec : RangeFilterCodecs()) {
    if (codec->family() == family) return codec;
  }
  return nullptr;
}

}  // namespace tamis
