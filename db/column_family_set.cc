// SPDX-License-Identifier: Apache-2.0
#include "db/column_family_set.h"

#include <algorithm>
#include <utility>

namespace tamis {

namespace {

bool IdBelow(const ColumnFamilyPtr& family, uint32_t id) {
  return family->id() < id;
}

}  // namespace

const ColumnFamilyPtr* ColumnFamilySet::FindPtr(const View& view, uint32_t id) {
  const auto at = std::lower_bound(view.begin(), view.end(), id, IdBelow);
  return at != view.end() && (*at)->id() == id ? &*at : nullptr;
}

ColumnFamilyPtr ColumnFamilySet::Find(const View& view,
                                      const std::string& name) {
  const auto at =
      std::find_if(view.begin(), view.end(),
                   [&](const auto& family) { return family->name() == name; });
  return at != view.end() ? *at : nullptr;
}

std::vector<uint64_t> ColumnFamilySet::TableNumbers(const View& view) {
  std::vector<uint64_t> numbers;
  for (const ColumnFamilyPtr& family : view) {
    ForEachFile(*family->version(), [&](int, const TableFilePtr& file) {
      numbers.push_back(file->meta.number);
    });
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void ColumnFamilySet::Add(ColumnFamilyPtr family) {
  const uint32_t id = family->id();
  RaiseMaxId(id);
  if (id == 0) default_family_ = family;
  View next = *view();
  const auto at = std::lower_bound(next.begin(), next.end(), id, IdBelow);
  TAMIS_CHECK(at == next.end() || (*at)->id() != id);
  next.insert(at, std::move(family));
  Publish(std::move(next));
}

void ColumnFamilySet::Remove(const ColumnFamily& family) {
  View next = *view();
  std::erase_if(next,
                [&](const auto& other) { return other.get() == &family; });
  Publish(std::move(next));
}

void ColumnFamilySet::Publish(View view) {
  ViewPtr fresh = std::make_shared<const View>(std::move(view));
  MutexLock lock(&view_mutex_);
  view_.swap(fresh);
}

}  // namespace tamis
