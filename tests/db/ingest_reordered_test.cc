// SPDX-License-Identifier: Apache-2.0
//
// Ingestion of tables that were written in the order of bytes, into a database
// with another order.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/comparator.h"
#include "tamis/sst_file_writer.h"

#include "tests/db/test_db.h"
#include "tests/support/comparators.h"

namespace tamis {
namespace {

class IngestReorderedTest : public DBTest {
 protected:
  IngestReorderedTest() { options_.comparator = &by_length_; }

  // A table in the order of bytes.
  std::string Make(const std::function<void(SstFileWriter*)>& fill) {
    Options bytewise = options_;
    bytewise.comparator = BytewiseComparator();
    const std::string path = "/parent/made.sst";
    SstFileWriter writer(bytewise);
    EXPECT_EQ(writer.Open(path), Status::OK());
    fill(&writer);
    EXPECT_EQ(writer.Finish(), Status::OK());
    return path;
  }
  std::string MakeOf(const std::vector<std::string>& keys) {
    return Make([&](SstFileWriter* writer) {
      for (const std::string& key : keys) {
        EXPECT_EQ(writer->Put(key, "of " + key), Status::OK());
      }
    });
  }
  std::string Contents() {
    std::string all;
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      all += it->key().ToString() + "=" + it->value().ToString() + " ";
    }
    EXPECT_EQ(it->status(), Status::OK());
    return all;
  }
  std::vector<std::string> Temporaries() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    std::erase_if(names, [](const std::string& name) {
      return !name.ends_with(".dbtmp");
    });
    return names;
  }

  ByLength by_length_;
  IngestExternalFileOptions ingest_;
};

TEST_F(IngestReorderedTest, KeysThatAscendInBothOrdersAreTaken) {
  Open();
  Put("bb", "own");
  const std::string path = MakeOf({"a", "b", "bb", "ccc"});
  ingest_.move_files = true;
  ASSERT_EQ(db_->IngestExternalFile({path}, ingest_), Status::OK());
  EXPECT_FALSE(fs_->FileExists(path).ok());
  EXPECT_TRUE(Temporaries().empty());
  EXPECT_EQ(Contents(), "a=of a b=of b bb=of bb ccc=of ccc ");
  Compact(/*force=*/true);
  Reopen();
  EXPECT_EQ(Contents(), "a=of a b=of b bb=of bb ccc=of ccc ");
}

TEST_F(IngestReorderedTest, OthersAreRefused) {
  Open();
  const std::string path = MakeOf({"aa", "b"});
  const Status status = db_->IngestExternalFile({path}, ingest_);
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.ToString().find(path), std::string::npos) << status;
  EXPECT_TRUE(fs_->FileExists(path).ok());
  EXPECT_TRUE(Temporaries().empty());
  EXPECT_EQ(Contents(), "");
}

TEST_F(IngestReorderedTest, SoAreTablesOfMoreThanPuts) {
  Open();
  for (const auto& fill : std::vector<std::function<void(SstFileWriter*)>>{
           [](SstFileWriter* writer) { (void)writer->Delete("a"); },
           [](SstFileWriter* writer) { (void)writer->DeleteRange("a", "b"); },
           [](SstFileWriter* writer) { (void)writer->Merge("a", "b"); }}) {
    const Status status = db_->IngestExternalFile({Make(fill)}, ingest_);
    EXPECT_TRUE(status.IsNotSupported()) << status;
  }
  EXPECT_TRUE(Temporaries().empty());
}

}  // namespace
}  // namespace tamis
