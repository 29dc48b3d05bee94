// SPDX-License-Identifier: Apache-2.0
//
// Blocks that are put together from elements: all kinds and lengths of them,
// near the ends of the block and far from them, valid and not.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/effort.h"
#include "tests/support/library_codecs.h"
#include "util/base/random.h"
#include "util/coding/coding.h"
#include "util/compression/step_decoder.h"

namespace tamis {
namespace {

std::string Noise(size_t n, uint64_t seed = 1) {
  Random random(seed);
  std::string noise(n, '\0');
  for (char& c : noise) c = static_cast<char>(random.Next());
  return noise;
}

// The elements of a block, and how many bytes they decode to.
struct Elements {
  std::string bytes;
  uint64_t length = 0;

  std::string Payload(int64_t more = 0) const {
    std::string payload;
    PutVarint32(&payload,
                static_cast<uint32_t>(static_cast<int64_t>(length) + more));
    return payload + bytes;
  }
};

std::string LittleEndian(uint64_t value, size_t bytes) {
  std::string out;
  for (; bytes > 0; --bytes, value >>= 8) {
    out.push_back(static_cast<char>(value));
  }
  return out;
}

// `bytes` of length, or the shortest form if 0.
void AddSnappyLiteral(Elements* to, size_t n, size_t bytes = 0) {
  if (bytes == 0 && n <= 60) {
    to->bytes.push_back(static_cast<char>((n - 1) << 2));
  } else {
    if (bytes == 0) bytes = n <= 256 ? 1 : n <= 65536 ? 2 : 3;
    to->bytes.push_back(static_cast<char>((59 + bytes) << 2));
    to->bytes += LittleEndian(n - 1, bytes);
  }
  to->bytes += Noise(n, n);
  to->length += n;
}

// With an offset of 1, 2 or 4 bytes.
void AddSnappyCopy(Elements* to, size_t n, size_t offset, size_t bytes) {
  if (bytes == 1) {
    to->bytes.push_back(static_cast<char>(offset >> 8 << 5 | (n - 4) << 2 | 1));
    to->bytes.push_back(static_cast<char>(offset));
  } else {
    to->bytes.push_back(static_cast<char>((n - 1) << 2 | (bytes == 2 ? 2 : 3)));
    to->bytes += LittleEndian(offset, bytes);
  }
  to->length += n;
}

std::string Lz4Length(size_t n) {
  if (n < 15) return "";
  std::string bytes((n - 15) / 255, '\xff');
  bytes.push_back(static_cast<char>((n - 15) % 255));
  return bytes;
}

// A sequence; match = 0 for the last one. REQUIRES: match = 0 or match >= 4
void AddLz4(Elements* to, size_t literals, size_t match, size_t offset) {
  const size_t coded = match == 0 ? 0 : match - 4;
  to->bytes.push_back(static_cast<char>(std::min<size_t>(literals, 15) << 4 |
                                        std::min<size_t>(coded, 15)));
  to->bytes += Lz4Length(literals) + Noise(literals, literals);
  to->length += literals + match;
  if (match == 0) return;
  to->bytes += LittleEndian(offset, 2) + Lz4Length(coded);
}

// What the library makes of it, if anything, is what the decoder makes of it,
// at once and in steps. *accepted counts.
::testing::AssertionResult Agrees(CompressionType type,
                                  const std::string& payload,
                                  int* accepted = nullptr) {
  const std::optional<std::string> expected =
      LibraryUncompress(type, payload, size_t{1} << 26);
  if (expected.has_value() && accepted != nullptr) ++*accepted;
  const std::vector<char> bytes(payload.begin(), payload.end());
  for (const size_t step : {size_t{0}, size_t{1}, size_t{40}}) {
    StepDecoder decoder;
    ByteBuffer out;
    bool good = decoder
                    .Start(type, Slice(bytes.data(), bytes.size()),
                           PayloadForm::kVersion2, kMaxUncompressedBytes, &out)
                    .ok();
    if (!good && !expected.has_value()) break;
    for (size_t at = step; good && step != 0 && at < decoder.size();
         at += std::max(step, at / 2)) {
      good = decoder.DecodeTo(at);
    }
    good = good && decoder.Finish();
    if (good != expected.has_value() || (good && out != Slice(*expected))) {
      return ::testing::AssertionFailure()
             << "type " << int{type} << ", step " << step
             << (good ? ", accepted" : ", rejected") << ", payload "
             << Slice(payload.substr(0, 500)).ToString(/*hex=*/true);
    }
  }
  return ::testing::AssertionSuccess();
}

TEST(StepDecoderElementsTest, SnappyLiteralsOfEveryLengthAndForm) {
  for (const size_t n : std::initializer_list<size_t>{
           1, 2, 15, 16, 17, 59, 60, 61, 62, 255, 256, 257, 65535, 65536, 65537,
           70'000, (1 << 24) - 1, 1 << 24, (1 << 24) + 1}) {
    for (size_t bytes = 0; bytes <= 4; ++bytes) {
      if (bytes != 0 && bytes < 4 && (n - 1) >> (8 * bytes) != 0) continue;
      if (n >= 1 << 24 && bytes == 0) continue;
      Elements alone;
      AddSnappyLiteral(&alone, n, bytes);
      int accepted = 0;
      ASSERT_TRUE(Agrees(kSnappyCompression, alone.Payload(), &accepted)) << n;
      EXPECT_EQ(accepted, 1) << n;
      if (n > 100'000) continue;
      Elements amid;
      AddSnappyLiteral(&amid, 10);
      AddSnappyLiteral(&amid, n, bytes);
      AddSnappyLiteral(&amid, 300);
      AddSnappyCopy(&amid, 64, 300, 2);
      ASSERT_TRUE(Agrees(kSnappyCompression, amid.Payload(), &accepted)) << n;
      EXPECT_EQ(accepted, 2) << n;
      for (const int64_t more : {-2, -1, 1}) {
        ASSERT_TRUE(Agrees(kSnappyCompression, alone.Payload(more)));
        ASSERT_TRUE(Agrees(kSnappyCompression, amid.Payload(more)));
      }
    }
  }
}

// The library takes a length of 2^32 for an empty literal, anywhere.
TEST(StepDecoderElementsTest, SnappyLiteralsThatAreEmpty) {
  const std::string empty(5, '\xff');
  const std::string tagged = "\xfc" + empty.substr(1);
  Elements elements;
  ASSERT_TRUE(Agrees(kSnappyCompression, elements.Payload()));
  elements.bytes = tagged;
  ASSERT_TRUE(Agrees(kSnappyCompression, elements.Payload()));
  AddSnappyLiteral(&elements, 100);
  elements.bytes += tagged + tagged;
  AddSnappyCopy(&elements, 20, 50, 2);
  AddSnappyLiteral(&elements, 200);
  elements.bytes += tagged;
  ASSERT_TRUE(Agrees(kSnappyCompression, elements.Payload()));
  ASSERT_TRUE(Agrees(kSnappyCompression, elements.Payload() + tagged));
  ASSERT_TRUE(Agrees(kSnappyCompression, elements.Payload() + "\xfc\xff"));
}

TEST(StepDecoderElementsTest, SnappyCopiesOfEveryLengthAndOffset) {
  for (const size_t after : std::initializer_list<size_t>{0, 1, 20, 400}) {
    for (size_t n = 1; n <= 64; ++n) {
      for (size_t offset = 0; offset <= 90; ++offset) {
        for (const size_t bytes : std::initializer_list<size_t>{1, 2, 4}) {
          if (bytes == 1 && (n < 4 || n > 11)) continue;
          if (bytes == 4 && n % 8 != 0) continue;
          Elements elements;
          AddSnappyLiteral(&elements, 80);
          AddSnappyCopy(&elements, n, offset, bytes);
          if (after != 0) AddSnappyLiteral(&elements, after);
          int accepted = 0;
          ASSERT_TRUE(Agrees(kSnappyCompression, elements.Payload(), &accepted))
              << n << " bytes from " << offset;
          ASSERT_EQ(accepted, offset != 0 && offset <= 80 ? 1 : 0);
        }
      }
    }
  }
}

TEST(StepDecoderElementsTest, SnappyCopiesFromFarBack) {
  Elements start;
  AddSnappyLiteral(&start, 70'000);
  for (const size_t offset : std::initializer_list<size_t>{
           2046, 2047, 2048, 65534, 65535, 65536, 69'999, 70'000, 70'001,
           1 << 24, size_t{1} << 31, SIZE_MAX}) {
    for (const size_t bytes : std::initializer_list<size_t>{1, 2, 4}) {
      Elements elements = start;
      AddSnappyCopy(&elements, 8, offset & 0xffffffff, bytes);
      AddSnappyLiteral(&elements, 200);
      ASSERT_TRUE(Agrees(kSnappyCompression, elements.Payload())) << offset;
    }
  }
}

TEST(StepDecoderElementsTest, SnappyElementsAtRandom) {
  Random random(31);
  int accepted = 0;
  const int rounds = Rounds(60'000);
  for (int round = 0; round < rounds; ++round) {
    Elements elements;
    const uint64_t parts = 1 + random.Uniform(random.OneIn(3) ? 60 : 8);
    for (uint64_t i = 0; i < parts; ++i) {
      if (elements.length == 0 || random.OneIn(3)) {
        AddSnappyLiteral(&elements,
                         1 + random.Uniform(random.OneIn(9) ? 90 : 9),
                         random.OneIn(20) ? 1 + random.Uniform(4) : 0);
      } else {
        const size_t far =
            random.OneIn(200) ? elements.length + 2 : elements.length;
        const size_t offset =
            1 +
            random.Uniform(random.OneIn(2) ? std::min<size_t>(far, 20) : far);
        const bool one = offset < 2048 && random.OneIn(2);
        AddSnappyCopy(&elements,
                      one ? 4 + random.Uniform(8) : 1 + random.Uniform(64),
                      offset,
                      one               ? 1
                      : random.OneIn(9) ? 4
                                        : 2);
      }
    }
    const int64_t more =
        random.OneIn(10) ? static_cast<int64_t>(random.Uniform(3)) - 1 : 0;
    ASSERT_TRUE(Agrees(kSnappyCompression, elements.Payload(more), &accepted));
  }
  EXPECT_GT(accepted, rounds / 2);
}

TEST(StepDecoderElementsTest, Lz4LiteralsOfEveryLength) {
  if (!StepDecoder::Supports(kLZ4Compression)) GTEST_SKIP() << "no lz4";
  for (size_t n = 0; n <= 600; ++n) {
    Elements alone;
    AddLz4(&alone, n, 0, 0);
    int accepted = 0;
    ASSERT_TRUE(Agrees(kLZ4Compression, alone.Payload(), &accepted)) << n;
    EXPECT_EQ(accepted, 1);
    for (const int64_t more : {-1, 1}) {
      if (n == 0) continue;
      ASSERT_TRUE(Agrees(kLZ4Compression, alone.Payload(more)));
    }
    for (const size_t after : std::initializer_list<size_t>{5, 12, 100}) {
      Elements amid;
      AddLz4(&amid, n + 1, 10, 1);
      AddLz4(&amid, n, 9, 4);
      AddLz4(&amid, after, 0, 0);
      ASSERT_TRUE(Agrees(kLZ4Compression, amid.Payload())) << n;
    }
  }
}

TEST(StepDecoderElementsTest, Lz4MatchesOfEveryLengthAndOffset) {
  if (!StepDecoder::Supports(kLZ4Compression)) GTEST_SKIP() << "no lz4";
  for (const size_t after :
       std::initializer_list<size_t>{4, 5, 8, 11, 12, 40, 200}) {
    for (size_t n = 4; n <= 300; n += n < 90 ? 1 : 29) {
      for (size_t offset = 0; offset <= 90; ++offset) {
        Elements elements;
        AddLz4(&elements, 80, n, offset);
        AddLz4(&elements, after, 0, 0);
        ASSERT_TRUE(Agrees(kLZ4Compression, elements.Payload()))
            << n << " bytes from " << offset << " before " << after;
      }
    }
  }
}

TEST(StepDecoderElementsTest, EmptyBlocksAreJudgedAsByTheLibrary) {
  for (const CompressionType type : {kSnappyCompression, kLZ4Compression}) {
    if (!StepDecoder::Supports(type)) continue;
    for (const std::string& length :
         {std::string(1, '\0'), std::string("\x80\0", 2)}) {
      ASSERT_TRUE(Agrees(type, length));
      for (int first = 0; first < 256; ++first) {
        const std::string one(1, static_cast<char>(first));
        ASSERT_TRUE(Agrees(type, length + one));
        ASSERT_TRUE(Agrees(type, length + one + std::string(1, '\0')));
      }
    }
  }
}

// liblz4 lets some short sequences end where the format wants literals.
TEST(StepDecoderElementsTest, Lz4BlocksEndAsInTheLibrary) {
  if (!StepDecoder::Supports(kLZ4Compression)) GTEST_SKIP() << "no lz4";
  int accepted = 0;
  int against_the_format = 0;
  for (const size_t before :
       std::initializer_list<size_t>{0, 20, 21, 40, 100}) {
    for (size_t literals = 0; literals <= 18; ++literals) {
      for (size_t match = 4; match <= 24; ++match) {
        for (const size_t offset :
             std::initializer_list<size_t>{0, 1, 7, 8, 15, 19}) {
          for (size_t last = 0; last <= 20; ++last) {
            Elements elements;
            if (before != 0) AddLz4(&elements, before, 4, 2);
            AddLz4(&elements, literals, match, offset);
            AddLz4(&elements, last, 0, 0);
            const int count = accepted;
            ASSERT_TRUE(Agrees(kLZ4Compression, elements.Payload(), &accepted));
            if (last < 5) against_the_format += accepted - count;
          }
        }
      }
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(against_the_format, 0);
}

TEST(StepDecoderElementsTest, Lz4SequencesAtRandom) {
  if (!StepDecoder::Supports(kLZ4Compression)) GTEST_SKIP() << "no lz4";
  Random random(37);
  int accepted = 0;
  const int rounds = Rounds(100'000);
  for (int round = 0; round < rounds; ++round) {
    Elements elements;
    for (uint64_t parts = random.Uniform(random.OneIn(3) ? 40 : 5); parts > 0;
         --parts) {
      const size_t literals = random.Uniform(random.OneIn(5) ? 300 : 18);
      const size_t done = elements.length + literals;
      const size_t far = random.OneIn(200) ? done + 2 : done + 1;
      AddLz4(&elements, literals,
             4 + random.Uniform(random.OneIn(5) ? 600 : 19),
             random.Uniform(random.OneIn(2) ? std::min<size_t>(far, 20)
                                            : std::min<size_t>(far, 65536)));
    }
    AddLz4(&elements, random.Uniform(random.OneIn(3) ? 40 : 16), 0, 0);
    const int64_t more =
        random.OneIn(10) ? static_cast<int64_t>(random.Uniform(3)) - 1 : 0;
    if (static_cast<int64_t>(elements.length) + more < 0) continue;
    ASSERT_TRUE(Agrees(kLZ4Compression, elements.Payload(more), &accepted));
  }
  EXPECT_GT(accepted, rounds / 2);
}

}  // namespace
}  // namespace tamis
