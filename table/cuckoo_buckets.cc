// SPDX-License-Identifier: Apache-2.0
#include "table/cuckoo_buckets.h"

#include <utility>

namespace tamis {

namespace {

// A step without one before it.
constexpr size_t kNoStep = SIZE_MAX;

}  // namespace

bool CuckooBuckets::AddBuckets(uint32_t entry, uint32_t first_hash, Step step,
                               std::vector<Step>* steps) {
  const Slice key = user_key_(entry);
  for (uint32_t i = first_hash; i < layout_.num_hashes; ++i) {
    step.bucket = layout_.Hash(key, i);
    for (uint32_t n = 0; n < layout_.block_size; ++n, ++step.bucket) {
      if (seen_by_[step.bucket] == search_) continue;
      seen_by_[step.bucket] = search_;
      steps->push_back(step);
      if (entries_[step.bucket] == kEmpty) return true;
    }
  }
  return false;
}

void CuckooBuckets::MoveAlong(const std::vector<Step>& steps, uint32_t entry) {
  size_t at = steps.size() - 1;
  while (steps[at].from != kNoStep) {
    const size_t from = steps[at].from;
    entries_[steps[at].bucket] = entries_[steps[from].bucket];
    at = from;
  }
  entries_[steps[at].bucket] = entry;
}

// An entry moves only to a bucket that a lookup of it reaches: all of its
// buckets before that one were seen, and are taken.
bool CuckooBuckets::Put(uint32_t entry) {
  search_ = entry;
  std::vector<Step> steps;
  uint32_t first_hash = 0;
  size_t next = 0;
  while (!AddBuckets(entry, first_hash, {0, kNoStep, 0}, &steps)) {
    for (; next < steps.size(); ++next) {
      const Step step = steps[next];
      if (step.depth >= search_depth_max_) break;
      if (AddBuckets(entries_[step.bucket], 0, {0, next, step.depth + 1},
                     &steps)) {
        MoveAlong(steps, entry);
        return true;
      }
    }
    if (layout_.num_hashes == kHashesMax) return false;
    first_hash = layout_.num_hashes++;
    next = steps.size();
  }
  MoveAlong(steps, entry);
  return true;
}

}  // namespace tamis
