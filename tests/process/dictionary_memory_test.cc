// SPDX-License-Identifier: Apache-2.0
//
// A table's dictionary, if an allocation fails while it is made: what the
// compression library had allocated for it is released.
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/failures/failures.h"
#include "tests/process/footprint.h"
#include "util/compression/compression.h"

namespace tamis::process {
namespace {

constexpr int kRounds = 200;
// Less than zstd allocates for the dictionaries of all rounds: 27 KB each.
constexpr size_t kLeakBytes = size_t{1} << 20;

// Makes one while the n-th allocation fails; whether one failed.
bool MakeDictionary(const std::string& raw, uint64_t n) {
  std::string copy = raw;
  Failures::Arm(Failures::Kind::kAllocation, n);
  try {
    const UncompressionDictionary dictionary(std::move(copy));
  } catch (const std::bad_alloc&) {
    return Failures::Disarm();
  }
  EXPECT_FALSE(Failures::Disarm());
  return false;
}

TEST(DictionaryMemoryTest, IsReleasedWhicheverAllocationFails) {
  const std::string raw(4096, 'd');
  uint64_t n = 1;
  for (; MakeDictionary(raw, n); ++n) {
    SCOPED_TRACE(n);
    const size_t before = MeasureFootprint().allocated_bytes;
    for (int round = 0; round < kRounds; ++round) MakeDictionary(raw, n);
    if (kMemoryIsMeasured) {
      EXPECT_LT(MeasureFootprint().allocated_bytes, before + kLeakBytes);
    }
  }
  EXPECT_GT(n, 1u) << "no allocation failed";
}

}  // namespace
}  // namespace tamis::process
