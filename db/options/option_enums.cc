// SPDX-License-Identifier: Apache-2.0
#include "db/options/option_enums.h"

namespace tamis {

template <>
std::span<const EnumName<WALRecoveryMode>> EnumNames() {
  using enum WALRecoveryMode;
  static constexpr EnumName<WALRecoveryMode> kNames[] = {
      {"kTolerateCorruptedTailRecords", kTolerateCorruptedTailRecords},
      {"kAbsoluteConsistency", kAbsoluteConsistency},
      {"kPointInTimeRecovery", kPointInTimeRecovery},
      {"kSkipAnyCorruptedRecords", kSkipAnyCorruptedRecords},
  };
  return kNames;
}

template <>
std::span<const EnumName<InfoLogLevel>> EnumNames() {
  static constexpr EnumName<InfoLogLevel> kNames[] = {
      {"DEBUG_LEVEL", DEBUG_LEVEL}, {"INFO_LEVEL", INFO_LEVEL},
      {"WARN_LEVEL", WARN_LEVEL},   {"ERROR_LEVEL", ERROR_LEVEL},
      {"FATAL_LEVEL", FATAL_LEVEL}, {"HEADER_LEVEL", HEADER_LEVEL},
  };
  return kNames;
}

template <>
std::span<const EnumName<DBOptions::AccessHint>> EnumNames() {
  static constexpr EnumName<DBOptions::AccessHint> kNames[] = {
      {"NONE", DBOptions::NONE},
      {"NORMAL", DBOptions::NORMAL},
      {"SEQUENTIAL", DBOptions::SEQUENTIAL},
      {"WILLNEED", DBOptions::WILLNEED},
  };
  return kNames;
}

template <>
std::span<const EnumName<CompressionType>> EnumNames() {
  static constexpr EnumName<CompressionType> kNames[] = {
      {"kNoCompression", kNoCompression},
      {"kSnappyCompression", kSnappyCompression},
      {"kZlibCompression", kZlibCompression},
      {"kBZip2Compression", kBZip2Compression},
      {"kLZ4Compression", kLZ4Compression},
      {"kLZ4HCCompression", kLZ4HCCompression},
      {"kXpressCompression", kXpressCompression},
      {"kZSTD", kZSTD},
      {"kDisableCompressionOption", kDisableCompressionOption},
  };
  return kNames;
}

template <>
std::span<const std::string_view> MissingEnumNames<CompressionType>() {
  static constexpr std::string_view kNames[] = {"kZSTDNotFinalCompression"};
  return kNames;
}

template <>
std::span<const EnumName<EncodingType>> EnumNames() {
  static constexpr EnumName<EncodingType> kNames[] = {{"kPlain", kPlain},
                                                      {"kPrefix", kPrefix}};
  return kNames;
}

template <>
std::span<const EnumName<PrepopulateBlobCache>> EnumNames() {
  using enum PrepopulateBlobCache;
  static constexpr EnumName<PrepopulateBlobCache> kNames[] = {
      {"kDisable", kDisable}, {"kFlushOnly", kFlushOnly}};
  return kNames;
}

template <>
std::span<const EnumName<ChecksumType>> EnumNames() {
  static constexpr EnumName<ChecksumType> kNames[] = {
      {"kNoChecksum", kNoChecksum}, {"kCRC32c", kCRC32c}, {"kxxHash", kxxHash},
      {"kxxHash64", kxxHash64},     {"kXXH3", kXXH3},
  };
  return kNames;
}

template <>
std::span<const EnumName<BlockBasedTableOptions::IndexType>> EnumNames() {
  using Table = BlockBasedTableOptions;
  static constexpr EnumName<Table::IndexType> kNames[] = {
      {"kBinarySearch", Table::kBinarySearch},
      {"kTwoLevelIndexSearch", Table::kTwoLevelIndexSearch},
      {"kBinarySearchWithFirstKey", Table::kBinarySearchWithFirstKey},
  };
  return kNames;
}

template <>
std::span<const std::string_view>
MissingEnumNames<BlockBasedTableOptions::IndexType>() {
  static constexpr std::string_view kNames[] = {"kHashSearch"};
  return kNames;
}

template <>
std::span<const EnumName<BlockBasedTableOptions::IndexShorteningMode>>
EnumNames() {
  using Mode = BlockBasedTableOptions::IndexShorteningMode;
  static constexpr EnumName<Mode> kNames[] = {
      {"kNoShortening", Mode::kNoShortening},
      {"kShortenSeparators", Mode::kShortenSeparators},
      {"kShortenSeparatorsAndSuccessor", Mode::kShortenSeparatorsAndSuccessor},
  };
  return kNames;
}

template <>
std::span<const EnumName<BlockBasedTableOptions::PrepopulateBlockCache>>
EnumNames() {
  using Prepopulate = BlockBasedTableOptions::PrepopulateBlockCache;
  static constexpr EnumName<Prepopulate> kNames[] = {
      {"kDisable", Prepopulate::kDisable},
      {"kFlushOnly", Prepopulate::kFlushOnly},
  };
  return kNames;
}

template <>
std::span<const EnumName<BlockBasedTableOptions::DataBlockIndexType>>
EnumNames() {
  using Table = BlockBasedTableOptions;
  static constexpr EnumName<Table::DataBlockIndexType> kNames[] = {
      {"kDataBlockBinarySearch", Table::kDataBlockBinarySearch},
      {"kDataBlockBinaryAndHash", Table::kDataBlockBinaryAndHash},
  };
  return kNames;
}

template <>
std::span<const EnumName<BlockBasedTableOptions::RangeFilterType>> EnumNames() {
  using Table = BlockBasedTableOptions;
  static constexpr EnumName<Table::RangeFilterType> kNames[] = {
      {"kNoRangeFilter", Table::kNoRangeFilter},
      {"kGrafite", Table::kGrafite},
      {"kFence", Table::kFence},
      {"kSurf", Table::kSurf},
  };
  return kNames;
}

template <>
std::span<const EnumName<PinningTier>> EnumNames() {
  using enum PinningTier;
  static constexpr EnumName<PinningTier> kNames[] = {
      {"kFallback", kFallback},
      {"kNone", kNone},
      {"kFlushedAndSimilar", kFlushedAndSimilar},
      {"kAll", kAll},
  };
  return kNames;
}

template <>
std::span<const EnumName<CompactionStyle>> EnumNames() {
  static constexpr EnumName<CompactionStyle> kNames[] = {
      {"kCompactionStyleLevel", kCompactionStyleLevel},
      {"kCompactionStyleUniversal", kCompactionStyleUniversal},
      {"kCompactionStyleFIFO", kCompactionStyleFIFO},
      {"kCompactionStyleNone", kCompactionStyleNone},
  };
  return kNames;
}

template <>
std::span<const EnumName<CompactionPri>> EnumNames() {
  static constexpr EnumName<CompactionPri> kNames[] = {
      {"kByCompensatedSize", kByCompensatedSize},
      {"kOldestLargestSeqFirst", kOldestLargestSeqFirst},
      {"kOldestSmallestSeqFirst", kOldestSmallestSeqFirst},
      {"kMinOverlappingRatio", kMinOverlappingRatio},
      {"kRoundRobin", kRoundRobin},
  };
  return kNames;
}

template <>
std::span<const EnumName<CompactionStopStyle>> EnumNames() {
  static constexpr EnumName<CompactionStopStyle> kNames[] = {
      {"kCompactionStopStyleSimilarSize", kCompactionStopStyleSimilarSize},
      {"kCompactionStopStyleTotalSize", kCompactionStopStyleTotalSize},
  };
  return kNames;
}

}  // namespace tamis
