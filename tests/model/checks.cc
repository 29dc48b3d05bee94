// SPDX-License-Identifier: Apache-2.0
#include "tests/model/checks.h"

#include <iterator>
#include <memory>

namespace tamis::model {

namespace {

// Checks that the iterator is at the entry `at` (end(): not valid).
std::string CheckPosition(const Iterator& it, const State& expected,
                          State::const_iterator at) {
  if (!it.status().ok()) return "status " + it.status().ToString();
  if (at == expected.end()) {
    return it.Valid() ? "stands on " + Shown(it.key().ToString()) +
                            ", not behind the last"
                      : "";
  }
  if (!it.Valid()) return "is not valid, but ought to show " + Shown(at->first);
  if (it.key() != Slice(at->first)) {
    return "shows key " + Shown(it.key().ToString()) + ", not " +
           Shown(at->first);
  }
  if (it.value() != Slice(at->second)) {
    return "shows another value for key " + Shown(at->first);
  }
  return "";
}

State::const_iterator Before(const State& state, State::const_iterator at) {
  return at == state.begin() ? state.end() : std::prev(at);
}

std::string CheckScans(Iterator* it, const State& expected) {
  it->SeekToFirst();
  auto at = expected.begin();
  for (;; it->Next(), ++at) {
    const std::string problem = CheckPosition(*it, expected, at);
    if (!problem.empty()) return "a forward scan " + problem;
    if (at == expected.end()) break;
  }
  it->SeekToLast();
  at = Before(expected, expected.end());
  for (;; it->Prev(), at = Before(expected, at)) {
    const std::string problem = CheckPosition(*it, expected, at);
    if (!problem.empty()) return "a backward scan " + problem;
    if (at == expected.end()) break;
  }
  return "";
}

std::string CheckSeek(Iterator* it, const State& expected,
                      const std::string& target, Random* random) {
  const bool forward = random->OneIn(2);
  State::const_iterator at;
  if (forward) {
    it->Seek(target);
    at = expected.lower_bound(target);
  } else {
    it->SeekForPrev(target);
    at = Before(expected, expected.upper_bound(target));
  }
  const std::string name =
      (forward ? "Seek(" : "SeekForPrev(") + Shown(target) + ")";
  for (uint64_t steps = random->Uniform(7);; --steps) {
    const std::string problem = CheckPosition(*it, expected, at);
    if (!problem.empty()) return name + " and steps: " + problem;
    if (steps == 0 || at == expected.end()) return "";
    if (random->OneIn(2)) {
      it->Next();
      ++at;
    } else {
      it->Prev();
      at = Before(expected, at);
    }
  }
}

const std::string& AnyOf(const std::vector<std::string>& keys, Random* random) {
  return keys[random->Uniform(keys.size())];
}

// Near a key, seldom one itself.
std::string Neighbour(std::string key, Random* random) {
  if (random->OneIn(2) || key.empty()) return key + "x";
  key.pop_back();
  return key;
}

std::string CheckBounds(DB* db, const Snapshot* snapshot, const State& expected,
                        const std::vector<std::string>& keys, Random* random) {
  std::string low = AnyOf(keys, random);
  if (random->OneIn(2)) low = Neighbour(low, random);
  // Half of the ranges are narrow, for filters to exclude them.
  const std::string high =
      random->OneIn(2) ? Neighbour(AnyOf(keys, random), random)
                       : low + std::string(1 + random->Uniform(2),
                                           random->OneIn(2) ? '\0' : '5');
  const Slice lower = low;
  const Slice upper = high;
  ReadOptions options;
  options.snapshot = snapshot;
  const bool has_lower = random->Uniform(3) != 0;
  const bool has_upper = !has_lower || random->OneIn(2);
  if (has_lower) options.iterate_lower_bound = &lower;
  if (has_upper) options.iterate_upper_bound = &upper;
  options.fill_cache = random->OneIn(2);

  State between(expected.key_comp());
  for (const auto& [key, value] : expected) {
    if (has_lower && expected.key_comp()(key, low)) continue;
    if (has_upper && !expected.key_comp()(key, high)) continue;
    between.emplace(key, value);
  }
  const std::unique_ptr<Iterator> it(db->NewIterator(options));
  const std::string problem = CheckIterator(it.get(), between, keys, random);
  if (problem.empty()) return "";
  return "between " + (has_lower ? Shown(low) : "-") + " and " +
         (has_upper ? Shown(high) : "-") + ": " + problem;
}

// What may be had from memory alone is right too.
std::string CheckGetFromMemory(DB* db, const Snapshot* snapshot,
                               const std::string& key, const State& expected) {
  ReadOptions options;
  options.snapshot = snapshot;
  options.read_tier = kBlockCacheTier;
  std::string value;
  const Status status = db->Get(options, key, &value);
  if (status.IsIncomplete()) return "";
  const auto at = expected.find(key);
  const bool right = at == expected.end() ? status.IsNotFound()
                                          : status.ok() && value == at->second;
  return right ? "" : "from memory, Get(" + Shown(key) + ") is wrong";
}

}  // namespace

std::string CheckIterator(Iterator* it, const State& expected,
                          const std::vector<std::string>& keys,
                          Random* random) {
  std::string problem = CheckScans(it, expected);
  for (int i = 0; i < 6 && problem.empty(); ++i) {
    const std::string& key = AnyOf(keys, random);
    problem = CheckSeek(
        it, expected, random->OneIn(3) ? Neighbour(key, random) : key, random);
  }
  return problem;
}

std::string CheckGet(DB* db, const Snapshot* snapshot, const std::string& key,
                     const State& expected) {
  ReadOptions options;
  options.snapshot = snapshot;
  PinnableSlice value;
  const Status status = db->Get(options, key, &value);
  const auto at = expected.find(key);
  if (at == expected.end()) {
    if (status.IsNotFound()) return "";
    return "Get(" + Shown(key) +
           ") ought to find nothing: " + status.ToString();
  }
  if (!status.ok()) return "Get(" + Shown(key) + "): " + status.ToString();
  return value == Slice(at->second)
             ? ""
             : "Get(" + Shown(key) + ") finds another value";
}

std::string CheckReads(DB* db, const Snapshot* snapshot, const State& expected,
                       const std::vector<std::string>& keys, Random* random) {
  for (const std::string& key : keys) {
    std::string problem = CheckGet(db, snapshot, key, expected);
    if (problem.empty() && random->OneIn(8)) {
      problem = CheckGet(db, snapshot, Neighbour(key, random), expected);
    }
    if (problem.empty() && random->OneIn(8)) {
      problem = CheckGetFromMemory(db, snapshot, key, expected);
    }
    if (!problem.empty()) return problem;
  }
  ReadOptions options;
  options.snapshot = snapshot;
  const std::unique_ptr<Iterator> it(db->NewIterator(options));
  std::string problem = CheckIterator(it.get(), expected, keys, random);
  for (int i = 0; i < 4 && problem.empty(); ++i) {
    problem = CheckBounds(db, snapshot, expected, keys, random);
  }
  return problem;
}

std::string ReadAll(DB* db, State* state) {
  const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (!state->emplace(it->key().ToString(), it->value().ToString()).second) {
      return "a scan shows key " + Shown(it->key().ToString()) + " twice";
    }
  }
  return it->status().ok() ? "" : "a scan ends: " + it->status().ToString();
}

}  // namespace tamis::model
