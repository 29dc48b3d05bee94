// SPDX-License-Identifier: Apache-2.0
//
// Random changes, and the contents that a database shows after them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/directories.h"
#include "util/base/random.h"

namespace tamis {

struct Change {
  bool put = true;
  std::string key;
  std::string value;
};

// The same seed gives the same changes.
class Workload {
 public:
  explicit Workload(uint64_t seed) : random_(seed) {}

  // Keys repeat, so that there are overwrites and deletes that hit. Bytes of
  // every kind; the empty key and the empty value among them, and now and then
  // a value of 100 KiB.
  Change Next() {
    Change change;
    const uint64_t n = random_.Uniform(kKeys);
    if (n != 0) {
      Random bytes(n);
      for (uint64_t i = 4 + bytes.Uniform(20); i > 0; --i) {
        change.key.push_back(static_cast<char>(bytes.Next()));
      }
    }
    change.put = !random_.OneIn(4);
    if (!change.put) {
      model_.erase(change.key);
      return change;
    }
    const uint64_t size = random_.OneIn(800)  ? 100 * 1024
                          : random_.OneIn(20) ? 0
                                              : random_.Uniform(200);
    const uint64_t fill = random_.Next();
    for (uint64_t i = 0; i < size; ++i) {
      change.value.push_back(static_cast<char>(fill >> (8 * (i / 5 % 8))));
    }
    model_[change.key] = change.value;
    return change;
  }
  std::vector<Change> Next(size_t n) {
    std::vector<Change> changes;
    while (changes.size() < n) changes.push_back(Next());
    return changes;
  }

  Random& random() { return random_; }
  KeyValues Shown(bool reverse) const {
    KeyValues shown(model_.begin(), model_.end());
    if (reverse) std::reverse(shown.begin(), shown.end());
    return shown;
  }

 private:
  static constexpr uint64_t kKeys = 1500;
  Random random_;
  std::map<std::string, std::string> model_;
};

}  // namespace tamis
