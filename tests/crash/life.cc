// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/life.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "tamis/comparator.h"

namespace tamis::crash {

namespace {

using model::Change;
using model::ChangeKind;
using model::State;

std::set<std::string> KeysOf(const Script& script) {
  std::set<std::string> keys = {":", ":after", ":zz"};
  for (const Operation& operation : script.operations) {
    for (const Change& change : operation.changes) keys.insert(change.key);
  }
  return keys;
}

}  // namespace

Life::Life(const Script& script, const Triple& triple,
           std::shared_ptr<SimulatedFileSystem> fs)
    : script_(script),
      triple_(triple),
      random_(triple.seed),
      keys_(KeysOf(script)),
      database_(script, triple.seed, std::move(fs)),
      injector_(database_.fs()),
      model_(BytewiseComparator()),
      patience_(random_.Uniform(3)) {}

void Life::Log(const std::string& line) {
  log_.push_back(line + " @" + std::to_string(database_.fs()->calls()) + ", " +
                 std::to_string(failures().allocations));
}

std::string Life::Judge(const std::string& what, const Status& status) {
  Log("  " + what + ": " + status.ToString());
  const bool explained =
      injector_.power_is_cut() ||
      (injector_.fired() && !healed_ && injector_.Explains(status));
  if (status.ok() || explained) return "";
  return what + " fails without a cause: " + status.ToString();
}

std::string Life::Go() {
  std::string problem;
  std::thread([&] {
    // What the test itself allocates does not count; Database calls the engine
    // in an Unpause.
    const Failures::Pause pause;
    problem = GoHere();
    injector_.Disarm();
  }).join();
  return problem;
}

std::string Life::GoHere() {
  if (triple_.call == 0) {
    injector_.Record();
  } else {
    injector_.Arm(triple_.call, triple_.kind, NextSeed());
  }
  std::string problem = Play();
  if (!problem.empty()) return problem;
  if (injector_.fired()) Log("the fault met " + injector_.where());
  if (triple_.call == 0) return "";
  problem = PowerOff(StyleOf(triple_.kind));
  if (problem.empty()) problem = Recover();
  return problem.empty() ? GoOn() : problem;
}

// Until the end or the power cut. A life of power cuts closes its database in
// the end, one of failing calls leaves it open.
std::string Life::Play() {
  Log("open");
  std::string problem = Open();
  for (const Operation& operation : script_.operations) {
    if (!problem.empty() || injector_.power_is_cut()) return problem;
    Log(operation.line);
    problem = Do(operation);
    if (problem.empty()) problem = Suffer();
  }
  if (!problem.empty() || injector_.power_is_cut()) return problem;
  if (!IsPowerCut(triple_.kind)) {
    patience_ = 0;
    return Suffer();
  }
  const Status status = database_.Close();
  if (status.ok()) model_.AllIsDurable();
  return Judge("close", status);
}

std::string Life::Do(const Operation& operation) {
  Status status;
  switch (operation.act) {
    case Act::kWrite:
      return Write(operation);
    case Act::kIngest:
      return Ingest(operation);
    case Act::kFlush:
      return Flush(operation);
    case Act::kCompact:
      return Compact(operation);
    case Act::kRewriteFilters:
      return RewriteFilters(operation);
    case Act::kCreate:
      return CreateFamily(operation.names.at(0));
    case Act::kDrop:
      return DropFamily(operation.names.at(0));
    case Act::kCheckpoint:
      return MakeCheckpoint(operation.names.at(0));
    case Act::kSyncLog:
      status = database_.SyncLog();
      if (status.ok()) model_.AllIsDurable();
      return Judge("sync_log", status);
    case Act::kJobs:
      database_.RunJobs(operation.number);
      return "";
    case Act::kRead:
      return Read();
    case Act::kReopen:
      return Reopen(operation.flag);
  }
  return "no such operation";
}

bool Life::Has(const std::string& family) const {
  return family.empty() ||
         (families_.contains(family) && !doubtful_.contains(family));
}

std::string Life::Write(const Operation& operation) {
  for (const Change& change : operation.changes) {
    if (!Has(FamilyOf(change.key))) return "";
  }
  const bool was_stopped = database_.Stopped();
  // Where there is no memory for the batch, say: writes are not stopped then.
  const bool may_fail_before_the_log = IsFailure(triple_.kind);
  const Status status =
      database_.Write(operation.changes, operation.sync, operation.nowal);
  if (status.ok()) {
    // It would not have gone on in a log that failed.
    if (model_.has_uncertain()) model_.LogIsNew();
    model_.Acknowledge(operation.changes);
    if (operation.sync) model_.AllIsDurable();
  } else if (!was_stopped &&
             (database_.Stopped() || !may_fail_before_the_log)) {
    model_.Fail(operation.changes);
  }
  return Judge("write", status);
}

// Makes all writes before it durable, too. An error of the MANIFEST stops
// writes, and leaves unknown whether the files are in the database.
std::string Life::Ingest(const Operation& operation) {
  for (const Change& change : operation.changes) {
    if (!Has(FamilyOf(change.key))) return "";
  }
  const bool was_stopped = database_.Stopped();
  const Status status = database_.Ingest(operation.changes, operation.flag);
  if (status.ok()) {
    if (model_.has_uncertain()) model_.LogIsNew();
    model_.Acknowledge(operation.changes);
    model_.AllIsDurable();
  } else if (!was_stopped && database_.Stopped()) {
    model_.Fail(operation.changes);
  }
  return Judge("ingest", status);
}

// What stands in a family's tables is a part of history that recovery keeps to,
// whatever the logs lost.
void Life::FamilyIsDurable(const std::string& name) {
  const auto atomic = script_.settings.find("atomic_flush");
  if (families_.empty() ||
      (atomic != script_.settings.end() && atomic->second != 0)) {
    model_.AllIsDurable();
  } else {
    model_.IsDurableUpTo(InFamily(name, ""));
  }
}

std::string Life::Flush(const Operation& operation) {
  std::vector<std::string> names = operation.names;
  std::erase_if(names, [this](const auto& name) { return !Has(name); });
  if (names.size() != operation.names.size()) return "";
  const Status status = database_.Flush(names, !operation.flag);
  if (names.empty()) names.emplace_back();
  if (status.ok() && !operation.flag) {
    for (const std::string& name : names) FamilyIsDurable(name);
  }
  return Judge("flush", status);
}

std::string Life::Compact(const Operation& operation) {
  const std::string name = operation.names.empty() ? "" : operation.names[0];
  if (!Has(name)) return "";
  const Status status = database_.Compact(name, operation.flag);
  if (status.ok()) FamilyIsDurable(name);
  return Judge("compact", status);
}

std::string Life::RewriteFilters(const Operation& operation) {
  const std::string name = operation.names.empty() ? "" : operation.names[0];
  if (!Has(name)) return "";
  return Judge("rewrite_filters",
               database_.RewriteFilters(name, !operation.flag));
}

std::string Life::CreateFamily(const std::string& name) {
  if (families_.contains(name) || doubtful_.contains(name)) return "";
  const Status status = database_.CreateFamily(name);
  (status.ok() ? families_ : doubtful_).insert(name);
  return Judge("create", status);
}

std::string Life::DropFamily(const std::string& name) {
  if (!Has(name)) return "";
  const Status status = database_.DropFamily(name);
  if (status.ok()) {
    families_.erase(name);
    model_.Forget(InFamily(name, ""));
  } else {
    doubtful_.insert(name);
  }
  return Judge("drop", status);
}

std::string Life::MakeCheckpoint(const std::string& name) {
  if (model_.has_uncertain() || !doubtful_.empty()) return "";
  copies_.push_back({name, model_.visible(), false});
  const Status status = database_.MakeCheckpoint(name);
  copies_.back().made = status.ok();
  return Judge("checkpoint", status);
}

std::string Life::Reopen(bool close) {
  if (close) {
    const Status status = database_.Close();
    if (status.ok()) model_.AllIsDurable();
    const std::string problem = Judge("close", status);
    if (!problem.empty()) return problem;
  } else {
    database_.Drop();
  }
  return injector_.power_is_cut() ? "" : Open();
}

std::string Life::Open() {
  Status status = database_.Open(/*create_if_missing=*/!created_);
  const std::string problem = Judge("open", status);
  if (!problem.empty() || injector_.power_is_cut()) {
    if (status.ok()) created_ = true;
    return problem;
  }
  if (!status.ok()) {
    injector_.Disarm();
    healed_ = true;
    status = database_.Open(!created_);
    if (!status.ok()) return "open, without the fault: " + status.ToString();
  }
  created_ = true;
  return Adopt();
}

std::string Life::ReadAll(State* found) {
  injector_.IgnoreReads(true);
  Status status;
  std::string problem = database_.Read(keys_, found, &status);
  injector_.IgnoreReads(false);
  if (!status.ok()) problem = "a read: " + status.ToString();
  return problem;
}

std::string Life::Read() {
  State found(model_.visible().key_comp());
  Status status;
  std::string problem = database_.Read(keys_, &found, &status);
  if (!problem.empty()) return problem;
  if (!status.ok()) return Judge("read", status);
  return model::Difference(Visible(), found);
}

std::string Life::Adopt() {
  const std::set<std::string> families = database_.families();
  for (const std::string& name : doubtful_) {
    if (families.contains(name)) {
      families_.insert(name);
    } else {
      families_.erase(name);
      model_.Forget(InFamily(name, ""));
    }
  }
  doubtful_.clear();
  if (families != families_) {
    std::string problem = "families:";
    for (const std::string& name : families) problem += " " + name;
    problem += ", expected:";
    for (const std::string& name : families_) problem += " " + name;
    return problem;
  }
  // What had no log is lost when its flush failed.
  if (script_.uses_nowal && injector_.fired()) model_.LosePower();

  State found(model_.visible().key_comp());
  const std::string problem = ReadAll(&found);
  if (!problem.empty()) return "after an open, " + problem;
  Log("  holds " + std::to_string(found.size()) + " keys");
  if (witness_ != nullptr) witness_->Found(families_, found);
  return model_.Adopt(found);
}

std::string Life::CheckReads() {
  State found(model_.visible().key_comp());
  const std::string problem = ReadAll(&found);
  return problem.empty() ? model::Difference(Visible(), found) : problem;
}

// Without families that are in doubt, which have no handle.
State Life::Visible() const {
  State state = model_.visible();
  std::erase_if(state, [this](const auto& entry) {
    return doubtful_.contains(FamilyOf(entry.first));
  });
  return state;
}

std::string Life::Suffer() {
  if (!injector_.fired() || healed_ || injector_.power_is_cut()) return "";
  const std::string problem = CheckReads();
  if (!problem.empty()) return "under a fault, " + problem;
  if (patience_-- > 0) return "";
  return Heal();
}

std::string Life::Heal() {
  injector_.Disarm();
  healed_ = true;
  const bool was_stopped = database_.Stopped();
  Log(was_stopped ? "  the fault is gone, writes are stopped"
                  : "  the fault is gone");
  if (random_.OneIn(3)) return Reopen(/*close=*/false);
  const Status status = database_.Resume();
  if (status.ok() && was_stopped) model_.LogIsNew();
  std::string problem = Judge("resume", status);
  if (problem.empty() && database_.Stopped()) problem = "writes stay stopped";
  return problem.empty() ? CheckReads() : problem;
}

std::string Life::PowerOff(CrashStyle style) {
  if (!injector_.power_is_cut()) {
    Log("the power goes off");
    injector_.Arm(1, Kind::kDrop, 0);
    const Status status = database_.fs()->SyncDirectory("/");
    if (status.ok()) return "the power stays on";
  }
  database_.Drop();
  model_.LosePower();
  injector_.Restart(NextSeed(), style);
  if (witness_ != nullptr) {
    injector_.IgnoreReads(true);
    witness_->PowerIsBack(database_.fs());
    injector_.IgnoreReads(false);
  }
  return "";
}

std::string Life::Recover() {
  if (triple_.recovery_call != 0) {
    const std::string problem = RecoverUnderFault();
    if (!problem.empty()) return problem;
  }
  Log("recovery");
  const Status status = database_.Open(!created_);
  if (!status.ok()) return "recovery: " + status.ToString();
  created_ = true;
  const std::string problem = Adopt();
  return problem.empty() ? database_.CheckTables() : problem;
}

std::string Life::RecoverUnderFault() {
  Log("recovery under a fault");
  injector_.Arm(triple_.recovery_call, triple_.recovery_kind, NextSeed());
  const Status status = database_.Open(!created_);
  Log("  open: " + status.ToString());
  met_recovery_fault_ = injector_.fired();
  if (met_recovery_fault_) Log("the fault met " + injector_.where());
  if (!met_recovery_fault_ && !status.ok()) return status.ToString();
  if (injector_.power_is_cut()) {
    return PowerOff(StyleOf(triple_.recovery_kind));
  }
  injector_.Disarm();
  if (!status.ok()) return "";
  created_ = true;
  const std::string problem = Adopt();
  database_.Drop();
  return problem;
}

// All that an open showed is durable, and so is a synced write behind it.
std::string Life::GoOn() {
  Log("goes on");
  healed_ = true;
  if (random_.OneIn(2)) database_.RunAllJobs();
  const model::Changes changes = {{ChangeKind::kPut, ":after", "it"},
                                  {ChangeKind::kMerge, ":zz", "it"}};
  if (random_.OneIn(2)) {
    const Status status =
        database_.Write(changes, /*sync=*/true, /*nowal=*/false);
    if (!status.ok()) return "a write behind recovery: " + status.ToString();
    model_.Acknowledge(changes);
    model_.AllIsDurable();
  }
  std::string problem = CheckReads();
  if (problem.empty()) problem = PowerOff(CrashStyle::kDropAll);
  if (!problem.empty()) return problem;
  const Status status = database_.Open(/*create_if_missing=*/false);
  if (!status.ok()) return "the second recovery: " + status.ToString();
  problem = Adopt();
  if (problem.empty()) problem = database_.CheckTables();
  if (!problem.empty()) return "the second recovery: " + problem;
  return CheckCopies();
}

// Each is whole, or not there and then can be made.
std::string Life::CheckCopies() {
  for (const Copy& copy : copies_) {
    State found(copy.state.key_comp());
    bool exists = false;
    std::string problem =
        database_.ReadCheckpoint(copy.name, keys_, &found, &exists);
    if (problem.empty() && exists) {
      problem = model::Difference(copy.state, found);
      if (witness_ != nullptr) witness_->FoundCheckpoint(copy.name, found);
    }
    if (problem.empty() && !exists && copy.made) problem = "it is not there";
    if (problem.empty() && !exists) {
      const Status status = database_.MakeCheckpoint(copy.name);
      if (!status.ok()) problem = "made again: " + status.ToString();
    }
    if (!problem.empty()) return "checkpoint " + copy.name + ": " + problem;
  }
  return "";
}

}  // namespace tamis::crash
