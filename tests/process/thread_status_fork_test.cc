// SPDX-License-Identifier: Apache-2.0
//
// A process forks while it lists what its threads do. The child lists only what
// it does itself.
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/clock.h"
#include "tamis/thread_status.h"

#include "tests/process/child.h"
#include "util/jobs/tracked_operation.h"

namespace tamis::process {
namespace {

class CallingClock final : public Clock {
 public:
  uint64_t NowMicros() override { return 0; }
  uint64_t NowNanos() override {
    if (const auto call = std::exchange(at_next, nullptr)) call();
    return 0;
  }
  void SleepForMicroseconds(uint64_t) override {}

  std::function<void()> at_next;
};

TrackedOperation::Facts Opening(const std::shared_ptr<Clock>& clock) {
  return {.thread = ThreadStatus::USER,
          .operation = ThreadStatus::OP_DBOPEN,
          .db_name = "db",
          .family = "",
          .clock = clock};
}

size_t NumThreads() {
  std::vector<ThreadStatus> threads;
  Require(GetThreadList(&threads).ok(), "GetThreadList");
  return threads.size();
}

// The clock is read under the mutex of the list.
TEST(ThreadStatusForkTest, AChildListsWhatItDoesItself) {
  const auto clock = std::make_shared<CallingClock>();
  std::optional<TrackedOperation> of_parent(Opening(clock));
  int code = -1;
  clock->at_next = [&] {
    code = RunChild([&] {
      Require(NumThreads() == 0, "the parent's is not listed");
      {
        const TrackedOperation own(Opening(std::make_shared<CallingClock>()));
        Require(NumThreads() == 1, "its own is listed");
        of_parent.reset();
        Require(NumThreads() == 1, "the end of the parent's changes nothing");
      }
      Require(NumThreads() == 0, "its own has ended");
      return 0;
    });
  };
  EXPECT_EQ(NumThreads(), 1u);
  EXPECT_EQ(code, 0);
  of_parent.reset();
  EXPECT_EQ(NumThreads(), 0u);
}

}  // namespace
}  // namespace tamis::process
