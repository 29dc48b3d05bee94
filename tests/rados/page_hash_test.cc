// SPDX-License-Identifier: Apache-2.0
//
// The hash of pages is XXH3 on every processor: pages outlive the process, and
// may move to another machine.
#include "rados/page_hash.h"

#include <string>

#include <gtest/gtest.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "util/base/processor.h"
#include "util/base/random.h"

namespace tamis::rados {
namespace {

TEST(PageHashTest, IsXxh3InEveryForm) {
  Random random(1);
  std::string bytes(4088, '\0');
  for (char& c : bytes) c = static_cast<char>(random.Next());
  for (size_t n = 0; n <= bytes.size(); n += n < 300 ? 1 : 541) {
    const uint64_t seed = random.OneIn(4) ? 0 : random.Next();
    const uint64_t expected = XXH3_64bits_withSeed(bytes.data(), n, seed);
    EXPECT_EQ(PageHash(seed, bytes.data(), n), expected) << n;
#if defined(__x86_64__)
    if (HasVectors()) {
      EXPECT_EQ(PageHashAvx2(seed, bytes.data(), n), expected) << n;
    }
#endif
  }
}

}  // namespace
}  // namespace tamis::rados
