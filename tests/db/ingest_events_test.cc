// SPDX-License-Identifier: Apache-2.0
//
// What listeners are told of an ingestion.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/listener.h"
#include "tamis/sst_file_writer.h"

#include "tests/db/test_db.h"

namespace tamis {
namespace {

class IngestListener final : public EventListener {
 public:
  void OnExternalFileIngested(DB* db,
                              const ExternalFileIngestionInfo& info) override {
    // The file is visible by then, and the database may be called.
    std::string value;
    EXPECT_EQ(db->Get(ReadOptions(), "k", &value), Status::OK());
    infos.push_back(info);
    if (throws) throw std::string("on purpose");
  }
  std::vector<ExternalFileIngestionInfo> infos;
  bool throws = false;
};

class IngestEventsTest : public DBTest {
 protected:
  IngestEventsTest() { options_.listeners = {listener_}; }

  std::string Make(const std::string& name) {
    const std::string path = "/parent/" + name + ".sst";
    SstFileWriter writer(options_);
    EXPECT_EQ(writer.Open(path), Status::OK());
    EXPECT_EQ(writer.Put("k", name), Status::OK());
    EXPECT_EQ(writer.Put("l", name), Status::OK());
    EXPECT_EQ(writer.Finish(), Status::OK());
    return path;
  }

  const std::shared_ptr<IngestListener> listener_ =
      std::make_shared<IngestListener>();
};

TEST_F(IngestEventsTest, EachIngestedFileIsTold) {
  Open();
  const std::string one = Make("one");
  const std::string two = Make("two");
  ASSERT_EQ(db_->IngestExternalFile({one}, {}), Status::OK());
  ASSERT_EQ(db_->IngestExternalFile({two}, {}), Status::OK());
  RunJobs();
  ASSERT_EQ(listener_->infos.size(), 2u);
  EXPECT_EQ(listener_->infos[0].cf_name, "default");
  EXPECT_EQ(listener_->infos[0].external_file_path, one);
  EXPECT_EQ(listener_->infos[0].global_seqno, 0u);
  EXPECT_EQ(listener_->infos[1].external_file_path, two);
  EXPECT_EQ(listener_->infos[1].global_seqno, 1u);
  EXPECT_EQ(listener_->infos[1].table_properties.num_entries, 2u);
  EXPECT_EQ(listener_->infos[1].internal_file_path,
            kTestDirectory + LiveFiles().at(0).name);
}

TEST_F(IngestEventsTest, AFailureIsNotToldAndAThrowingListenerHarmsNothing) {
  listener_->throws = true;
  Open();
  EXPECT_FALSE(db_->IngestExternalFile({"/parent/none.sst"}, {}).ok());
  RunJobs();
  EXPECT_TRUE(listener_->infos.empty());
  EXPECT_EQ(db_->IngestExternalFile({Make("one")}, {}), Status::OK());
  RunJobs();
  EXPECT_EQ(listener_->infos.size(), 1u);
  EXPECT_EQ(Get("k"), "one");
  EXPECT_EQ(LogLines("event=listener_exception").size(), 1u);
}

}  // namespace
}  // namespace tamis
