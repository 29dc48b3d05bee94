// SPDX-License-Identifier: Apache-2.0
//
// Tables outside of databases, by the public SstFileWriter and SstFileReader.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_db.h"
#include "util/coding/coding.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

constexpr const char* kPath = "/parent/new.sst";

class SstFileTest : public DBTest {
 protected:
  // All that an iterator shows: "a=1 b=2".
  std::string Shown(const ReadOptions& read = ReadOptions()) {
    SstFileReader reader(options_);
    const Status opened = reader.Open(kPath);
    if (!opened.ok()) return opened.ToString();
    const std::unique_ptr<Iterator> it(reader.NewIterator(read));
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      text += (text.empty() ? "" : " ") + it->key().ToString() + "=" +
              it->value().ToString();
    }
    return it->status().ok() ? text : it->status().ToString();
  }
  std::string GetFromFile(const Slice& key) {
    SstFileReader reader(options_);
    EXPECT_TRUE(reader.Open(kPath).ok());
    std::string value;
    const Status status = reader.Get(ReadOptions(), key, &value);
    if (status.ok()) return value;
    return status.IsNotFound() ? "NOT_FOUND" : status.ToString();
  }
};

#define ASSERT_OK(expression)        \
  do {                               \
    const Status ok_ = (expression); \
    ASSERT_TRUE(ok_.ok()) << ok_;    \
  } while (false)

TEST_F(SstFileTest, WrittenEntriesAreRead) {
  options_.prefix_extractor.reset(NewFixedPrefixTransform(1));
  SstFileWriter writer(options_);
  ASSERT_OK(writer.Open(kPath));
  ASSERT_OK(writer.Put("a", "1"));
  ASSERT_OK(writer.Delete("b"));
  ASSERT_OK(writer.Put("c", "3"));
  ASSERT_OK(writer.SingleDelete("d"));
  ExternalSstFileInfo info;
  ASSERT_OK(writer.Finish(&info));
  EXPECT_EQ(info.file_path, kPath);
  EXPECT_EQ(info.smallest_key, "a");
  EXPECT_EQ(info.largest_key, "d");
  EXPECT_EQ(info.num_entries, 4u);
  EXPECT_EQ(info.num_range_del_entries, 0u);
  EXPECT_EQ(info.sequence_number, 0u);
  EXPECT_EQ(info.file_size, writer.FileSize());

  EXPECT_EQ(Shown(), "a=1 c=3");
  EXPECT_EQ(GetFromFile("a"), "1");
  EXPECT_EQ(GetFromFile("b"), "NOT_FOUND");
  EXPECT_EQ(GetFromFile("bb"), "NOT_FOUND");
  SstFileReader reader(options_);
  ASSERT_OK(reader.Open(kPath));
  ASSERT_OK(reader.VerifyChecksum());
  const auto properties = reader.GetTableProperties();
  EXPECT_EQ(properties->num_entries, 4u);
  EXPECT_EQ(properties->prefix_extractor_name, "rocksdb.FixedPrefix.1");
  EXPECT_GT(properties->filter_size, 0u);
}

TEST_F(SstFileTest, AnIteratorOutlivesItsReader) {
  SstFileWriter writer(options_);
  ASSERT_OK(writer.Open(kPath));
  ASSERT_OK(writer.Put("a", "1"));
  ASSERT_OK(writer.Finish());
  auto reader = std::make_unique<SstFileReader>(options_);
  ASSERT_OK(reader->Open(kPath));
  const std::unique_ptr<Iterator> it(reader->NewIterator(ReadOptions()));
  reader.reset();
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value(), "1");
}

TEST_F(SstFileTest, KeysOutOfOrderAreRefusedByName) {
  SstFileWriter writer(options_);
  EXPECT_TRUE(writer.Put("a", "1").IsInvalidArgument());  // not open
  EXPECT_TRUE(writer.Finish().IsInvalidArgument());
  ASSERT_OK(writer.Open(kPath));
  ASSERT_OK(writer.Put("bb", "1"));
  for (const char* key : {"bb", "ba", ""}) {
    const Status status = writer.Put(key, "2");
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_NE(status.ToString().find("6262"), std::string::npos) << status;
    EXPECT_NE(status.ToString().find(Slice(key).ToString(true)),
              std::string::npos)
        << status;
  }
  ASSERT_OK(writer.Put("c", "3"));  // what was refused has changed nothing
  ASSERT_OK(writer.Finish());
  EXPECT_EQ(Shown(), "bb=1 c=3");
}

TEST_F(SstFileTest, TheComparatorDefinesTheOrder) {
  options_.comparator = ReverseBytewiseComparator();
  SstFileWriter writer(options_);
  ASSERT_OK(writer.Open(kPath));
  ASSERT_OK(writer.Put("b", "1"));
  EXPECT_TRUE(writer.Put("c", "2").IsInvalidArgument());
  ASSERT_OK(writer.Put("a", "2"));
  ASSERT_OK(writer.Finish());
  EXPECT_EQ(Shown(), "b=1 a=2");
  options_.comparator = BytewiseComparator();
  SstFileReader reader(options_);
  EXPECT_TRUE(reader.Open(kPath).IsInvalidArgument());
}

TEST_F(SstFileTest, AFileWithoutEntriesIsNotWritten) {
  {
    SstFileWriter writer(options_);
    ASSERT_OK(writer.Open(kPath));
    ASSERT_OK(writer.DeleteRange("a", "a"));
    EXPECT_TRUE(writer.Finish().IsInvalidArgument());
    EXPECT_TRUE(fs_->FileExists(kPath).IsPathNotFound());
    ASSERT_OK(writer.Open(kPath));
    ASSERT_OK(writer.Put("a", "1"));
  }
  // Finish was not called.
  EXPECT_TRUE(fs_->FileExists(kPath).IsPathNotFound());
}

TEST_F(SstFileTest, RangeDeletionsHideNothingInTheirOwnFile) {
  SstFileWriter writer(options_);
  ASSERT_OK(writer.Open(kPath));
  ASSERT_OK(writer.DeleteRange("m", "p"));
  ASSERT_OK(writer.Put("n", "1"));
  ASSERT_OK(writer.DeleteRange("c", "e"));
  EXPECT_TRUE(writer.DeleteRange("e", "c").IsInvalidArgument());
  ExternalSstFileInfo info;
  ASSERT_OK(writer.Finish(&info));
  EXPECT_EQ(info.num_entries, 1u);
  EXPECT_EQ(info.num_range_del_entries, 2u);
  EXPECT_EQ(info.smallest_range_del_key, "c");
  EXPECT_EQ(info.largest_range_del_key, "p");

  SstFileReader reader(options_);
  ASSERT_OK(reader.Open(kPath));
  ASSERT_OK(reader.VerifyChecksum());
  EXPECT_EQ(reader.GetTableProperties()->num_range_deletions, 2u);
  // All of such a file is equally old.
  EXPECT_EQ(Shown(), "n=1");
  EXPECT_EQ(GetFromFile("n"), "1");
}

TEST_F(SstFileTest, MergeOperandsAreReadOnlyThroughTheirOperator) {
  SstFileWriter writer(options_);
  ASSERT_OK(writer.Open(kPath));
  ASSERT_OK(writer.Merge("n", "1"));
  ASSERT_OK(writer.Finish());
  EXPECT_NE(Shown().find("merge"), std::string::npos) << Shown();
  EXPECT_NE(GetFromFile("n").find("merge"), std::string::npos);
  options_.merge_operator = MergeOperators::CreateStringAppendOperator();
  EXPECT_EQ(GetFromFile("n"), "1");
  EXPECT_EQ(Shown(), "n=1");
}

// One long value among short ones.
TEST_F(SstFileTest, AReaderMayLimitTheSizeOfBlocks) {
  for (const CompressionType codec : SupportedCompressions()) {
    SCOPED_TRACE(CompressionTypeName(codec));
    options_.compression = codec;
    options_.table_factory.reset(NewBlockBasedTableFactory());
    SstFileWriter writer(options_);
    ASSERT_OK(writer.Open(kPath));
    ASSERT_OK(writer.Put("a", "short"));
    ASSERT_OK(writer.Put("b", std::string(100'000, 'b')));
    for (int i = 0; i < 1000; ++i) {
      ASSERT_OK(writer.Put("c" + std::to_string(1000 + i), "short"));
    }
    ASSERT_OK(writer.Finish());
    EXPECT_EQ(GetFromFile("b"), std::string(100'000, 'b'));

    BlockBasedTableOptions table;
    table.max_decompressed_block_bytes = 50'000;
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    EXPECT_EQ(GetFromFile("c1900"), "short");
    const std::string refusal = GetFromFile("b");
    if (codec == kNoCompression) {
      EXPECT_EQ(refusal.size(), 100'000u);  // the file bounds it
      continue;
    }
    EXPECT_TRUE(refusal.starts_with("Corruption: ")) << refusal;
    for (const char* part : {kPath, "block at offset 0", "claim to hold 100",
                             "BlockBasedTableOptions::max_decompressed_block_"
                             "bytes allows 50000"}) {
      EXPECT_NE(refusal.find(part), std::string::npos) << refusal;
    }
  }
}

TEST_F(SstFileTest, ADatabasePassesItsBlockLimitOn) {
  options_.compression = kSnappyCompression;
  Open();
  ASSERT_OK(db_->Put(WriteOptions(), "b", std::string(100'000, 'b')));
  ASSERT_OK(db_->Flush(FlushOptions()));
  ASSERT_OK(db_->Close());
  BlockBasedTableOptions table;
  table.max_decompressed_block_bytes = 50'000;
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  std::string value;
  const Status status = db_->Get(ReadOptions(), "b", &value);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_NE(status.message().find("max_decompressed_block_bytes"),
            std::string::npos)
      << status;
}

TEST_F(SstFileTest, ABlockThatClaimsAGigabyteIsRefusedByName) {
  for (const CompressionType codec : SupportedCompressions()) {
    if (codec == kNoCompression) continue;
    SCOPED_TRACE(CompressionTypeName(codec));
    options_.compression = codec;
    BlockBasedTableOptions table;
    table.checksum = kNoChecksum;
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    SstFileWriter writer(options_);
    ASSERT_OK(writer.Open(kPath));
    ASSERT_OK(writer.Put("a", std::string(1000, 'a')));
    ASSERT_OK(writer.Finish());
    // The length is at the beginning of the first block.
    std::string bytes;
    ASSERT_OK(fs_->GetContents(kPath, &bytes));
    std::string claim;
    PutVarint32(&claim, uint32_t{1} << 30);
    ASSERT_OK(fs_->SetContents(kPath, claim + bytes.substr(claim.size())));
    const std::string refusal = GetFromFile("a");
    for (const char* part : {kPath, "block at offset 0", "1073741824"}) {
      EXPECT_NE(refusal.find(part), std::string::npos) << refusal;
    }
  }
}

// Another process truncates the file before it is opened or while it is read.
TEST_F(SstFileTest, ATruncatedFileIsCorruption) {
  SstFileWriter writer(options_);
  ASSERT_OK(writer.Open(kPath));
  for (int i = 0; i < 200; ++i) {
    ASSERT_OK(
        writer.Put("k" + std::to_string(1000 + i), std::string(100, 'v')));
  }
  ASSERT_OK(writer.DeleteRange("k1", "k10"));
  ASSERT_OK(writer.Finish());
  std::string bytes;
  ASSERT_OK(fs_->GetContents(kPath, &bytes));
  for (size_t n = 0; n < bytes.size(); n += 61) {
    SCOPED_TRACE("cut to " + std::to_string(n));
    const auto expect_corruption = [&](const Status& status) {
      EXPECT_TRUE(status.IsCorruption()) << status;
      EXPECT_NE(status.message().find(kPath), std::string::npos) << status;
      EXPECT_NE(status.message().find("offset"), std::string::npos) << status;
    };
    // Before it is opened.
    ASSERT_OK(fs_->SetContents(kPath, bytes.substr(0, n)));
    {
      SstFileReader reader(options_);
      const Status status = reader.Open(kPath);
      EXPECT_TRUE(status.IsCorruption() || status.IsNotSupported()) << status;
      EXPECT_NE(status.message().find(kPath), std::string::npos) << status;
    }
    // After.
    ASSERT_OK(fs_->SetContents(kPath, bytes));
    SstFileReader reader(options_);
    ASSERT_OK(reader.Open(kPath));
    ASSERT_OK(fs_->SetContents(kPath, bytes.substr(0, n)));
    constexpr size_t kFooterBytes = 53;  // read when it was opened
    if (n + kFooterBytes < bytes.size()) {
      expect_corruption(reader.VerifyChecksum());
    }
    for (const size_t readahead : {size_t{0}, size_t{1} << 20}) {
      ReadOptions read;
      read.readahead_size = readahead;
      const std::unique_ptr<Iterator> it(reader.NewIterator(read));
      int entries = 0;
      for (it->SeekToFirst(); it->Valid(); it->Next()) ++entries;
      EXPECT_LE(entries, 200);
      if (entries < 200) expect_corruption(it->status());
    }
    std::string value;
    const Status status = reader.Get(ReadOptions(), "k1000", &value);
    if (!status.ok()) expect_corruption(status);
  }
}

}  // namespace
}  // namespace tamis
