// SPDX-License-Identifier: Apache-2.0
#include "tools/observed_rate.h"

#include <algorithm>

#include "util/coding/coding.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

ObservedRate ObserveFilters(const FilterLocator& where,
                            const std::vector<std::string>& filters,
                            uint64_t probes_max) {
  ObservedRate observed;
  const FilterOpener opener(where);
  std::vector<FilterView> views;
  std::vector<uint64_t> ends;  // of each filter's bytes, one after the other
  uint64_t total = 0;
  for (const std::string& filter : filters) {
    if (opener.Find(filter) == nullptr) return observed;
    views.push_back(opener.Open(filter));
    ends.push_back(total += filter.size());
  }
  if (total == 0) return observed;
  Random random(301);
  while (observed.matches < kMatchesWanted && observed.probes < probes_max) {
    std::string key;
    PutFixed64(&key, random.Next());
    PutFixed64(&key, random.Next());
    const auto at =
        std::upper_bound(ends.begin(), ends.end(), random.Uniform(total)) -
        ends.begin();
    ++observed.probes;
    if (views[static_cast<size_t>(at)].MayMatch(FilterKey(key))) {
      ++observed.matches;
    }
  }
  return observed;
}

AbsentKeyDraw::AbsentKeyDraw(const std::vector<std::string>& keys,
                             uint64_t seed)
    : keys_(keys),
      shared_by_all_(SharedPrefixLength(keys.front(), keys.back())),
      random_(seed) {}

bool AbsentKeyDraw::Draw(std::string* key) {
  constexpr size_t kSharers = 16;
  const size_t at = random_.Uniform(keys_.size());
  const std::string& head = keys_[at];
  const std::string& tail = keys_[random_.Uniform(keys_.size())];
  size_t shared = shared_by_all_;
  if (at >= kSharers) {
    shared = std::max(shared, SharedPrefixLength(keys_[at - kSharers], head));
  }
  if (at + kSharers < keys_.size()) {
    shared = std::max(shared, SharedPrefixLength(keys_[at + kSharers], head));
  }
  const size_t from =
      shared_by_all_ + random_.Uniform(shared - shared_by_all_ + 1);
  if (tail.size() < from) return false;
  key->assign(head, 0, from);
  key->append(tail, from);
  return *key > keys_.front() && *key < keys_.back() &&
         !std::binary_search(keys_.begin(), keys_.end(), *key);
}

ObservedRate ObserveRangeFilter(const RangeMayMatch& may_match,
                                const std::vector<std::string>& keys,
                                uint64_t probes_max) {
  constexpr size_t kFewestKeys = 100;
  ObservedRate observed;
  if (keys.size() < kFewestKeys) return observed;
  AbsentKeyDraw draw(keys, 301);
  std::string key;
  for (uint64_t drawn = 0;
       observed.matches < kMatchesWanted && drawn < probes_max; ++drawn) {
    if (!draw.Draw(&key)) continue;
    ++observed.probes;
    if (may_match(key, key + '\0')) ++observed.matches;
  }
  return observed;
}

}  // namespace tamis
