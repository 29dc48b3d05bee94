// SPDX-License-Identifier: Apache-2.0
//
// A Life runs a script with a fault, up to a power failure. Then it opens the
// database again, which must hold what it promised.
//
//   open ── script ... fault ...──┬── power failure ── recovery ── checks
//                                 └── (failed call: ends, script completes)
//
// It checks that an open succeeds without repair, and finds a past state that
// is not older than the last durable write; that scans, point reads and tables
// agree; that the state is durable, as is a later write; and that a checkpoint
// is complete or missing. tests/model/model.h has the states that may be found.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/crash/database.h"
#include "tests/crash/fault.h"
#include "tests/crash/script.h"
#include "tests/model/model.h"

namespace tamis::crash {

// Gets to see what survived, for a second opinion.
class Witness {
 public:
  virtual ~Witness() = default;
  // Called after a power failure, before anything is opened.
  virtual void PowerIsBack(SimulatedFileSystem* fs) = 0;
  // Called with what an open found; `families` lacks "default".
  virtual void Found(const std::set<std::string>& families,
                     const model::State& state) = 0;
  // Called with the contents of an existing checkpoint, after the last open.
  virtual void FoundCheckpoint(const std::string& name,
                               const model::State& state) = 0;
};

class Life {
 public:
  // `script` must outlive the object.
  Life(const Script& script, const Triple& triple,
       std::shared_ptr<SimulatedFileSystem> fs = NewSimulatedFileSystem());
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  // `witness` must outlive the life.
  void TellTo(Witness* witness) { witness_ = witness; }

  // Empty: all checks passed; otherwise the first failure. Runs in a thread of
  // its own, so that thread-local state of the engine is new in each life and
  // allocations have the same numbers.
  std::string Go();

  // The calls of the script and of the last close. REQUIRES: the triple has no
  // fault.
  const std::vector<std::string>& operations() const {
    return injector_.operations();
  }
  uint64_t reads() const { return injector_.reads(); }
  Failures::Counts failures() const { return injector_.failures(); }
  // Whether the recovery reached the triple's call.
  bool met_recovery_fault() const { return met_recovery_fault_; }
  // A line for each event.
  const std::vector<std::string>& log() const { return log_; }

 private:
  std::string GoHere();
  std::string Play();
  std::string Do(const Operation& operation);
  std::string Write(const Operation& operation);
  std::string Ingest(const Operation& operation);
  std::string Flush(const Operation& operation);
  std::string Compact(const Operation& operation);
  std::string RewriteFilters(const Operation& operation);
  std::string CreateFamily(const std::string& name);
  std::string DropFamily(const std::string& name);
  std::string MakeCheckpoint(const std::string& name);
  std::string Reopen(bool close);
  // Opens, a second time if the fault broke the first, and checks.
  std::string Open();
  std::string Adopt();
  // Reads everything, without faults.
  std::string ReadAll(model::State* found);
  // A read that a fault may fail, but that must never be wrong.
  std::string Read();
  // Checks that the database equals the model.
  std::string CheckReads();

  // After a failed call: checks during the fault, and after its end.
  std::string Suffer();
  std::string Heal();

  std::string PowerOff(CrashStyle style);
  std::string Recover();
  std::string RecoverUnderFault();
  std::string GoOn();
  std::string CheckCopies();

  // Whether the family surely exists. True for "".
  bool Has(const std::string& family) const;
  void FamilyIsDurable(const std::string& name);
  model::State Visible() const;

  // OK, or an error that a fault explains.
  std::string Judge(const std::string& what, const Status& status);
  void Log(const std::string& line);
  uint64_t NextSeed() { return random_.Next(); }

  struct Copy {
    std::string name;
    model::State state;
    bool made;  // the call returned OK
  };

  const Script& script_;
  const Triple triple_;
  Random random_;
  std::set<std::string> keys_;
  Database database_;
  Injector injector_;
  model::Model model_;
  bool created_ = false;
  // Without "default". If a create or drop failed, the next open shows whether
  // the family exists.
  std::set<std::string> families_;
  std::set<std::string> doubtful_;
  std::vector<Copy> copies_;
  // After a failed call: the number of operations until the fault ends.
  uint64_t patience_ = 0;
  bool healed_ = false;
  bool met_recovery_fault_ = false;
  Witness* witness_ = nullptr;
  std::vector<std::string> log_;
};

}  // namespace tamis::crash
