// SPDX-License-Identifier: Apache-2.0
//
// A thread's work on a database whose calls may fail at any time, and what must
// hold of it. Clients have keys of their own, "t<N>/k..", in families that all
// use, and a family of their own, which comes and goes.
//
//   acknowledged        what every read shows while the database is open
//   possible            after an open also: one write more, of those that have
//                       failed since the last acknowledged one
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tamis/db.h"

#include "tests/failures/failures.h"
#include "util/base/random.h"

namespace tamis::process {

// Calls the engine in a test that is paused as a whole.
template <typename Call>
auto Engine(Call&& call) {
  const Failures::Unpause unpause;
  return call();
}

// Shared by the clients.
constexpr size_t kSharedFamilies = 2;

class FailingClient {
 public:
  FailingClient(size_t index, uint64_t seed);

  // Of its own family.
  std::string FamilyName() const;

  // The database was opened. `own`: nullptr where there is no family of its
  // own. Failures are off. Empty, or what is wrong with what it finds.
  std::string Adopt(DB* db,
                    const std::array<ColumnFamilyHandle*, kSharedFamilies>& all,
                    ColumnFamilyHandle* own,
                    const ColumnFamilyOptions& own_options);
  // Does so many operations. Empty, or what was wrong.
  std::string Work(int operations);
  // All that is acknowledged is there, and nothing else.
  std::string Check();
  // Gives the handles back, before the database is closed.
  void LetGo();

  uint64_t acknowledged() const { return acknowledged_; }
  uint64_t failed() const { return failed_; }

 private:
  // The contents of its keys, by family: the shared ones, then its own.
  using State =
      std::array<std::map<std::string, std::string>, kSharedFamilies + 1>;
  struct Change {
    enum class Kind : uint8_t { kPut, kDelete, kMerge, kDeleteRange };
    Kind kind = Kind::kPut;
    size_t family = 0;
    std::string key;
    std::string value;  // of kDeleteRange: the end
  };

  std::string Step();
  std::string Write();
  std::string ReadOne();
  std::string ReadMany();
  std::string ReadAtASnapshot();
  std::string CreateOrDrop();
  // The keys of one family, as `expected` has them. An error that a failure
  // explains ends it early, with nothing wrong before.
  std::string Scan(size_t family,
                   const std::map<std::string, std::string>& expected,
                   const Snapshot* snapshot, bool backward);
  // OK, or an error that a failure explains.
  std::string Judge(const std::string& what, const Status& status);

  std::string AnyKey();
  size_t AnyFamily();
  Change AnyChange();
  static void Apply(const Change& change, State* state);
  Status Add(const Change& change, WriteBatch* batch) const;
  bool KnowsFamily(size_t family) const { return families_[family] != nullptr; }

  const size_t index_;
  const std::string prefix_;
  Random random_;
  DB* db_ = nullptr;
  std::array<ColumnFamilyHandle*, kSharedFamilies + 1> families_{};
  ColumnFamilyOptions own_options_;
  State state_;
  std::vector<State> possible_;
  // Whether its own family exists is not known: the last create or drop failed.
  bool own_in_doubt_ = false;
  uint64_t values_ = 0;
  uint64_t acknowledged_ = 0;
  uint64_t failed_ = 0;
};

}  // namespace tamis::process
