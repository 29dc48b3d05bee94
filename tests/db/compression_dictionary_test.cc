// SPDX-License-Identifier: Apache-2.0
//
// Which tables of a database have a compression dictionary.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tamis/explain.h"
#include "tamis/sst_file_writer.h"

#include "table/format.h"
#include "tests/db/test_db.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

class CompressionDictionaryTest : public DBTest {
 protected:
  CompressionDictionaryTest() {
    options_.disable_auto_compactions = true;
    options_.compression = kZSTD;
    BlockBasedTableOptions table;
    table.block_size = 1024;
    SetTable(table);
  }
  void SetUp() override {
    if (!CompressionSupported(kZSTD)) GTEST_SKIP() << "no zstd";
  }
  static std::string Value(int i) {
    return "{\"customer\": " + std::to_string(i * 7919 % 100'000) +
           ", \"currency\": \"EUR\", \"delivery\": \"standard parcel\"" +
           Noise(12, static_cast<uint64_t>(i)) + "}";
  }
  void MakeTable(int first, int last) {
    for (int i = first; i <= last; ++i) {
      Put(Key(i), Value(i));
      model_[Key(i)] = Value(i);
    }
    Flush();
  }
  std::string FileContents(const std::string& path) {
    std::string contents;
    EXPECT_TRUE(fs_->GetContents(path, &contents).ok()) << path;
    return contents;
  }
  static bool HasDictionary(const std::string& contents) {
    return contents.find(kCompressionDictionaryBlockName) != std::string::npos;
  }
  // The numbers of live tables with and without a dictionary.
  std::map<bool, int> Dictionaries() {
    std::map<bool, int> found;
    for (const auto& file : LiveFiles()) {
      ++found[HasDictionary(FileContents(kTestDirectory + file.name))];
    }
    return found;
  }
  using Found = std::map<bool, int>;

  std::map<std::string, std::string> model_;
};

TEST_F(CompressionDictionaryTest, FlushesAndCompactionsHaveIt) {
  std::map<uint32_t, uint64_t> bytes;
  for (const uint32_t dictionary : {0u, 16'384u}) {
    options_.compression_opts.max_dict_bytes = dictionary;
    options_.compression_opts.zstd_max_train_bytes = 100 * dictionary;
    Open();
    MakeTable(0, 4999);
    EXPECT_EQ(Dictionaries(), (Found{{dictionary > 0, 1}}));
    MakeTable(2500, 7499);
    Compact();
    EXPECT_EQ(Levels(), "0,1");
    EXPECT_EQ(Dictionaries(), (Found{{dictionary > 0, 1}}));
    bytes[dictionary] = LiveBytes();
    Reopen();
    ExpectReadsAs(model_, 7600);
    Destroy();
  }
  EXPECT_LT(bytes[16'384] * 10, bytes[0] * 8);
}

TEST_F(CompressionDictionaryTest, CompactionsCutTablesOfTheirSize) {
  options_.compression_opts.max_dict_bytes = 4096;
  options_.target_file_size_base = 100'000;
  Open();
  MakeTable(0, 9999);
  Compact();
  const auto files = LiveFiles();
  ASSERT_GT(files.size(), 2u);
  EXPECT_EQ(Dictionaries(), (Found{{true, static_cast<int>(files.size())}}));
  for (size_t i = 0; i + 1 < files.size(); ++i) {
    EXPECT_GT(files[i].size, 98'000u);
    EXPECT_LT(files[i].size, 120'000u);
  }
  ExpectReadsAs(model_, 10'000);
}

TEST_F(CompressionDictionaryTest, TheBottomMayHaveOneOfItsOwn) {
  for (const CompressionType bottom : {kDisableCompressionOption, kZSTD}) {
    options_.bottommost_compression = bottom;
    options_.bottommost_compression_opts.max_dict_bytes = 8192;
    for (const bool enabled : {false, true}) {
      options_.bottommost_compression_opts.enabled = enabled;
      Open();
      MakeTable(0, 1999);
      EXPECT_EQ(Dictionaries(), (Found{{false, 1}}));
      Compact();
      EXPECT_EQ(Dictionaries(), (Found{{enabled, 1}}));
      ExpectReadsAs(model_, 2000);
      Destroy();
    }
  }
}

TEST_F(CompressionDictionaryTest, SetOptionsChangesIt) {
  Open();
  MakeTable(0, 999);
  const Status status =
      db_->SetOptions({{"compression_opts", "{max_dict_bytes=4096}"}});
  ASSERT_TRUE(status.ok()) << status;
  MakeTable(1000, 1999);
  EXPECT_EQ(Dictionaries(), (Found{{false, 1}, {true, 1}}));
}

TEST_F(CompressionDictionaryTest, NewFiltersKeepIt) {
  options_.compression_opts.max_dict_bytes = 4096;
  Open();
  MakeTable(0, 1999);
  const std::string before = LiveFiles().front().name;
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewRibbonFilterPolicy(10));
  SetTable(table);
  Reopen();
  const Status status = db_->RewriteFilters(
      RewriteFiltersOptions(), db_->DefaultColumnFamily(), nullptr, nullptr);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_NE(LiveFiles().front().name, before);
  EXPECT_EQ(Dictionaries(), (Found{{true, 1}}));
  ExpectReadsAs(model_, 2000);
}

TEST_F(CompressionDictionaryTest, TablesForIngestionHaveIt) {
  const std::string path = "/parent/external.sst";
  for (const bool bottom : {false, true}) {
    options_.compression_opts.max_dict_bytes = bottom ? 0 : 4096;
    options_.bottommost_compression =
        bottom ? kZSTD : kDisableCompressionOption;
    options_.bottommost_compression_opts.enabled = bottom;
    options_.bottommost_compression_opts.max_dict_bytes = bottom ? 4096 : 0;
    SstFileWriter writer(options_);
    ASSERT_TRUE(writer.Open(path).ok());
    for (int i = 0; i < 2000; ++i) {
      model_[Key(i)] = Value(i);
      ASSERT_TRUE(writer.Put(Key(i), Value(i)).ok());
    }
    // Blocks that wait count.
    EXPECT_GT(writer.FileSize(), 100'000u);
    ASSERT_TRUE(writer.Finish().ok());
    EXPECT_TRUE(HasDictionary(FileContents(path)));
    Open();
    ASSERT_TRUE(
        db_->IngestExternalFile({path}, IngestExternalFileOptions()).ok());
    ExpectReadsAs(model_, 2000);
    Destroy();
  }
}

TEST_F(CompressionDictionaryTest, ExplainSaysIt) {
  options_.compression_opts.max_dict_bytes = 16'384;
  EXPECT_NE(Explain(options_).find("ZSTD with a dictionary of up to 16 KiB"),
            std::string::npos)
      << Explain(options_);
  options_.compression = kSnappyCompression;
  EXPECT_NE(Explain(options_).find("Snappy, which has no dictionaries"),
            std::string::npos)
      << Explain(options_);
}

}  // namespace
}  // namespace tamis
