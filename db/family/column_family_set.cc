// SPDX-License-Identifier: Apache-2.0
#include "db/family/column_family_set.h"

#include <algorithm>
#include <utility>

namespace tamis {

namespace {

bool IdBelow(const ColumnFamilyPtr& family, FamilyId id) {
  return family->id() < id;
}

}  // namespace

const ColumnFamilyPtr* ColumnFamilySet::FindPtr(const View& view, FamilyId id) {
  const auto at = std::lower_bound(view.begin(), view.end(), id, IdBelow);
  return at != view.end() && (*at)->id() == id ? &*at : nullptr;
}

ColumnFamilyPtr ColumnFamilySet::Find(const std::string& name) const {
  const auto at = by_name_.find(name);
  return at != by_name_.end() ? at->second : nullptr;
}

std::vector<FileNumber> ColumnFamilySet::TableNumbers(const View& view) {
  std::vector<FileNumber> numbers;
  for (const ColumnFamilyPtr& family : view) {
    ForEachFile(*family->version(), [&](Level, const TableFilePtr& file) {
      numbers.push_back(file->meta.number);
    });
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void ColumnFamilySet::Add(const std::vector<ColumnFamilyPtr>& families) {
  View next = *view();
  for (const ColumnFamilyPtr& family : families) {
    const FamilyId id = family->id();
    const auto at = std::lower_bound(next.begin(), next.end(), id, IdBelow);
    TAMIS_CHECK(at == next.end() || (*at)->id() != id);
    TAMIS_CHECK(!family->dropped());
    next.insert(at, family);
  }
  ViewPtr fresh = std::make_shared<const View>(std::move(next));
  for (const ColumnFamilyPtr& family : families) {
    TAMIS_CHECK(by_name_.emplace(family->name(), family).second);
    RaiseMaxId(family->id());
    if (family->id() == kDefaultFamilyId) default_family_ = family;
  }
  Publish(std::move(fresh));
}

void ColumnFamilySet::Remove(const ColumnFamily& family) {
  TAMIS_CHECK(family.id() != kDefaultFamilyId);
  View next = *view();
  const size_t removed = std::erase_if(
      next, [&](const auto& other) { return other.get() == &family; });
  TAMIS_CHECK(removed == 1);
  ViewPtr fresh = std::make_shared<const View>(std::move(next));
  const size_t names = by_name_.erase(family.name());
  TAMIS_CHECK(names == 1);
  Publish(std::move(fresh));
}

void ColumnFamilySet::Publish(ViewPtr fresh) {
  TAMIS_CHECK(!fresh->empty());
  TAMIS_DCHECK(std::is_sorted(
      fresh->begin(), fresh->end(),
      [](const auto& a, const auto& b) { return a->id() < b->id(); }));
  MutexLock lock(&view_mutex_);
  view_.swap(fresh);
}

}  // namespace tamis
