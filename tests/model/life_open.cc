// SPDX-License-Identifier: Apache-2.0
//
// Opens, closes and power failures in a Life.
#include <array>
#include <utility>

#include "tests/model/checks.h"
#include "tests/model/life.h"
#include "tests/support/databases.h"
#include "tests/support/worker_service.h"

namespace tamis::model {

namespace {

constexpr char kDirectory[] = "/db";

}  // namespace

std::string Life::Open() {
  Options options = history_.options[opens_++ % history_.options.size()];
  options.file_system = fs_;
  options.clock = clock_;
  options.job_runner = runner_;
  if (options.compaction_service != nullptr) {
    auto& service = static_cast<WorkerService&>(*options.compaction_service);
    service.overrides = WorkerObjectsOf(options);
    service.overrides.table_factory = options.table_factory;
  }
  Status status;
  do {
    options.create_if_missing = !created_;
    fired_at_open_ = faults_.fired();
    status = DB::Open(options, kDirectory, &db_);
    const std::string problem =
        Judge("Open", status, /*was_healthy=*/true, fired_at_open_);
    if (!problem.empty()) return problem;
    if (!status.ok()) Restart();
  } while (!status.ok());
  created_ = true;

  State found(model_.visible().key_comp());
  std::string problem = ReadAll(db_.get(), &found);
  if (problem.empty()) problem = model_.Adopt(found);
  if (problem.empty() && faults_.fired() == fired_at_open_) {
    problem = CheckDirectory();
  }
  if (!problem.empty()) return problem;
  return CheckReads(db_.get(), nullptr, model_.visible(), history_.keys,
                    &random_);
}

std::string Life::CheckDirectory() {
  return DifferenceOnDisk(fs_.get(), {kDirectory}, db_.get());
}

void Life::ReleaseAll() {
  iterators_.clear();
  for (const HeldSnapshot& held : snapshots_) {
    db_->ReleaseSnapshot(held.snapshot);
  }
  snapshots_.clear();
}

std::string Life::Reopen(bool close) {
  ReleaseAll();
  if (close) {
    const bool was_healthy = Healthy();
    const uint64_t fired = faults_.fired();
    const Status status = db_->Close();
    if (status.ok() && was_healthy) model_.AllIsDurable();
    const std::string problem = Judge("Close", status, was_healthy, fired);
    if (!problem.empty()) return problem;
    std::string value;
    if (!db_->Put(WriteOptions(), "k", "v").IsShutdownInProgress() ||
        !db_->Get(ReadOptions(), "k", &value).IsShutdownInProgress()) {
      return "a closed database answers";
    }
  }
  db_.reset();
  // Close ran those that the runner still lists.
  const uint64_t calls = fs_->calls();
  runner_->RunUntilIdle();
  if (fs_->calls() != calls) return "jobs outlive their database";
  Restart();
  return Open();
}

void Life::Restart() {
  if (!faults_.down()) return;
  if (faults_.power_is_cut()) model_.LosePower();
  faults_.Restart(random_.Next());
}

void Life::ArmAccident() {
  static constexpr std::array kFaults = {Fault::kPowerCut, Fault::kPowerCut,
                                         Fault::kKill, Fault::kIOError};
  static constexpr std::array kTargets = {Target::kAny, Target::kDirectory,
                                          Target::kManifest, Target::kCurrent};
  Operation arm;
  arm.act = Act::kArm;
  arm.fault = kFaults[random_.Uniform(kFaults.size())];
  arm.target = kTargets[random_.Uniform(kTargets.size())];
  arm.number = random_.Uniform(arm.target == Target::kAny ? 30 : 4);
  Log(Describe(arm));
  faults_.Arm(arm);
}

// Until it is dropped, a database that is down still answers reads.
std::string Life::Crash() {
  while (faults_.down()) {
    Log((faults_.power_is_cut() ? "power is cut: " : "killed: ") +
        faults_.last());
    std::string problem = random_.OneIn(2) ? CheckAll() : "";
    if (!problem.empty()) return "when it is down, " + problem;
    if (random_.OneIn(3)) ArmAccident();
    problem = Reopen(random_.OneIn(2));
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace tamis::model
