// SPDX-License-Identifier: Apache-2.0
//
// OpenForReadOnly of a directory whose newest log grows while it is read, so
// that each page of a read is of a different time. FORMAT.md, "Beside a
// writer".
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "db/wal/log_format.h"
#include "tests/support/databases.h"
#include "tests/support/effort.h"
#include "tests/support/log_faults.h"
#include "tests/support/wrapped_file_system.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

// The contents of the log, step by step.
struct History {
  struct Moment {
    std::string bytes;
    int records;  // that are complete, and acknowledged at the next step
  };
  std::vector<Moment> moments;
};

// Records 1, 2, ..., of many sizes: some end a block, some span several.
std::vector<std::string> Payloads(int count) {
  std::vector<std::string> payloads;
  for (int i = 1; i <= count; ++i) {
    const size_t bytes = i % 7 == 3    ? 9000
                         : i % 11 == 5 ? 70'000
                                       : static_cast<size_t>(i) * 131 % 1500;
    payloads.push_back(RawRecord(static_cast<uint64_t>(i), bytes));
  }
  return payloads;
}

// Writes the payload, then the header, over zeros.
History StoredInPlace(int count) {
  RawLog log(2);
  std::vector<size_t> ends;
  for (const std::string& payload : Payloads(count)) {
    ends.push_back(log.Add(payload).bytes().size());
  }
  const std::string& all = log.bytes();
  History history;
  std::string now(all.size() + 40'000, '\0');
  const auto copy = [&](size_t from, size_t n) {
    std::copy_n(all.begin() + static_cast<ptrdiff_t>(from), n,
                now.begin() + static_cast<ptrdiff_t>(from));
  };
  const auto add_moment = [&](size_t whole) {
    const auto records =
        std::upper_bound(ends.begin(), ends.end(), whole) - ends.begin();
    history.moments.push_back({now, static_cast<int>(records)});
  };
  add_moment(0);
  for (size_t at = 0; at < all.size();) {
    const size_t left = log::kBlockBytes - at % log::kBlockBytes;
    if (left < log::kHeaderBytes) {
      at += left;
      continue;
    }
    const size_t length = DecodeFixed16(all.data() + at + 4);
    const size_t payload = at + log::kHeaderBytes;
    const size_t end = payload + length;
    copy(payload, length / 2);
    add_moment(at);
    copy(payload, length);
    add_moment(at);
    copy(at, log::kHeaderBytes);
    add_moment(end);
    at = end;
  }
  return history;
}

// By calls, of which a reader may see a part.
History Appended(int count) {
  RawLog log(2);
  History history;
  history.moments.push_back({"", 0});
  int records = 0;
  for (const std::string& payload : Payloads(count)) {
    const size_t from = log.bytes().size();
    const std::string& all = log.Add(payload).bytes();
    for (const size_t cut : {size_t{5}, (all.size() - from) / 2}) {
      history.moments.push_back({all.substr(0, from + cut), records});
    }
    history.moments.push_back({all, ++records});
  }
  return history;
}

// Serves each page of the log as it was at a step that advances with each
// read.
class LiveLogFileSystem final : public WrappedFileSystem {
 public:
  LiveLogFileSystem(std::shared_ptr<FileSystem> base, const History* history)
      : WrappedFileSystem(std::move(base)), history_(*history) {}

  // The step advances from `begin` to `end` and stays there.
  void Begin(uint64_t seed, size_t page, size_t begin, size_t end) {
    random_ = Random(seed);
    page_ = page;
    now_ = begin;
    end_ = end;
    pace_ = 1 + random_.Uniform(200);
  }
  void SetLocked(bool locked) { locked_ = locked; }
  const History::Moment& now() const { return history_.moments[now_]; }

  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    if (!path.ends_with(".log")) {
      return WrappedFileSystem::NewSequentialFile(path, file);
    }
    *file = std::make_unique<LiveFile>(this);
    return Status::OK();
  }
  Status IsLocked(const std::string& /*path*/, bool* locked) override {
    *locked = locked_;
    return Status::OK();
  }

 private:
  class LiveFile final : public SequentialFile {
   public:
    explicit LiveFile(LiveLogFileSystem* fs) : fs_(*fs) {}
    Status Read(size_t n, Slice* result, char* scratch) override {
      size_t done = 0;
      while (done < n) {
        const std::string& bytes = fs_.NextMoment();
        const size_t at = static_cast<size_t>(offset_);
        if (at >= bytes.size()) break;
        const size_t some =
            std::min({n - done, bytes.size() - at, fs_.page_ - at % fs_.page_});
        bytes.copy(scratch + done, some, at);
        done += some;
        offset_ += some;
      }
      *result = Slice(scratch, done);
      return Status::OK();
    }
    Status Skip(uint64_t n) override {
      offset_ += n;
      return Status::OK();
    }

   private:
    LiveLogFileSystem& fs_;
    uint64_t offset_ = 0;
  };

  const std::string& NextMoment() {
    if (random_.Uniform(pace_) == 0) {
      now_ = std::min(end_, now_ + 1 + random_.Uniform(6));
    }
    return now().bytes;
  }

  const History& history_;
  Random random_{0};
  size_t page_ = 4096;
  uint64_t pace_ = 1;  // pages between two moments
  size_t now_ = 0;
  size_t end_ = 0;
  bool locked_ = true;
};

class LiveLogTest : public testing::TestWithParam<int> {
 protected:
  void Use(History history) {
    history_ = std::move(history);
    auto files = RawDatabase();
    files["000002.log"] = "";
    fs_ = std::make_shared<LiveLogFileSystem>(
        SimulatedFileSystemWith("/db", files), &history_);
    options_.file_system = fs_;
    options_.job_runner = NewDeterministicJobRunner(1);
    options_.wal_recovery_mode = mode();
  }
  static WALRecoveryMode mode() {
    return static_cast<WALRecoveryMode>(GetParam());
  }
  size_t last() const { return history_.moments.size() - 1; }
  // The records that an open shows.
  Status Look(std::set<int>* records) {
    records->clear();
    std::unique_ptr<DB> db;
    Status status = DB::OpenForReadOnly(options_, "/db", &db);
    if (!status.ok()) return status;
    for (const auto& [key, value] : ScanForward(db.get(), &status)) {
      records->insert(std::stoi(key));
    }
    return status;
  }
  static std::set<int> UpTo(int n) {
    std::set<int> all;
    for (int i = 1; i <= n; ++i) all.insert(i);
    return all;
  }
  void ExpectPrefixes() {
    Random random(1);
    for (int round = Rounds(600); round > 0; --round) {
      const size_t begin = random.Uniform(last() + 1);
      const size_t end = begin + random.Uniform(last() + 1 - begin);
      const size_t page = size_t{64} << (3 * random.Uniform(3));
      fs_->Begin(random.Next(), page, begin, end);
      SCOPED_TRACE("from moment " + std::to_string(begin) + " to " +
                   std::to_string(end) + ", pages of " + std::to_string(page));
      std::set<int> records;
      const Status status = Look(&records);
      ASSERT_TRUE(status.ok()) << status;
      const int n = static_cast<int>(records.size());
      ASSERT_EQ(records, UpTo(n));
      ASSERT_GE(n, history_.moments[begin].records);
      ASSERT_LE(n, fs_->now().records);
    }
  }

  History history_;
  std::shared_ptr<LiveLogFileSystem> fs_;
  Options options_;
};

TEST_P(LiveLogTest, AnInPlaceLogShowsAPrefixFromTheOpenOrLater) {
  Use(StoredInPlace(40));
  ExpectPrefixes();
}

TEST_P(LiveLogTest, AnAppendedLogShowsAPrefixFromTheOpenOrLater) {
  Use(Appended(40));
  ExpectPrefixes();
}

// No process writes any more, so a torn record is the result of a crash.
TEST_P(LiveLogTest, ATornRecordIsInFlightOnlyWhileTheLockIsHeld) {
  for (History history : {StoredInPlace(3), Appended(3)}) {
    Use(std::move(history));
    for (size_t at = 0; at <= last(); ++at) {
      SCOPED_TRACE("moment " + std::to_string(at));
      fs_->Begin(1, 4096, at, at);
      std::set<int> records;
      fs_->SetLocked(true);
      Status status = Look(&records);
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_EQ(records, UpTo(fs_->now().records));
      fs_->SetLocked(false);
      status = Look(&records);
      const bool is_cut = at > 0 && history_.moments[at].records ==
                                        history_.moments[at - 1].records;
      if (mode() == WALRecoveryMode::kAbsoluteConsistency && is_cut) {
        EXPECT_TRUE(status.IsCorruption()) << status;
      } else {
        ASSERT_TRUE(status.ok()) << status;
        EXPECT_EQ(records, UpTo(fs_->now().records));
      }
    }
  }
}

// A record with a flipped bit does not change when others are written after it.
TEST_P(LiveLogTest, DamageIsNotARecordInFlight) {
  constexpr int kDamaged = 6;
  for (History history : {StoredInPlace(40), Appended(40)}) {
    size_t stored = 0;
    while (history.moments[stored].records < kDamaged - 1) ++stored;
    const std::string& all = history.moments.back().bytes;
    const size_t at = all.find(Payloads(kDamaged).back()) + 20;
    for (History::Moment& moment : history.moments) {
      if (moment.bytes.size() > at && moment.bytes[at] != '\0') {
        moment.bytes[at] = '!';
      }
    }
    while (history.moments[stored].records < kDamaged) ++stored;
    Use(std::move(history));
    Random random(1);
    for (int round = Rounds(200); round > 0; --round) {
      const size_t begin = stored + random.Uniform(last() + 1 - stored);
      fs_->Begin(random.Next(), 512, begin, last());
      SCOPED_TRACE("from moment " + std::to_string(begin));
      std::set<int> records;
      const Status status = Look(&records);
      if (mode() == WALRecoveryMode::kTolerateCorruptedTailRecords ||
          mode() == WALRecoveryMode::kAbsoluteConsistency) {
        ASSERT_TRUE(status.IsCorruption()) << status;
        EXPECT_NE(status.message().find("checksum"), std::string::npos)
            << status;
        continue;
      }
      ASSERT_TRUE(status.ok()) << status;
      EXPECT_FALSE(records.contains(kDamaged));
      records.erase(records.upper_bound(kDamaged), records.end());
      EXPECT_EQ(records, UpTo(kDamaged - 1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, LiveLogTest, testing::Range(0, 4));

}  // namespace
}  // namespace tamis
