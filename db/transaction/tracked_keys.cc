// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/tracked_keys.h"

#include "util/base/check.h"

namespace tamis {

TrackedKeys::Info* TrackedKeys::Find(const ColumnFamily& family,
                                     const Slice& key) {
  const auto of_family = families_.find(family.id());
  if (of_family == families_.end()) return nullptr;
  Keys& keys = of_family->second.keys;
  const auto found = keys.find(key.ToStringView());
  return found != keys.end() ? &found->second : nullptr;
}

TrackedKeys::Info* TrackedKeys::Track(const ColumnFamilyPtr& family,
                                      const Slice& key) {
  OfFamily& of_family = families_[family->id()];
  of_family.family = family;
  order_.push_back({&of_family, nullptr});  // of no key, if the next throws
  const auto [found, is_new] = of_family.keys.try_emplace(key.ToString());
  TAMIS_DCHECK(is_new);
  order_.back().key = &found->first;
  ++size_;
  return &found->second;
}

bool TrackedKeys::Forget(const ColumnFamily& family, const Slice& key,
                         Mark after) {
  const auto of_family = families_.find(family.id());
  if (of_family == families_.end()) return false;
  Keys& keys = of_family->second.keys;
  const auto found = keys.find(key.ToStringView());
  if (found == keys.end()) return false;
  for (Mark i = order_.size(); i > after; --i) {
    if (order_[i - 1].key != &found->first) continue;
    order_[i - 1].key = nullptr;
    keys.erase(found);
    --size_;
    return true;
  }
  return false;
}

std::vector<TrackedKey> TrackedKeys::All() const {
  std::vector<TrackedKey> all;
  all.reserve(size_);
  for (const auto& [id, of_family] : families_) {
    for (const auto& [key, info] : of_family.keys) {
      all.push_back({of_family.family.get(), key, info.since});
    }
  }
  return all;
}

}  // namespace tamis
