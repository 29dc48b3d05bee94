// SPDX-License-Identifier: Apache-2.0
//
// Payloads that another thread changes while they are decoded, as the owner of
// a mapped file can. AddressSanitizer sees what is read or written outside.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/effort.h"
#include "tests/support/sanitizers.h"
#include "util/base/random.h"
#include "util/compression/step_decoder.h"

namespace tamis {
namespace {

// The decoder reads what others write without an order: that is the point.
constexpr bool kRacesAreErrors = kThreadSanitizer;

constexpr size_t kRawBytes = 4096;

std::string Repetitive(Random* random) {
  std::string raw;
  while (raw.size() < kRawBytes) {
    std::string part(1 + random->Uniform(50), ' ');
    for (char& c : part) c = static_cast<char>(random->Next());
    for (uint64_t i = 1 + random->Uniform(4); i > 0; --i) raw += part;
  }
  raw.resize(kRawBytes);
  return raw;
}

// Decodes the payload again and again, in steps, while a thread changes it.
void DecodeWhileChanging(CompressionType type, const std::string& payload,
                         uint64_t seed) {
  const std::unique_ptr<char[]> bytes(new char[payload.size()]);
  std::copy(payload.begin(), payload.end(), bytes.get());
  std::atomic<bool> stop{false};
  std::thread scribbler([&] {
    Random random(seed);
    while (!stop.load(std::memory_order_relaxed)) {
      // Past the length, which would be rejected most of the time.
      const size_t i = 2 + random.Uniform(payload.size() - 2);
      volatile char* const at = bytes.get() + i;
      *at = static_cast<char>(random.Next());
      for (uint64_t n = random.Uniform(100); n > 0; --n) random.Next();
      *at = payload[i];
    }
  });
  Random random(seed + 1);
  StepDecoder decoder;
  for (int round = Rounds(5000); round > 0; --round) {
    // New memory each time, whose ends are watched.
    ByteBuffer out;
    if (!decoder
             .Start(type, Slice(bytes.get(), payload.size()),
                    PayloadForm::kVersion2, kMaxUncompressedBytes, &out)
             .ok()) {
      continue;
    }
    std::string seen;
    size_t target = 0;
    while (target < decoder.size()) {
      target += 1 + random.Uniform(1000);
      if (!decoder.DecodeTo(target)) break;
      EXPECT_LE(decoder.decoded(), decoder.size());
      EXPECT_EQ(std::string_view(decoder.data(), seen.size()), seen);
      seen.assign(decoder.data(), decoder.decoded());
    }
    if (decoder.Finish()) {
      EXPECT_EQ(out.size(), decoder.size());
    }
  }
  stop = true;
  scribbler.join();
}

TEST(StepDecoderThreadsTest, APayloadMayChangeWhileItIsDecoded) {
  if (kRacesAreErrors) GTEST_SKIP() << "races with its input";
  Random random(41);
  for (const CompressionType type : {kSnappyCompression, kLZ4Compression}) {
    if (!StepDecoder::Supports(type)) continue;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      std::string payload;
      ASSERT_TRUE(Compress(type, Repetitive(&random), &payload));
      DecodeWhileChanging(type, payload, seed);
    }
  }
}

}  // namespace
}  // namespace tamis
