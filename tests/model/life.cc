// SPDX-License-Identifier: Apache-2.0
#include "tests/model/life.h"

#include <algorithm>
#include <utility>

#include "tests/model/checks.h"
#include "util/base/fake_clock.h"

namespace tamis::model {

namespace {

constexpr size_t kHeldMax = 4;

}  // namespace

Life::Life(uint64_t seed)
    : history_(MakeHistory(seed)),
      random_(seed ^ 0x5eed),
      fs_(NewSimulatedFileSystem()),
      clock_(std::make_shared<FakeClock>()),
      runner_(NewDeterministicJobRunner(seed)),
      faults_(fs_.get()),
      model_(history_.options[0].comparator) {}

Life::~Life() { ReleaseAll(); }

void Life::KeepLog() {
  for (Options& options : history_.options) options.max_log_file_size = 0;
}

void Life::Log(const std::string& line) {
  log_.push_back(line + " @" + std::to_string(fs_->calls()));
}

std::string Life::Tail() const {
  constexpr size_t kLines = 40;
  std::string out = "seed " + std::to_string(history_.seed) + "\n" +
                    history_.description + "\n";
  const size_t from = log_.size() > kLines ? log_.size() - kLines : 0;
  for (size_t i = from; i < log_.size(); ++i) {
    out += std::to_string(i) + " " + log_[i] + "\n";
  }
  return out + "last fault: " + faults_.last() + "\n";
}

std::string Life::Go() {
  if (random_.OneIn(3)) ArmAccident();
  std::string problem = Open();
  if (problem.empty()) problem = Crash();
  for (Operation operation : history_.operations) {
    if (!problem.empty()) return problem;
    KeepSingleKeys(&operation.changes);
    Log(Describe(operation));
    problem = Do(operation);
    if (problem.empty()) problem = CheckSome();
    if (problem.empty()) problem = Crash();
    if (problem.empty() && !Healthy() && random_.OneIn(6)) problem = Resume();
    if (problem.empty()) problem = Crash();
  }
  return problem.empty() ? Finish() : problem;
}

std::string Life::Do(const Operation& o) {
  switch (o.act) {
    case Act::kWrite:
      return Write(o);
    case Act::kTakeSnapshot:
      return TakeSnapshot();
    case Act::kReleaseSnapshot:
      ReleaseSnapshot(o.number);
      return "";
    case Act::kOpenIterator:
      OpenIterator(o.number);
      return "";
    case Act::kCloseIterator:
      CloseIterator(o.number);
      return "";
    case Act::kFlush:
      return Flush(o);
    case Act::kCompactRange:
      return CompactRange(o);
    case Act::kSyncLog:
      return SyncLog();
    case Act::kRunJobs:
      for (uint64_t i = 0; i < o.number && runner_->RunOne(); ++i) {
      }
      return "";
    case Act::kCheck:
      return CheckAll();
    case Act::kResume:
      return Resume();
    case Act::kReopen:
      return Reopen(o.flag);
    case Act::kArm:
      faults_.Arm(o);
      return "";
  }
  return "no such operation";
}

bool Life::Healthy() {
  uint64_t errors = 0;
  return db_->GetIntProperty(DB::Properties::kBackgroundErrors, &errors) &&
         errors == 0;
}

std::string Life::Judge(const char* what, const Status& status,
                        bool was_healthy, uint64_t fired) {
  Log(std::string("  ") + what + ": " + status.ToString());
  if (status.ok() || !was_healthy || faults_.fired() != fired ||
      faults_.down()) {
    return "";
  }
  return std::string(what) + " fails without a cause: " + status.ToString();
}

std::string Life::TakeSnapshot() {
  if (snapshots_.size() >= kHeldMax) ReleaseSnapshot(random_.Next());
  snapshots_.push_back({db_->GetSnapshot(), model_.visible()});
  return "";
}

void Life::ReleaseSnapshot(uint64_t choice) {
  if (snapshots_.empty()) return;
  const auto at =
      snapshots_.begin() + static_cast<ptrdiff_t>(choice % snapshots_.size());
  db_->ReleaseSnapshot(at->snapshot);
  snapshots_.erase(at);
}

void Life::OpenIterator(uint64_t choice) {
  if (iterators_.size() >= kHeldMax) CloseIterator(random_.Next());
  ReadOptions options;
  State state = model_.visible();
  if (!snapshots_.empty() && choice % 2 == 0) {
    const HeldSnapshot& held = snapshots_[choice / 2 % snapshots_.size()];
    options.snapshot = held.snapshot;
    state = held.state;
  }
  iterators_.push_back(
      {std::unique_ptr<Iterator>(db_->NewIterator(options)), std::move(state)});
}

void Life::CloseIterator(uint64_t choice) {
  if (iterators_.empty()) return;
  iterators_.erase(iterators_.begin() +
                   static_cast<ptrdiff_t>(choice % iterators_.size()));
}

std::string Life::Flush(const Operation& o) {
  const bool was_healthy = Healthy();
  const uint64_t fired = faults_.fired();
  FlushOptions options;
  options.wait = o.flag;
  const Status status = db_->Flush(options);
  if (status.ok() && o.flag) model_.AllIsDurable();
  return Judge("Flush", status, was_healthy, fired);
}

std::string Life::CompactRange(const Operation& o) {
  const bool was_healthy = Healthy();
  const uint64_t fired = faults_.fired();
  CompactRangeOptions options;
  if (o.flag) {
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  }
  const Slice begin = o.begin;
  const Slice end = o.end;
  const Status status =
      db_->CompactRange(options, o.begin.empty() ? nullptr : &begin,
                        o.end.empty() ? nullptr : &end);
  if (status.ok()) model_.AllIsDurable();
  return Judge("CompactRange", status, was_healthy, fired);
}

std::string Life::SyncLog() {
  const bool was_healthy = Healthy();
  const uint64_t fired = faults_.fired();
  const Status status = db_->FlushWAL(/*sync=*/true);
  if (status.ok()) model_.AllIsDurable();
  return Judge("FlushWAL", status, was_healthy, fired);
}

std::string Life::Resume() {
  const bool was_healthy = Healthy();
  const uint64_t fired = faults_.fired();
  const Status status = db_->Resume();
  if (status.ok() && !was_healthy) model_.LogIsNew();
  const std::string problem = Judge("Resume", status, true, fired);
  if (!problem.empty()) return problem;
  if (status.ok() && !Healthy() && faults_.fired() == fired) {
    return "Resume leaves a background error";
  }
  return CheckAll();
}

// Everything that is held, and the present.
std::string Life::CheckAll() {
  std::string levels = "  files";
  std::string count;
  for (int level = 0; level < 7; ++level) {
    const std::string name =
        DB::Properties::kNumFilesAtLevelPrefix + std::to_string(level);
    if (!db_->GetProperty(name, &count)) return "no property " + name;
    levels += " L" + std::to_string(level) + "=" + count;
  }
  Log(levels);
  const std::vector<std::string>& keys = history_.keys;
  std::string problem =
      CheckReads(db_.get(), nullptr, model_.visible(), keys, &random_);
  if (!problem.empty()) return problem;
  for (const HeldSnapshot& held : snapshots_) {
    problem = CheckReads(db_.get(), held.snapshot, held.state, keys, &random_);
    if (!problem.empty()) return "at a snapshot, " + problem;
  }
  for (const HeldIterator& held : iterators_) {
    problem = CheckIterator(held.iterator.get(), held.state, keys, &random_);
    if (!problem.empty()) return "of an older iterator, " + problem;
  }
  return "";
}

std::string Life::CheckSome() {
  for (int i = 0; i < 3; ++i) {
    const std::string& key =
        history_.keys[random_.Uniform(history_.keys.size())];
    std::string problem = CheckGet(db_.get(), nullptr, key, model_.visible());
    if (!problem.empty()) return problem;
  }
  return "";
}

// No more faults: the database comes to rest, whole and without leftovers.
std::string Life::Finish() {
  faults_.Disarm();
  Log("finish");
  std::string problem = Healthy() ? CheckAll() : Resume();
  runner_->RunUntilIdle();
  if (problem.empty()) problem = CheckAll();
  Operation compact;
  compact.act = Act::kCompactRange;
  compact.flag = true;
  if (problem.empty()) problem = CompactRange(compact);
  if (problem.empty()) problem = CheckAll();
  ReleaseAll();
  runner_->RunUntilIdle();
  if (problem.empty() && faults_.fired() == fired_at_open_) {
    problem = CheckDirectory();
  }
  if (problem.empty()) problem = Reopen(/*close=*/true);
  return problem.empty() ? CheckAll() : problem;
}

}  // namespace tamis::model
