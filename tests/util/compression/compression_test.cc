// SPDX-License-Identifier: Apache-2.0
#include "util/compression/compression.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/util/coding/vectors.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

std::string Noise(size_t n) {
  Random random(1);
  std::string noise(n, '\0');
  for (char& c : noise) c = static_cast<char>(random.Next());
  return noise;
}

std::string Prefixed(uint64_t length, const std::string& stream) {
  std::string payload;
  PutVarint64(&payload, length);
  return payload + stream;
}

std::string Prefixed64(uint64_t length, const std::string& stream) {
  std::string payload;
  PutFixed64(&payload, length);
  return payload + stream;
}

constexpr PayloadForm kForms[] = {PayloadForm::kVersion1,
                                  PayloadForm::kVersion2};

TEST(CompressionTest, EverySupportedCodecRoundTrips) {
  for (const CompressionType type : SupportedCompressions()) {
    if (type == kNoCompression) continue;
    for (const std::string& raw : {std::string(), std::string("a"),
                                   std::string(1 << 20, 'r'), Noise(5000)}) {
      for (const PayloadForm form : kForms) {
        std::string packed = "old";
        ASSERT_TRUE(Compress(type, raw, &packed, form));
        const Result<ByteBuffer> back = Uncompress(type, packed, form);
        ASSERT_TRUE(back.ok()) << back.status();
        EXPECT_EQ(back.value(), raw);
      }
    }
  }
  EXPECT_TRUE(CompressionSupported(kSnappyCompression));
}

TEST(CompressionTest, EveryWritableCodecIsReadable) {
  for (const CompressionType type : SupportedCompressions()) {
    EXPECT_TRUE(UncompressionSupported(type)) << CompressionTypeName(type);
  }
  EXPECT_FALSE(UncompressionSupported(kXpressCompression));
  EXPECT_FALSE(CompressionSupported(kXpressCompression));
}

TEST(CompressionTest, AMissingCodecIsNamed) {
  std::string out;
  for (uint8_t t = 1; t <= kZSTD; ++t) {
    const auto type = static_cast<CompressionType>(t);
    if (!CompressionSupported(type)) {
      EXPECT_FALSE(Compress(type, "raw", &out));
    }
    if (UncompressionSupported(type)) continue;
    const Status status = Uncompress(type, "packed").status();
    EXPECT_TRUE(status.IsNotSupported()) << status;
    EXPECT_NE(status.message().find(CompressionTypeName(type)),
              std::string::npos);
  }
}

TEST(CompressionTest, AnUnknownCodecNumberIsCorruption) {
  for (const int t : {8, 0x41, 0xff}) {
    EXPECT_TRUE(Uncompress(static_cast<CompressionType>(t), "x")
                    .status()
                    .IsCorruption());
  }
}

// What the codecs' own programs made of kText, with and without kDictionary.
constexpr char kText[] =
    "to be or not to be, that is the question: to be or not to be";
constexpr size_t kTextBytes = sizeof(kText) - 1;
constexpr char kDictionary[] = "that is the question: to be or not";

constexpr char kDeflated[] =
    "2bc957484a55c82f52c8cb2f5128017174144a32124b14328b8174aa4261696a7149667e"
    "9e154412452500";
constexpr char kBzip2[] =
    "425a6839314159265359fee129c900001b9980400400103261be00200054530000254c9a"
    "32311c0ba231ab7d0d53c09153c9bc34a0a16a388c662f231263fde177245385090fee12"
    "9c90";
constexpr char kLz4[] =
    "d1746f206265206f72206e6f74200d00f2082c207468617420697320746865207175657374"
    "696f6e3a1d00042a0050746f206265";
constexpr char kZstd[] =
    "28b52ffd203c8501004402746f206265206f72206e6f74202c207468617420697320746865"
    "207175657374696f6e3a03004d1d10a869e09a5f";

constexpr char kDeflatedWithDictionary[] = "436643247480aa09e9827000";
constexpr char kLz4WithDictionary[] = "080c000219002f2c2036000f6020746f206265";
constexpr char kZstdWithDictionary[] =
    "28b52ffd203c9d0000402c2020746f20626503005939e439c4b90204";

constexpr auto kZstdNotFinal = static_cast<CompressionType>(0x40);

struct Foreign {
  const char* name;
  CompressionType type;
  PayloadForm form;
  std::string payload;
};

std::vector<Foreign> ForeignPayloads() {
  constexpr PayloadForm k1 = PayloadForm::kVersion1;
  constexpr PayloadForm k2 = PayloadForm::kVersion2;
  return {
      {"zlib", kZlibCompression, k2, Prefixed(kTextBytes, FromHex(kDeflated))},
      {"zlib 1", kZlibCompression, k1, FromHex(kDeflated)},
      {"bzip2", kBZip2Compression, k2, Prefixed(kTextBytes, FromHex(kBzip2))},
      {"bzip2 1", kBZip2Compression, k1, FromHex(kBzip2)},
      {"lz4", kLZ4Compression, k2, Prefixed(kTextBytes, FromHex(kLz4))},
      {"lz4 1", kLZ4Compression, k1, Prefixed64(kTextBytes, FromHex(kLz4))},
      {"lz4hc", kLZ4HCCompression, k2, Prefixed(kTextBytes, FromHex(kLz4))},
      {"zstd", kZSTD, k2, Prefixed(kTextBytes, FromHex(kZstd))},
      {"zstd 1", kZSTD, k1, Prefixed(kTextBytes, FromHex(kZstd))},
      {"zstd not final", kZstdNotFinal, k2,
       Prefixed(kTextBytes, FromHex(kZstd))},
      {"leveldb", kZlibCompression, PayloadForm::kLevelDB, FromHex(kZstd)},
  };
}

// Whether this build can read it: LevelDB's number 2 is zstd.
bool IsReadable(const Foreign& foreign) {
  return UncompressionSupported(
      foreign.form == PayloadForm::kLevelDB ? kZSTD : foreign.type);
}

TEST(CompressionTest, ReadsEveryFormatThatOthersWrite) {
  for (const Foreign& foreign : ForeignPayloads()) {
    SCOPED_TRACE(foreign.name);
    const Result<ByteBuffer> raw =
        Uncompress(foreign.type, foreign.payload, foreign.form);
    if (!IsReadable(foreign)) {
      EXPECT_TRUE(raw.status().IsNotSupported()) << raw.status();
      continue;
    }
    ASSERT_TRUE(raw.ok()) << raw.status();
    EXPECT_EQ(raw.value(), kText);
  }
}

TEST(CompressionTest, TheCallersMemoryIsReusedAndGrown) {
  ByteBuffer reused = ByteBuffer::WithRoom(size_t{1} << 16);
  const char* const memory = reused.data();
  for (const Foreign& foreign : ForeignPayloads()) {
    if (!IsReadable(foreign)) continue;
    SCOPED_TRACE(foreign.name);
    const auto into = [&](const std::string& payload, ByteBuffer* out) {
      return UncompressInto(foreign.type, payload, foreign.form,
                            /*dictionary=*/nullptr, kMaxUncompressedBytes, out);
    };
    reused.Append("of another block");
    EXPECT_FALSE(into(foreign.payload.substr(0, 20), &reused).ok());
    Status status = into(foreign.payload, &reused);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(reused.bytes(), kText);
    EXPECT_EQ(reused.data(), memory);

    ByteBuffer small = ByteBuffer::WithRoom(kTextBytes - 1);
    status = into(foreign.payload, &small);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(small.bytes(), kText);
  }
}

TEST(CompressionTest, ReadsAgainstADictionary) {
  const UncompressionDictionary dictionary(kDictionary);
  const Foreign cases[] = {
      {"zlib", kZlibCompression, PayloadForm::kVersion2,
       Prefixed(kTextBytes, FromHex(kDeflatedWithDictionary))},
      {"lz4", kLZ4Compression, PayloadForm::kVersion2,
       Prefixed(kTextBytes, FromHex(kLz4WithDictionary))},
      {"zstd", kZSTD, PayloadForm::kVersion2,
       Prefixed(kTextBytes, FromHex(kZstdWithDictionary))},
  };
  for (const Foreign& c : cases) {
    if (!IsReadable(c)) continue;
    SCOPED_TRACE(c.name);
    ByteBuffer raw(Slice("of another block"));
    const Status status = UncompressInto(c.type, c.payload, c.form, &dictionary,
                                         kMaxUncompressedBytes, &raw);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(raw.bytes(), kText);
    const Result<ByteBuffer> without = Uncompress(c.type, c.payload, c.form);
    EXPECT_FALSE(without.ok() && without.value() == kText);
  }
}

// A dictionary that is longer than what LZ4 can look back on.
TEST(CompressionTest, Lz4LooksBackOnTheLast64KiBOfADictionary) {
  if (!UncompressionSupported(kLZ4Compression)) GTEST_SKIP() << "no lz4";
  const UncompressionDictionary dictionary(Noise(100'000) + kDictionary);
  const Result<ByteBuffer> raw = Uncompress(
      kLZ4Compression, Prefixed(kTextBytes, FromHex(kLz4WithDictionary)),
      PayloadForm::kVersion2, &dictionary);
  ASSERT_TRUE(raw.ok()) << raw.status();
  EXPECT_EQ(raw.value(), kText);
}

TEST(CompressionTest, EveryTruncatedPayloadIsCorruption) {
  for (const Foreign& foreign : ForeignPayloads()) {
    if (!IsReadable(foreign)) continue;
    for (size_t n = 0; n + 1 < foreign.payload.size(); ++n) {
      const Result<ByteBuffer> raw = Uncompress(
          foreign.type, Slice(foreign.payload.data(), n), foreign.form);
      // The last bits of a stream may be padding or an unused checksum.
      if (raw.ok() && raw.value() == kText) continue;
      EXPECT_TRUE(raw.status().IsCorruption())
          << foreign.name << " cut to " << n << ": " << raw.status();
    }
  }
}

TEST(CompressionTest, FlippedBytesAreCorruptionOrOtherBytes) {
  for (const Foreign& foreign : ForeignPayloads()) {
    if (!IsReadable(foreign)) continue;
    for (size_t i = 0; i < foreign.payload.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string bad = foreign.payload;
        bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
        const Result<ByteBuffer> raw =
            Uncompress(foreign.type, bad, foreign.form);
        if (raw.ok()) {
          EXPECT_LE(raw.value().size(), size_t{1} << 20) << foreign.name;
        } else {
          EXPECT_TRUE(raw.status().IsCorruption()) << raw.status();
        }
      }
    }
  }
}

// A short payload never gets the memory that it declares.
TEST(CompressionTest, ALengthThatTheBytesCannotHoldIsCorruption) {
  for (uint8_t t = kSnappyCompression; t <= kZSTD; ++t) {
    const auto type = static_cast<CompressionType>(t);
    if (!UncompressionSupported(type)) continue;
    for (const uint64_t declared :
         {uint64_t{1} << 20, uint64_t{UINT32_MAX}, uint64_t{1} << 40}) {
      for (const PayloadForm form : kForms) {
        const bool wide = t == kLZ4Compression || t == kLZ4HCCompression;
        const Status status = Uncompress(type,
                                         wide && form == PayloadForm::kVersion1
                                             ? Prefixed64(declared, "abc")
                                             : Prefixed(declared, "abc"),
                                         form)
                                  .status();
        EXPECT_TRUE(status.IsCorruption())
            << CompressionTypeName(type) << status;
      }
    }
  }
}

// 20 bytes that declare 1 GiB: each codec refuses them by the length alone.
TEST(CompressionTest, ADeclaredLengthIsRefusedBeforeItIsUncompressed) {
  constexpr uint64_t kDeclared = uint64_t{1} << 30;
  struct Claim {
    CompressionType type;
    PayloadForm form;
    std::string payload;
  };
  const std::string few(15, 'x');
  std::vector<Claim> claims;
  for (const CompressionType type :
       {kSnappyCompression, kZlibCompression, kBZip2Compression,
        kLZ4Compression, kLZ4HCCompression, kZSTD}) {
    claims.push_back({type, PayloadForm::kVersion2, Prefixed(kDeclared, few)});
  }
  claims.push_back(
      {kLZ4Compression, PayloadForm::kVersion1, Prefixed64(kDeclared, few)});
  claims.push_back({kZSTD, PayloadForm::kVersion1, Prefixed(kDeclared, few)});
  // A frame with a content size of four bytes.
  claims.push_back({kZlibCompression, PayloadForm::kLevelDB,
                    FromHex("28b52ffda000000040") + few.substr(4)});
  for (const Claim& claim : claims) {
    const bool is_zstd = claim.form == PayloadForm::kLevelDB;
    if (!UncompressionSupported(is_zstd ? kZSTD : claim.type)) continue;
    const Status status =
        Uncompress(claim.type, claim.payload, claim.form).status();
    EXPECT_TRUE(status.IsCorruption());
    EXPECT_NE(status.message().find("claim to hold 1073741824, expected at"),
              std::string::npos)
        << CompressionTypeName(claim.type) << ": " << status;
  }
}

TEST(CompressionTest, ALimitRefusesLongerOutput) {
  std::vector<Foreign> payloads = ForeignPayloads();
  std::string snappy;
  ASSERT_TRUE(Compress(kSnappyCompression, kText, &snappy));
  payloads.push_back({"snappy", kSnappyCompression, PayloadForm::kVersion2,
                      std::move(snappy)});
  for (const Foreign& foreign : payloads) {
    if (!IsReadable(foreign)) continue;
    SCOPED_TRACE(foreign.name);
    const auto raw = Uncompress(foreign.type, foreign.payload, foreign.form,
                                nullptr, kTextBytes);
    ASSERT_TRUE(raw.ok()) << raw.status();
    EXPECT_EQ(raw.value(), kText);
    const Status status = Uncompress(foreign.type, foreign.payload,
                                     foreign.form, nullptr, kTextBytes - 1)
                              .status();
    EXPECT_TRUE(status.IsCorruption()) << status;
    for (const std::string& part :
         {"claim to hold " + std::to_string(kTextBytes),
          std::string("max_decompressed_block_bytes allows ") +
              std::to_string(kTextBytes - 1)}) {
      EXPECT_NE(status.message().find(part), std::string::npos) << status;
    }
  }
}

TEST(CompressionTest, ALengthOffByOneIsCorruption) {
  const std::pair<CompressionType, const char*> streams[] = {
      {kZlibCompression, kDeflated},
      {kBZip2Compression, kBzip2},
      {kLZ4Compression, kLz4},
      {kZSTD, kZstd}};
  for (const auto& [type, stream] : streams) {
    if (!UncompressionSupported(type)) continue;
    for (const size_t declared : {kTextBytes - 1, kTextBytes + 1}) {
      EXPECT_TRUE(Uncompress(type, Prefixed(declared, FromHex(stream)))
                      .status()
                      .IsCorruption())
          << CompressionTypeName(type) << declared;
    }
  }
}

TEST(CompressionTest, GarbageIsCorruption) {
  const std::string noise = Noise(300);
  for (uint8_t t = kSnappyCompression; t <= kZSTD; ++t) {
    const auto type = static_cast<CompressionType>(t);
    if (!UncompressionSupported(type)) continue;
    for (const PayloadForm form : kForms) {
      EXPECT_TRUE(
          Uncompress(type, Prefixed(200, noise), form).status().IsCorruption())
          << CompressionTypeName(type);
      EXPECT_TRUE(Uncompress(type, "", form).status().IsCorruption())
          << CompressionTypeName(type);
    }
  }
  EXPECT_FALSE(Uncompress(kZlibCompression, noise, PayloadForm::kLevelDB).ok());
}

// Its number means zstd there.
TEST(CompressionTest, LevelDBsFormHasNoZlib) {
  std::string out;
  EXPECT_FALSE(Compress(kZlibCompression, kText, &out, PayloadForm::kLevelDB));
  EXPECT_EQ(Compress(kZlibCompression, kText, &out),
            CompressionSupported(kZlibCompression));
}

// Streams without a length of their own: a million bytes out of a few.
TEST(CompressionTest, AStreamWithoutALengthGrowsItsBuffer) {
  if (!UncompressionSupported(kBZip2Compression)) GTEST_SKIP() << "no bzip2";
  const std::string packed = FromHex(
      "425a68393141592653597bb2c7670007a880c0900000020008200030cc09aa69952436a9"
      "490f1772453850907bb2c767");
  const Result<ByteBuffer> raw =
      Uncompress(kBZip2Compression, packed, PayloadForm::kVersion1);
  ASSERT_TRUE(raw.ok()) << raw.status();
  EXPECT_EQ(raw.value(), std::string(1'000'000, 'r'));
  EXPECT_EQ(Uncompress(kBZip2Compression, Prefixed(1'000'000, packed)).value(),
            raw.value());
}

TEST(CompressionTest, SnappyRefusesDamagedStreams) {
  std::string packed;
  ASSERT_TRUE(Compress(kSnappyCompression, std::string(3000, 'q'), &packed));
  EXPECT_TRUE(Uncompress(kSnappyCompression, "").status().IsCorruption());
  EXPECT_TRUE(
      Uncompress(kSnappyCompression, Slice(packed.data(), packed.size() - 1))
          .status()
          .IsCorruption());
}

}  // namespace
}  // namespace tamis
