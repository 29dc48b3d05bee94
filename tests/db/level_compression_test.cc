// SPDX-License-Identifier: Apache-2.0
//
// The codec of each table: by level, at the bottom, and how hard it tries.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

class LevelCompressionTest : public DBTest {
 protected:
  LevelCompressionTest() {
    options_.disable_auto_compactions = true;
    options_.compression = kNoCompression;
  }
  // A table of level 0 with these keys, whose values compress.
  void MakeTable(int first, int last, const std::string& word = "value ") {
    for (int i = first; i <= last; ++i) {
      std::string value;
      for (int n = 0; n < 40; ++n) value += word + std::to_string(i * n);
      Put(Key(i), value);
    }
    Flush();
  }
  // The codecs of the live tables, by level.
  std::map<int, std::string> Codecs() {
    std::map<int, std::string> codecs;
    const auto tables = Tables();
    for (const auto& file : LiveFiles()) {
      for (const auto& [name, properties] : tables) {
        if (name.find(file.name) == std::string::npos) continue;
        codecs[file.level] = properties.compression_name;
      }
    }
    return codecs;
  }
  using Codec = std::map<int, std::string>;
};

TEST_F(LevelCompressionTest, EachLevelHasItsCodec) {
  options_.compression_per_level = {kNoCompression, kSnappyCompression,
                                    kLZ4Compression};
  for (const bool dynamic : {false, true}) {
    options_.level_compaction_dynamic_level_bytes = dynamic;
    Open();
    MakeTable(0, 99);
    EXPECT_EQ(Codecs(), (Codec{{0, "NoCompression"}}));
    Compact();
    // The first level below 0, wherever it is.
    EXPECT_EQ(Codecs(), (Codec{{dynamic ? 6 : 1, "Snappy"}}));
    Destroy();
  }
}

TEST_F(LevelCompressionTest, TheLastCodecIsForAllFurtherLevels) {
  options_.compression_per_level = {kNoCompression, kSnappyCompression,
                                    kLZ4Compression};
  options_.max_bytes_for_level_base = 1;
  options_.max_bytes_for_level_multiplier = 1;
  options_.disable_auto_compactions = false;
  Open();
  MakeTable(0, 99);
  Compact();
  RunJobs();
  // Down to the last level: tables with another codec were rewritten.
  EXPECT_EQ(Codecs(), (Codec{{6, "LZ4"}}));
}

TEST_F(LevelCompressionTest, TheBottomHasACodecOfItsOwn) {
  options_.bottommost_compression = kZSTD;
  Open();
  MakeTable(0, 99);
  EXPECT_EQ(Codecs(), (Codec{{0, "NoCompression"}}));  // a flush
  Compact();
  EXPECT_EQ(Codecs(), (Codec{{1, "ZSTD"}}));
}

TEST_F(LevelCompressionTest, ATableWithAnotherCodecIsNotMoved) {
  for (const CompressionType bottom :
       {kDisableCompressionOption, kLZ4Compression}) {
    options_.bottommost_compression = bottom;
    options_.level0_file_num_compaction_trigger = 1;
    options_.disable_auto_compactions = false;
    Open();
    const uint64_t written = Tick(COMPACT_WRITE_BYTES);
    MakeTable(0, 99);
    RunJobs();
    const bool moved = bottom == kDisableCompressionOption;
    EXPECT_EQ(Codecs(), (Codec{{1, moved ? "NoCompression" : "LZ4"}}));
    EXPECT_EQ(Tick(COMPACT_WRITE_BYTES) == written, moved);
    // What the bottom already has moves.
    const uint64_t again = Tick(COMPACT_WRITE_BYTES);
    options_.max_bytes_for_level_base = 1;
    options_.max_bytes_for_level_multiplier = 1;
    Reopen();
    RunJobs();
    EXPECT_EQ(Levels(), "0,0,0,0,0,0,1");
    EXPECT_EQ(Tick(COMPACT_WRITE_BYTES), again);
    Destroy();
    options_.max_bytes_for_level_base = 256 << 20;
    options_.max_bytes_for_level_multiplier = 10;
  }
}

TEST_F(LevelCompressionTest, TheLevelOfACodecActs) {
  for (const CompressionType codec : {kZSTD, kLZ4HCCompression}) {
    std::map<int, uint64_t> bytes;
    for (const int level : {1, 12}) {
      options_.compression = codec;
      options_.compression_opts.level = level;
      Open();
      MakeTable(0, 299);
      const TableProperties table = OnlyTable();
      bytes[level] = table.data_size;
      EXPECT_NE(
          table.compression_options.find("level=" + std::to_string(level)),
          std::string::npos)
          << table.compression_options;
      Destroy();
    }
    EXPECT_LT(bytes[12], bytes[1]) << CompressionTypeName(codec);
  }
  std::map<int, uint64_t> bytes;
  for (const int level : {-60, CompressionOptions::kDefaultCompressionLevel}) {
    options_.compression = kLZ4Compression;
    options_.compression_opts.level = level;
    Open();
    MakeTable(0, 299);
    bytes[level] = OnlyTable().data_size;
    Destroy();
  }
  EXPECT_LT(bytes[CompressionOptions::kDefaultCompressionLevel], bytes[-60]);
}

TEST_F(LevelCompressionTest, TheBottomMayTryHarder) {
  std::map<bool, std::string> options;
  for (const bool enabled : {false, true}) {
    options_.compression_opts.level = 2;
    options_.bottommost_compression = kZSTD;
    options_.bottommost_compression_opts.level = 9;
    options_.bottommost_compression_opts.enabled = enabled;
    Open();
    MakeTable(0, 99);
    Compact();
    options[enabled] = OnlyTable().compression_options;
    Destroy();
  }
  EXPECT_NE(options[false].find(" level=2;"), std::string::npos);
  EXPECT_NE(options[true].find(" level=9;"), std::string::npos);
}

TEST_F(LevelCompressionTest, CodecsThatTheBuildCannotWriteAreRejected) {
  options_.compression_per_level = {kNoCompression, kXpressCompression};
  Status status = TryOpen();
  EXPECT_TRUE(status.IsNotSupported()) << status;
  EXPECT_NE(status.ToString().find("compression_per_level"), std::string::npos);
  options_.compression_per_level.clear();
  options_.bottommost_compression = kXpressCompression;
  status = TryOpen();
  EXPECT_TRUE(status.IsNotSupported()) << status;
  EXPECT_NE(status.ToString().find("bottommost_compression"),
            std::string::npos);
}

TEST_F(LevelCompressionTest, AlignedBlocksExcludeEveryCodec) {
  BlockBasedTableOptions table;
  table.block_align = true;
  SetTable(table);
  options_.bottommost_compression = kLZ4Compression;
  const Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  options_.bottommost_compression = kDisableCompressionOption;
  Open();
}

}  // namespace
}  // namespace tamis
