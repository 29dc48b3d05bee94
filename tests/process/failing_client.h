// SPDX-License-Identifier: Apache-2.0
//
// A thread that uses a database whose calls may fail at any time, and checks
// it. Each client has its own keys, "t<N>/k..", in shared families, and its own
// family, which it creates and drops.
//
//   acknowledged        the writes that every read shows while the database is
//                       open
//   possible            after an open: also one of the writes that have failed
//                       since the last acknowledged one
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

// Calls the engine with failures on, in a test that pauses them elsewhere.
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

  // Called after an open, with failures off. `own`: its own family; nullptr:
  // none. Returns what is wrong with the contents; empty: nothing.
  std::string Adopt(DB* db,
                    const std::array<ColumnFamilyHandle*, kSharedFamilies>& all,
                    ColumnFamilyHandle* own,
                    const ColumnFamilyOptions& own_options);
  // Does this number of operations. Empty, or what was wrong.
  std::string Work(int operations);
  // Checks that the contents are the acknowledged writes.
  std::string Check();
  // Releases the handles, before the database is closed.
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
  // Compares the keys of a family with `expected`. An error that a failure
  // explains ends the scan; the entries before it must be right.
  std::string Scan(size_t family,
                   const std::map<std::string, std::string>& expected,
                   const Snapshot* snapshot, bool backward);
  // Checks that the status is OK, or an error that a failure explains.
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
  // Whether its own family may or may not exist: a create or drop failed.
  bool own_in_doubt_ = false;
  uint64_t values_ = 0;
  uint64_t acknowledged_ = 0;
  uint64_t failed_ = 0;
};

}  // namespace tamis::process
