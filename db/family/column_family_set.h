// SPDX-License-Identifier: Apache-2.0
//
// The live column families of a database. A view is an immutable list of them,
// which threads without the mutex may use. Creating or dropping a family
// replaces the current view.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/base/numbers.h"
#include "db/family/column_family.h"
#include "util/base/mutex.h"

namespace tamis {

class ColumnFamilySet {
 public:
  // Ascending by id; the first is the default one.
  using View = std::vector<ColumnFamilyPtr>;
  using ViewPtr = std::shared_ptr<const View>;

  // Returns the current view. Any thread.
  ViewPtr view() const EXCLUDES(view_mutex_) {
    MutexLock lock(&view_mutex_);
    return view_;
  }
  // Any thread. REQUIRES: after the first Add.
  ColumnFamily& default_family() const { return *default_family_; }
  const ColumnFamilyPtr& default_family_ptr() const { return default_family_; }

  // Returns the family with that id, or nullptr. The result points into `view`.
  static const ColumnFamilyPtr* FindPtr(const View& view, FamilyId id);
  static ColumnFamily* Find(const View& view, FamilyId id) {
    const ColumnFamilyPtr* const found = FindPtr(view, id);
    return found != nullptr ? found->get() : nullptr;
  }
  // Returns the file numbers of the tables of all families, ascending.
  static std::vector<FileNumber> TableNumbers(const View& view);

  // REQUIRES, for all below: the database's mutex is held.

  // Returns the family of that name, or nullptr.
  ColumnFamilyPtr Find(const std::string& name) const;
  // Adds the families. May throw std::bad_alloc; the set is then unchanged if
  // there is one family. REQUIRES: their ids and names are not in the set.
  void Add(const std::vector<ColumnFamilyPtr>& families);
  // Removes the family. May throw std::bad_alloc, which changes nothing.
  void Remove(const ColumnFamily& family);

  // Returns the highest id ever used. Ids are not reused. Any thread.
  FamilyId max_id() const { return max_id_.load(std::memory_order_relaxed); }
  void RaiseMaxId(FamilyId id) {
    if (id > max_id()) max_id_.store(id, std::memory_order_relaxed);
  }

 private:
  void Publish(ViewPtr fresh) EXCLUDES(view_mutex_);

  ColumnFamilyPtr default_family_;
  std::atomic<FamilyId> max_id_;
  std::unordered_map<std::string, ColumnFamilyPtr> by_name_;
  // Acquired after the database's mutex; held for a pointer copy.
  mutable Mutex view_mutex_;
  ViewPtr view_ GUARDED_BY(view_mutex_) = std::make_shared<const View>();
};

}  // namespace tamis
