// SPDX-License-Identifier: Apache-2.0
//
// What one thread does in one round: a row of operations that follows from a
// seed and from what the thread's keys hold when the round begins. Whoever has
// both can say what the keys hold after any number of them.
//
// Threads have keys of their own, "thread<N>/...", in all families. The fourth
// family comes and goes, and is thread 0's alone.
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

// What one thread's keys hold.
struct Model {
  std::array<std::map<std::string, std::string>, kFamilies> families;
  bool fourth_exists = false;  // always false but for thread 0

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
  std::vector<Change> changes;  // of kWrite: they happen together
  bool sync = false;            // of kFlush: it is waited for
  size_t family = kDefault;     // of kFlush and kCompactRange
};

class Row {
 public:
  Row(uint64_t seed, int round, uint32_t thread, Model start);

  Operation Next();
  // After what Next gave last.
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
