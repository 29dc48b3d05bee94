// SPDX-License-Identifier: Apache-2.0
//
// The live column families of a database. Whoever needs them without the
// mutex takes a view, which stays as it is; it changes as a whole when a
// family is created or dropped.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/family/column_family.h"
#include "util/base/mutex.h"

namespace tamis {

class ColumnFamilySet {
 public:
  // Ascending by id; the first is the default one.
  using View = std::vector<ColumnFamilyPtr>;
  using ViewPtr = std::shared_ptr<const View>;

  // Any thread.
  ViewPtr view() const EXCLUDES(view_mutex_) {
    MutexLock lock(&view_mutex_);
    return view_;
  }
  // There from the first Add on. Any thread.
  ColumnFamily& default_family() const { return *default_family_; }
  const ColumnFamilyPtr& default_family_ptr() const { return default_family_; }

  // nullptr: there is none.
  static const ColumnFamilyPtr* FindPtr(const View& view, uint32_t id);
  static ColumnFamily* Find(const View& view, uint32_t id) {
    const ColumnFamilyPtr* const found = FindPtr(view, id);
    return found != nullptr ? found->get() : nullptr;
  }
  // Of the tables of all families; ascending.
  static std::vector<uint64_t> TableNumbers(const View& view);

  // Below: under the database's mutex.

  // nullptr: there is none.
  ColumnFamilyPtr Find(const std::string& name) const;
  // An exception (memory) leaves the set as it is when one family is added.
  void Add(const std::vector<ColumnFamilyPtr>& families);
  void Remove(const ColumnFamily& family);

  // The highest id that was ever used: none is used twice.
  uint32_t max_id() const { return max_id_; }
  void RaiseMaxId(uint32_t id) {
    if (id > max_id_) max_id_ = id;
  }

 private:
  void Publish(ViewPtr fresh) EXCLUDES(view_mutex_);

  ColumnFamilyPtr default_family_;
  uint32_t max_id_ = 0;
  std::unordered_map<std::string, ColumnFamilyPtr> by_name_;
  // Taken after the database's mutex, held for a pointer copy.
  mutable Mutex view_mutex_;
  ViewPtr view_ GUARDED_BY(view_mutex_) = std::make_shared<const View>();
};

}  // namespace tamis
