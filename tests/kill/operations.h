// SPDX-License-Identifier: Apache-2.0
//
// The operations of a thread in a round: a sequence that a seed and the
// contents of the thread's keys at the beginning determine. Both together give
// the contents after any number of operations.
//
// Each thread has its own keys, "thread<N>/...", in all families. Only thread 0
// uses the fourth family, and creates and drops it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tamis/comparator.h"

#include "util/base/random.h"

namespace tamis::kill {

constexpr uint32_t kThreads = 4;

enum FamilyIndex : size_t { kDefault, kMerging, kReverse, kFourth };
constexpr size_t kFamilies = 4;
constexpr std::array<const char*, kFamilies> kFamilyNames = {
    "default", "merging", "reverse", "fourth"};

const Comparator* ComparatorOf(size_t family);
// "thread<N>/"
std::string PrefixOf(uint32_t thread);

// The contents of a thread's keys.
struct Model {
  std::array<std::map<std::string, std::string>, kFamilies> families;
  bool fourth_exists = false;  // false except for thread 0

  bool operator==(const Model& other) const {
    return families == other.families && fourth_exists == other.fourth_exists;
  }
};

struct Change {
  enum class Kind { kPut, kDelete, kSingleDelete, kDeleteRange, kMerge };

  Kind kind;
  size_t family;
  std::string key;
  std::string value;  // of kDeleteRange: the end
};

struct Operation {
  enum class Kind { kWrite, kFlush, kCompactRange, kCreateFourth, kDropFourth };

  Kind kind = Kind::kWrite;
  std::vector<Change> changes;  // of kWrite: one atomic batch
  bool sync = false;            // of kFlush: wait
  size_t family = kDefault;     // of kFlush and kCompactRange
};

class Row {
 public:
  Row(uint64_t seed, int round, uint32_t thread, Model start);

  Operation Next();
  // The contents after the last operation of Next.
  const Model& model() const { return model_; }

 private:
  Change NextChange();
  size_t AnyFamily();
  std::string Value();
  void Apply(const Change& change);

  Random random_;
  const int round_;
  const bool owns_fourth_;
  const std::string prefix_;
  Model model_;
  uint64_t count_ = 0;
};

}  // namespace tamis::kill
