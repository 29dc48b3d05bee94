// SPDX-License-Identifier: Apache-2.0
//
// A Life goes through a script until its fault has happened and its end has
// come: the power goes off, the database is opened again, and has to hold what
// it promised.
//
//   open ── script ... fault ...──┬── power off ── recovery ── checks ── goes
//   on
//                                 └── (a failed call: heals, goes on to the
//                                 end)
//
// Checked is that an open succeeds without repair and finds a state of the
// past that is no older than the last durable write; that walks, point reads
// and tables agree; that what was found is durable, and that a write behind it
// is, too; that a checkpoint is whole or not there. tests/model/model.h keeps
// what may be found.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/crash/database.h"
#include "tests/crash/fault.h"
#include "tests/crash/script.h"
#include "tests/model/model.h"

namespace tamis::crash {

// Is told what survived, for a second opinion on it.
class Witness {
 public:
  virtual ~Witness() = default;
  // The power came back, and nothing was opened yet.
  virtual void PowerIsBack(MemoryFileSystem* fs) = 0;
  // What an open found; `families` without "default".
  virtual void Found(const std::set<std::string>& families,
                     const model::State& state) = 0;
  // What a checkpoint that is there holds, after the last open.
  virtual void FoundCheckpoint(const std::string& name,
                               const model::State& state) = 0;
};

class Life {
 public:
  // `script` outlives the object.
  Life(const Script& script, const Triple& triple);
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  // `witness` outlives the life.
  void TellTo(Witness* witness) { witness_ = witness; }

  // Empty when all was as promised; otherwise what was not. In a thread of its
  // own: what an engine keeps for a thread is new in each life, so that
  // allocations have the same numbers.
  std::string Go();

  // REQUIRES: the triple has no fault. The calls of script and last close.
  const std::vector<std::string>& operations() const {
    return injector_.operations();
  }
  uint64_t reads() const { return injector_.reads(); }
  Failures::Counts failures() const { return injector_.failures(); }
  // The recovery came as far as the triple's call of it.
  bool met_recovery_fault() const { return met_recovery_fault_; }
  // What happened, line by line.
  const std::vector<std::string>& log() const { return log_; }

 private:
  std::string GoHere();
  std::string Play();
  std::string Do(const Operation& operation);
  std::string Write(const Operation& operation);
  std::string Flush(const Operation& operation);
  std::string Compact(const Operation& operation);
  std::string CreateFamily(const std::string& name);
  std::string DropFamily(const std::string& name);
  std::string MakeCheckpoint(const std::string& name);
  std::string Reopen(bool close);
  // Opens, a second time if the fault broke the first, and looks.
  std::string Open();
  std::string Adopt();
  // What is there, with no fault in the way of reading it.
  std::string ReadAll(model::State* found);
  // A read that a fault may break, but that never shows what is not.
  std::string Read();
  // The database shows what the model does.
  std::string CheckReads();

  // A failed call: what has to hold while its cause lasts, and once it is gone.
  std::string Suffer();
  std::string Heal();

  std::string PowerOff(CrashStyle style);
  std::string Recover();
  std::string RecoverUnderFault();
  std::string GoOn();
  std::string CheckCopies();

  // It is there, and nobody is in doubt of it. "" is.
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
    bool made;  // the call said so
  };

  const Script& script_;
  const Triple triple_;
  Random random_;
  std::set<std::string> keys_;
  Database database_;
  Injector injector_;
  model::Model model_;
  bool created_ = false;
  // Without "default". A family whose creation or drop failed may be there or
  // not, which the next open tells.
  std::set<std::string> families_;
  std::set<std::string> doubtful_;
  std::vector<Copy> copies_;
  // A failed call: how many operations until its cause is gone.
  uint64_t patience_ = 0;
  bool healed_ = false;
  bool met_recovery_fault_ = false;
  Witness* witness_ = nullptr;
  std::vector<std::string> log_;
};

}  // namespace tamis::crash
