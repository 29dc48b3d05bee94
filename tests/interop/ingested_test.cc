// SPDX-License-Identifier: Apache-2.0
//
// Reads tables that RocksDB ingested. Their entries have the sequence number
// that RocksDB wrote into them, or that only the MANIFEST has.
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>

#include "tests/interop/peers.h"
#include "tests/support/directories.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

// A database in which "k0".."k9" were written, then "k0".."k4" ingested.
class IngestedTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    const std::unique_ptr<rocksdb::DB> db =
        OpenPeer(options, directory_.Path("db"));
    ASSERT_NE(db, nullptr);
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(db->Put({}, "k" + std::to_string(i), "old").ok());
    }
    before_ = db->GetLatestSequenceNumber();
    ASSERT_TRUE(db->Flush({}).ok());
    Write(directory_.Path("ingest.sst"));
    rocksdb::IngestExternalFileOptions ingest;
    ingest.write_global_seqno = GetParam();
    const rocksdb::Status status =
        db->IngestExternalFile({directory_.Path("ingest.sst")}, ingest);
    ASSERT_TRUE(status.ok()) << status.ToString();
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    ASSERT_EQ(files.size(), 2u);
    for (const rocksdb::LiveFileMetaData& file : files) {
      if (file.smallest_seqno <= before_) continue;
      ingested_at_ = file.largest_seqno;
      path_ = file.db_path + "/" + file.name;
    }
    ASSERT_GT(ingested_at_, before_);
  }

  // With the peer, or with our own builder.
  virtual void Write(const std::string& path) {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions{}, rocksdb::Options{});
    ASSERT_TRUE(writer.Open(path).ok());
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(writer.Put("k" + std::to_string(i), "new").ok());
    }
    ASSERT_TRUE(writer.Finish().ok());
  }

  void Check() {
    const std::string contents = ReadWholeFile(path_);
    TableContext context = TestContext();
    if (!GetParam()) context.largest_seqno = ingested_at_;
    auto opened = OpenTable(contents, context);
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ((*opened)->VerifyChecksums(), Status::OK());
    Entries expected;
    for (int i = 0; i < 5; ++i) {
      const std::string key = "k" + std::to_string(i);
      expected.emplace_back(InternalKey(key, ingested_at_), "new");
      EXPECT_EQ(GetFrom(**opened, key, ingested_at_).value, "new");
      EXPECT_TRUE(GetFrom(**opened, key, before_).status.IsNotFound());
    }
    Status status;
    auto it = (*opened)->NewIterator(ReadContext());
    EXPECT_EQ(ScanForward(it.get(), &status), expected);
    EXPECT_EQ(ScanBackward(it.get(), &status), expected);
    EXPECT_TRUE(status.ok()) << status;
  }

  const TemporaryDirectory directory_;
  uint64_t before_ = 0;
  uint64_t ingested_at_ = 0;
  std::string path_;
};

class OursIngestedTest : public IngestedTest {
 protected:
  void Write(const std::string& path) override {
    TableBuildOptions options(Bytewise());
    options.is_external_file = true;
    Entries entries;
    for (int i = 0; i < 5; ++i) {
      entries.emplace_back(InternalKey("k" + std::to_string(i), 0), "new");
    }
    std::ofstream(path, std::ios::binary) << BuildTable(options, entries);
  }
};

TEST_P(IngestedTest, EntriesHaveTheSequenceOfTheIngestion) { Check(); }
TEST_P(OursIngestedTest, EntriesHaveTheSequenceOfTheIngestion) { Check(); }

INSTANTIATE_TEST_SUITE_P(WrittenInPlaceOrNot, IngestedTest, testing::Bool());
INSTANTIATE_TEST_SUITE_P(WrittenInPlaceOrNot, OursIngestedTest,
                         testing::Bool());

}  // namespace
}  // namespace tamis
