// SPDX-License-Identifier: Apache-2.0
//
// What a copy of a table with new filters cannot keep, and damage.
#include "table/table_copy.h"

#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/comparator.h"

#include "tests/support/simulated_file_system.h"
#include "util/cache/block_cache.h"

namespace tamis {
namespace {

class TableCopyTest : public testing::Test {
 protected:
  TableCopyTest() : order_(BytewiseComparator()), options_(order_) {
    options_.compression = kNoCompression;
    options_.table.block_size = 500;
    options_.file_name = kSource;
  }

  void Write() {
    std::unique_ptr<WritableFile> file;
    ASSERT_TRUE(fs_->NewWritableFile(kSource, &file).ok());
    TableBuilder builder(options_, file.get());
    for (int i = 0; i < 300; ++i) {
      std::string key;
      AppendInternalKey(&key, "key" + std::to_string(1000 + i), 7, kTypeValue);
      builder.Add(key, std::string(20, 'v'));
    }
    builder.AddRangeDeletion("key2", "key3", 9);
    ASSERT_TRUE(builder.Finish().ok());
    ASSERT_TRUE(file->Close().ok());
  }
  void Open() {
    std::unique_ptr<RandomAccessFile> file;
    ASSERT_TRUE(fs_->NewRandomAccessFile(kSource, &file).ok());
    uint64_t size = 0;
    ASSERT_TRUE(fs_->GetFileSize(kSource, &size).ok());
    TableContext context(order_);
    context.file_name = kSource;
    auto opened = TableReader::Open(std::move(file), size, context);
    ASSERT_TRUE(opened.ok()) << opened.status();
    source_ = *std::move(opened);
  }
  Result<TableCopy::Written> Copy(
      const std::function<bool()>& cancelled = nullptr) {
    EXPECT_TRUE(fs_->NewWritableFile(kCopy, &file_).ok());
    return TableCopy(*source_, options_).WriteTo(file_.get(), cancelled);
  }

  static constexpr char kSource[] = "/source";
  static constexpr char kCopy[] = "/copy";
  const std::shared_ptr<SimulatedFileSystem> fs_ = NewSimulatedFileSystem();
  const KeyOrder order_;
  TableBuildOptions options_;
  std::unique_ptr<TableReader> source_;
  std::unique_ptr<WritableFile> file_;
};

// With the same options, identity and filters, every byte is the same.
TEST_F(TableCopyTest, TheSameOptionsMakeTheSameFile) {
  Write();
  Open();
  const TableCopy copy(*source_, options_);
  EXPECT_TRUE(copy.CheckSupported().ok());
  EXPECT_EQ(*copy.IsDue(1), true);
  EXPECT_EQ(*copy.IsDue(1.5), false);
  const auto written = Copy();
  ASSERT_TRUE(written.ok()) << written.status();
  std::string before;
  std::string after;
  ASSERT_TRUE(fs_->GetContents(kSource, &before).ok());
  ASSERT_TRUE(fs_->GetContents(kCopy, &after).ok());
  EXPECT_EQ(before.size(), written->size);
  EXPECT_TRUE(before == after);
}

TEST_F(TableCopyTest, TablesForIngestionAreNotSupported) {
  options_.is_external_file = true;
  Write();
  Open();
  const Status status = TableCopy(*source_, options_).CheckSupported();
  EXPECT_TRUE(status.IsNotSupported()) << status;
  EXPECT_NE(status.ToString().find("ingestion"), std::string::npos);
}

TEST_F(TableCopyTest, DamageIsFound) {
  Write();
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(kSource, &bytes).ok());
  bytes[2000] = static_cast<char>(bytes[2000] ^ 4);
  ASSERT_TRUE(fs_->SetContents(kSource, bytes).ok());
  Open();
  const auto written = Copy();
  EXPECT_TRUE(written.status().IsCorruption()) << written.status();
}

// Without checksums, only what the entries are shows the damage.
TEST_F(TableCopyTest, EntriesOutOfOrderAreDamage) {
  options_.table.checksum = kNoChecksum;
  options_.table.use_delta_encoding = false;
  Write();
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(kSource, &bytes).ok());
  const size_t at = bytes.find("key1100");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 3] = '9';
  ASSERT_TRUE(fs_->SetContents(kSource, bytes).ok());
  Open();
  const auto written = Copy();
  EXPECT_TRUE(written.status().IsCorruption()) << written.status();
}

TEST_F(TableCopyTest, ItCanBeCancelled) {
  Write();
  Open();
  int calls = 0;
  const auto written = Copy([&calls] { return ++calls == 5; });
  EXPECT_TRUE(written.status().IsShutdownInProgress()) << written.status();
}

TEST_F(TableCopyTest, TheMemoryOfFiltersIsCharged) {
  Write();
  Open();
  BlockCache cache(1 << 20);
  options_.block_cache = &cache;
  size_t most = 0;
  const auto written = Copy([&] {
    most = std::max(most, cache.GetUsage());
    return false;
  });
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_GE(most, 8 * 250u);
  EXPECT_EQ(cache.GetUsage(), 0u);
}

}  // namespace
}  // namespace tamis
