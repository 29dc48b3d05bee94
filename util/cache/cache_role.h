// SPDX-License-Identifier: Apache-2.0
//
// What bytes of the block cache are for. The names are RocksDB's; some roles
// are those of things that Tamis does not have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tamis {

enum class CacheRole : uint8_t {
  kDataBlock,
  kFilterBlock,
  kFilterMetaBlock,
  kDeprecatedFilterBlock,
  kIndexBlock,
  kOtherBlock,
  kWriteBuffer,
  kCompressionDictionaryBuildingBuffer,
  kFilterConstruction,
  kBlockBasedTableReader,
  kFileMetadata,
  kBlobValue,
  kBlobCache,
  kMisc,
};
inline constexpr size_t kCacheRoles = 14;

struct CacheUsage {
  uint64_t entries = 0;  // blocks; none of reservations
  uint64_t bytes = 0;
};

template <typename T>
struct PerCacheRole : std::array<T, kCacheRoles> {
  constexpr T& operator[](CacheRole role) {
    return std::array<T, kCacheRoles>::operator[](static_cast<size_t>(role));
  }
  constexpr const T& operator[](CacheRole role) const {
    return std::array<T, kCacheRoles>::operator[](static_cast<size_t>(role));
  }
};

}  // namespace tamis
