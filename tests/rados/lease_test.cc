// SPDX-License-Identifier: Apache-2.0
//
// Reads of a database whose lease ran out: it is renewed first, and where that
// fails, nothing is served from memory that another owner may have changed.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/job_runner.h"

#include "rados/rados_file_system.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "util/base/fake_clock.h"

namespace tamis::rados {
namespace {

constexpr uint32_t kOwnersLease = 10;

class LeaseTest : public testing::Test {
 protected:
  struct Owner {
    SimulatedClient* client = nullptr;
    uint64_t calls = 0;
    std::unique_ptr<DB> db;
    Status opened;
  };

  std::unique_ptr<Owner> Open() {
    auto owner = std::make_unique<Owner>();
    Volume::Options volume = SimulatedVolume(clock_);
    volume.ownership.lease_seconds = kOwnersLease;
    volume.ownership.blocklist = false;
    auto client = std::make_unique<SimulatedClient>(
        &cluster_, "client" + std::to_string(++clients_));
    owner->client = client.get();
    client->SetHook([calls = &owner->calls](const std::string& /*call*/,
                                            const ObjectName& /*object*/) {
      ++*calls;
      return StoreResult();
    });
    Options options;
    options.file_system = std::make_shared<RadosFileSystem>(
        std::make_shared<Volume>(std::move(client), volume),
        /*flush_waits=*/false);
    options.clock = clock_;
    options.job_runner = runner_;
    options.create_if_missing = true;
    owner->opened = DB::Open(options, "/db", &owner->db);
    return owner;
  }
  static Status Put(const Owner& owner, const std::string& value) {
    WriteOptions synced;
    synced.sync = true;
    return owner.db->Put(synced, "k", value);
  }
  // The status and the value of a Get, which a MultiGet and a scan agree with.
  static std::pair<Status, std::string> Get(const Owner& owner) {
    std::string value;
    Status status = owner.db->Get({}, "k", &value);
    std::vector<std::string> values;
    EXPECT_EQ(owner.db->MultiGet(ReadOptions(), {"k"}, &values)[0].code(),
              status.code());
    const std::unique_ptr<Iterator> it(owner.db->NewIterator({}));
    it->SeekToFirst();
    EXPECT_EQ(it->Valid(), status.ok());
    EXPECT_EQ(it->status().code(), status.code());
    return {std::move(status), std::move(value)};
  }
  void Pass(uint64_t seconds) {
    clock_->SleepForMicroseconds(seconds * 1'000'000);
    cluster_.Advance(seconds);
  }

  SimulatedCluster cluster_{1};
  int clients_ = 0;
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  const std::shared_ptr<DeterministicJobRunner> runner_ =
      NewDeterministicJobRunner(1);
};

TEST_F(LeaseTest, AReadAsksTheClusterOnlyWhenTheLeaseRanOut) {
  const auto owner = Open();
  ASSERT_EQ(owner->opened, Status::OK());
  ASSERT_EQ(Put(*owner, "1"), Status::OK());
  Pass(kOwnersLease - 1);
  owner->calls = 0;
  EXPECT_EQ(Get(*owner).second, "1");
  EXPECT_EQ(owner->calls, 0u);
  Pass(1);
  EXPECT_EQ(Get(*owner).second, "1");
  EXPECT_GT(owner->calls, 0u);
  // It has the lease anew.
  EXPECT_TRUE(Open()->opened.IsIOError());
  owner->calls = 0;
  EXPECT_EQ(Get(*owner).second, "1");
  EXPECT_EQ(owner->calls, 0u);
}

// It was paused, and knows nothing of the other owner yet.
TEST_F(LeaseTest, AReplacedOwnerServesNothingFromMemory) {
  const auto first = Open();
  ASSERT_EQ(Put(*first, "1"), Status::OK());
  EXPECT_EQ(Get(*first).second, "1");
  Pass(kOwnersLease);
  const auto second = Open();
  ASSERT_EQ(second->opened, Status::OK());
  ASSERT_EQ(Put(*second, "2"), Status::OK());
  EXPECT_TRUE(Get(*first).first.IsIOFenced());
  EXPECT_EQ(Get(*second).second, "2");
}

TEST_F(LeaseTest, AnOwnerThatCannotReachTheClusterServesNothing) {
  const auto first = Open();
  ASSERT_EQ(Put(*first, "1"), Status::OK());
  first->client->CutOff();
  Pass(kOwnersLease - 1);
  EXPECT_EQ(Get(*first).second, "1");
  Pass(1);
  EXPECT_TRUE(Get(*first).first.IsIOError()) << Get(*first).first.ToString();
}

TEST_F(LeaseTest, AClosedDatabaseDoesNotTakeTheLeaseAgain) {
  const auto first = Open();
  ASSERT_EQ(Put(*first, "1"), Status::OK());
  ASSERT_EQ(first->db->Close(), Status::OK());
  Pass(kOwnersLease);
  EXPECT_TRUE(Get(*first).first.IsShutdownInProgress());
  EXPECT_EQ(Open()->opened, Status::OK());
}

}  // namespace
}  // namespace tamis::rados
