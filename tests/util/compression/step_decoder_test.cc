// SPDX-License-Identifier: Apache-2.0
#include "util/compression/step_decoder.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/effort.h"
#include "tests/support/library_codecs.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

constexpr size_t kLimit = size_t{1} << 26;

std::vector<CompressionType> Types() {
  std::vector<CompressionType> types;
  for (const CompressionType type :
       {kSnappyCompression, kLZ4Compression, kLZ4HCCompression}) {
    if (StepDecoder::Supports(type)) types.push_back(type);
  }
  return types;
}

// The whole block, in steps of `step` bytes; nothing if it is rejected.
std::optional<std::string> DecodeInSteps(CompressionType type,
                                         const Slice& payload, size_t step) {
  StepDecoder decoder;
  ByteBuffer out;
  const Status started = decoder.Start(type, payload, PayloadForm::kVersion2,
                                       kMaxUncompressedBytes, &out);
  if (!started.ok()) {
    EXPECT_TRUE(started.IsCorruption()) << started;
    return std::nullopt;
  }
  for (size_t target = step; target < decoder.size(); target += step) {
    const size_t before = decoder.decoded();
    if (!decoder.DecodeTo(target)) return std::nullopt;
    EXPECT_GE(decoder.decoded(), std::max(before, target));
    EXPECT_LE(decoder.decoded(), decoder.size());
  }
  if (!decoder.Finish()) {
    EXPECT_TRUE(decoder.Malformed().IsCorruption());
    return std::nullopt;
  }
  EXPECT_EQ(out.size(), decoder.size());
  return out.bytes().ToString();
}

constexpr size_t kAtOnce = SIZE_MAX / 2;

// Judges any bytes as the library does, in one step and in others.
::testing::AssertionResult AgreesWithLibrary(
    CompressionType type, const std::string& payload,
    const std::vector<size_t>& steps = {kAtOnce}) {
  const std::optional<std::string> expected =
      LibraryUncompress(type, payload, kLimit);
  // On pieces of the heap of their own, so that a sanitizer sees their ends.
  const std::vector<char> bytes(payload.begin(), payload.end());
  const Slice exact(bytes.data(), bytes.size());
  for (const size_t step : steps) {
    const std::optional<std::string> got = DecodeInSteps(type, exact, step);
    if (got == expected) continue;
    const auto told = [](const std::optional<std::string>& raw) {
      return raw.has_value() ? std::to_string(raw->size()) + " bytes"
                             : std::string("nothing");
    };
    return ::testing::AssertionFailure()
           << "type " << int{type} << ", step " << step << ": the library has "
           << told(expected) << ", this has " << told(got)
           << (got.has_value() && expected.has_value() ? ", other bytes" : "")
           << ", payload " << Slice(payload).ToString(/*hex=*/true);
  }
  return ::testing::AssertionSuccess();
}

// Entries of a data block: ascending numbers as keys, and half-compressible
// values.
std::string DataBlock(size_t bytes, size_t value_bytes, uint64_t seed) {
  Random random(seed);
  std::string block;
  for (uint64_t number = 0; block.size() < bytes;) {
    number += 1 + random.Uniform(9);
    const std::string digits = std::to_string(1'000'000 + number);
    block += "\x0c\x0c";
    block.push_back(static_cast<char>(value_bytes));
    block += digits.substr(3);
    PutFixed64(&block, random.Uniform(1 << 22) << 8 | 1);
    std::string half(value_bytes / 2, ' ');
    for (char& c : half) c = static_cast<char>(' ' + random.Uniform(95));
    block += half + half;
  }
  block.resize(bytes);
  return block;
}

// Bytes of `kind`: noise, one byte, short periods, words, entries.
std::string Sample(int kind, size_t bytes) {
  Random random(static_cast<uint64_t>(kind) * 1000 + bytes);
  std::string sample;
  while (sample.size() < bytes) {
    switch (kind) {
      case 0:
        sample.push_back(static_cast<char>(random.Next()));
        break;
      case 1:
        sample.push_back('r');
        break;
      case 2: {
        const std::string period(
            DataBlock(1 + random.Uniform(40), 20, random.Next()));
        for (uint64_t i = random.Uniform(20); i > 0; --i) sample += period;
        break;
      }
      case 3:
        for (uint64_t i = 2 + random.Uniform(4); i > 0; --i) {
          sample.push_back(static_cast<char>('a' + random.Uniform(5)));
        }
        sample.push_back(' ');
        break;
      default:
        sample += DataBlock(bytes, kind == 4 ? 100 : 10, random.Next());
    }
  }
  sample.resize(bytes);
  return sample;
}
constexpr int kSamples = 6;

std::string Compressed(CompressionType type, const std::string& raw) {
  std::string payload;
  EXPECT_TRUE(Compress(type, raw, &payload));
  return payload;
}

TEST(StepDecoderTest, DecodesWhatTheLibrariesCompress) {
  std::vector<size_t> sizes;
  for (size_t n = 0; n <= 300; ++n) sizes.push_back(n);
  for (const size_t n : std::initializer_list<size_t>{4000, 4096, 65535, 65536,
                                                      65537, 300'000}) {
    sizes.push_back(n);
  }
  for (const CompressionType type : Types()) {
    for (int kind = 0; kind < kSamples; ++kind) {
      for (const size_t size : sizes) {
        const std::string raw = Sample(kind, size);
        const std::string payload = Compressed(type, raw);
        ASSERT_EQ(DecodeInSteps(type, payload, kAtOnce), raw) << size;
        ASSERT_TRUE(AgreesWithLibrary(type, payload));
      }
    }
  }
}

TEST(StepDecoderTest, EveryFormIsReadAsUncompressReadsIt) {
  const std::string raw = Sample(4, 2000);
  for (const CompressionType type : Types()) {
    for (const PayloadForm form :
         {PayloadForm::kLevelDB, PayloadForm::kVersion1,
          PayloadForm::kVersion2}) {
      std::string payload;
      ASSERT_TRUE(Compress(type, raw, &payload, form));
      StepDecoder decoder;
      ByteBuffer out;
      ASSERT_TRUE(decoder.Start(type, payload, form, raw.size(), &out).ok());
      EXPECT_EQ(decoder.size(), raw.size());
      ASSERT_TRUE(decoder.Finish());
      EXPECT_EQ(out, raw);
    }
  }
}

TEST(StepDecoderTest, ErrorsAreThoseOfUncompress) {
  for (const CompressionType type : Types()) {
    const std::string good = Compressed(type, Sample(4, 2000));
    std::string longer;
    PutVarint32(&longer, 3000);
    longer.append(good, 2, std::string::npos);
    std::string bomb;
    PutVarint32(&bomb, 1 << 30);
    bomb += "only a few";
    std::string payloads[] = {"", "\x80", bomb, longer,
                              good.substr(0, good.size() / 2)};
    payloads[1].append(6, '\xff');
    for (const std::string& payload : payloads) {
      const Status expected = Uncompress(type, payload).status();
      ASSERT_TRUE(expected.IsCorruption());
      StepDecoder decoder;
      ByteBuffer out;
      Status got = decoder.Start(type, payload, PayloadForm::kVersion2,
                                 kMaxUncompressedBytes, &out);
      if (got.ok() && !decoder.Finish()) got = decoder.Malformed();
      EXPECT_EQ(got.ToString(), expected.ToString());
    }
    const std::string name = type == kSnappyCompression ? "snappy" : "lz4";
    EXPECT_EQ(Uncompress(type, payloads[1]).status().message(),
              name + ": the length is cut or too long");
    StepDecoder decoder;
    ByteBuffer out;
    EXPECT_EQ(decoder.Start(type, good, PayloadForm::kVersion2, 1999, &out)
                  .ToString(),
              Uncompress(type, good, PayloadForm::kVersion2, nullptr, 1999)
                  .status()
                  .ToString());
    EXPECT_EQ(out.capacity(), 0u);
  }
}

TEST(StepDecoderTest, OtherCodecsAreNotSupported) {
  for (int t = 0; t < 256; ++t) {
    const auto type = static_cast<CompressionType>(t);
    if (type == kSnappyCompression) {
      EXPECT_TRUE(StepDecoder::Supports(type));
    } else if (type == kLZ4Compression || type == kLZ4HCCompression) {
      EXPECT_EQ(StepDecoder::Supports(type), UncompressionSupported(type));
    } else {
      EXPECT_FALSE(StepDecoder::Supports(type)) << t;
    }
  }
}

TEST(StepDecoderTest, EveryTargetGivesAPrefix) {
  for (const CompressionType type : Types()) {
    for (int kind = 0; kind < kSamples; ++kind) {
      const std::string raw = Sample(kind, 700);
      const std::string payload = Compressed(type, raw);
      StepDecoder decoder;
      ByteBuffer out;
      for (size_t target = 0; target <= raw.size() + 2; ++target) {
        ASSERT_TRUE(decoder
                        .Start(type, payload, PayloadForm::kVersion2,
                               kMaxUncompressedBytes, &out)
                        .ok());
        ASSERT_TRUE(decoder.DecodeTo(target));
        ASSERT_GE(decoder.decoded(), std::min(target, raw.size()));
        ASSERT_EQ(std::string_view(decoder.data(), decoder.decoded()),
                  std::string_view(raw).substr(0, decoder.decoded()));
        ASSERT_TRUE(decoder.Finish());
        ASSERT_EQ(out, raw);
      }
    }
  }
}

TEST(StepDecoderTest, EveryStepGivesTheSameBlock) {
  std::vector<size_t> steps;
  for (size_t step = 1; step <= 130; ++step) steps.push_back(step);
  for (const size_t step : std::initializer_list<size_t>{256, 512, 1000, 4096})
    steps.push_back(step);
  for (const CompressionType type : Types()) {
    for (int kind = 0; kind < kSamples; ++kind) {
      ASSERT_TRUE(
          AgreesWithLibrary(type, Compressed(type, Sample(kind, 4096)), steps));
    }
  }
}

TEST(StepDecoderTest, ABufferIsUsedAgainWithoutAllocating) {
  StepDecoder decoder;
  ByteBuffer out;
  for (const CompressionType type : Types()) {
    for (const size_t size : std::initializer_list<size_t>{4096, 100, 4000}) {
      const std::string raw = Sample(4, size);
      const std::string payload = Compressed(type, raw);
      const size_t capacity = out.capacity();
      ASSERT_TRUE(decoder
                      .Start(type, payload, PayloadForm::kVersion2,
                             kMaxUncompressedBytes, &out)
                      .ok());
      ASSERT_TRUE(decoder.Finish());
      EXPECT_EQ(out, raw);
      if (capacity != 0) {
        EXPECT_EQ(out.capacity(), capacity);
      } else {
        EXPECT_EQ(out.capacity(), size);
      }
    }
  }
}

TEST(StepDecoderTest, EveryTruncationIsJudgedAsByTheLibrary) {
  for (const CompressionType type : Types()) {
    for (int kind = 0; kind < kSamples; ++kind) {
      for (const size_t size : std::initializer_list<size_t>{40, 200, 1500}) {
        const std::string payload = Compressed(type, Sample(kind, size));
        for (size_t n = 0; n < payload.size(); ++n) {
          ASSERT_TRUE(
              AgreesWithLibrary(type, payload.substr(0, n), {kAtOnce, 17}));
        }
      }
    }
  }
}

TEST(StepDecoderTest, EveryChangedByteIsJudgedAsByTheLibrary) {
  for (const CompressionType type : Types()) {
    for (int kind = 0; kind < kSamples; ++kind) {
      const std::string payload = Compressed(type, Sample(kind, 180));
      const int stride = Rounds(100) == 100 ? 1 : 7;
      for (size_t i = 0; i < payload.size(); ++i) {
        std::string changed = payload;
        for (int byte = 0; byte < 256; byte += stride) {
          changed[i] = static_cast<char>(byte);
          ASSERT_TRUE(AgreesWithLibrary(type, changed));
        }
      }
    }
  }
}

TEST(StepDecoderTest, ChangedBlocksAreJudgedAsByTheLibrary) {
  Random random(17);
  for (const CompressionType type : Types()) {
    for (int kind = 0; kind < kSamples; ++kind) {
      const std::string payload = Compressed(type, Sample(kind, 4096));
      for (int round = Rounds(2000); round > 0; --round) {
        std::string changed = payload;
        for (uint64_t n = 1 + random.Uniform(3); n > 0; --n) {
          changed[random.Uniform(changed.size())] =
              static_cast<char>(random.Next());
        }
        ASSERT_TRUE(AgreesWithLibrary(type, changed,
                                      {kAtOnce, 1 + random.Uniform(600)}));
      }
    }
  }
}

// A payload that changes between two steps: whatever is decoded fits.
TEST(StepDecoderTest, BytesMayChangeBetweenSteps) {
  Random random(23);
  for (const CompressionType type : Types()) {
    for (int kind = 0; kind < kSamples; ++kind) {
      const std::string payload = Compressed(type, Sample(kind, 4096));
      for (int round = Rounds(2000); round > 0; --round) {
        const std::unique_ptr<char[]> bytes(new char[payload.size()]);
        std::copy(payload.begin(), payload.end(), bytes.get());
        StepDecoder decoder;
        ByteBuffer out;
        ASSERT_TRUE(decoder
                        .Start(type, Slice(bytes.get(), payload.size()),
                               PayloadForm::kVersion2, 4096, &out)
                        .ok());
        std::string seen;
        for (size_t target = 0; target < 4096; target += 300) {
          if (!decoder.DecodeTo(target)) break;
          ASSERT_LE(decoder.decoded(), 4096u);
          ASSERT_EQ(std::string_view(decoder.data(), seen.size()), seen);
          seen.assign(decoder.data(), decoder.decoded());
          bytes[random.Uniform(payload.size())] =
              static_cast<char>(random.Next());
        }
        static_cast<void>(decoder.Finish());
      }
    }
  }
}

}  // namespace
}  // namespace tamis
