// SPDX-License-Identifier: Apache-2.0
//
// The keys that a transaction tracks, by family, and the order in which they
// came to be tracked, in which a return to a save point forgets them.
//
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tamis/slice.h"
#include "tamis/types.h"

#include "db/family/column_family.h"
#include "db/tracked_key.h"
#include "util/base/string_map.h"

namespace tamis {

class TrackedKeys {
 public:
  struct Info {
    SequenceNumber since = kMaxSequenceNumber;  // see TrackedKey
    uint32_t reads = 0;                         // by GetForUpdate
    bool written = false;
    bool exclusive = false;
  };
  // A place in the order.
  using Mark = size_t;

  // Returns what is known of the key, or nullptr if it is not tracked. Valid
  // until the key is forgotten.
  Info* Find(const ColumnFamily& family, const Slice& key);
  // Tracks the key, and returns the same. REQUIRES: it is not tracked. After an
  // exception it is not.
  Info* Track(const ColumnFamilyPtr& family, const Slice& key);
  // Forgets the key, if it came to be tracked after the mark. Returns whether.
  bool Forget(const ColumnFamily& family, const Slice& key, Mark after);

  Mark mark() const { return order_.size(); }
  // Calls visit(family, key), then forgets the key, for each that came to be
  // tracked after the mark.
  template <typename Visit>
  void ForgetAfter(Mark mark, const Visit& visit);

  size_t size() const { return size_; }
  // Returns all keys, which borrow from *this.
  std::vector<TrackedKey> All() const;

 private:
  using Keys = StringMap<Info>;
  struct OfFamily {
    ColumnFamilyPtr family;  // it may be dropped, and its handle destroyed
    Keys keys;
  };
  struct Place {
    OfFamily* of_family;
    const std::string* key;  // nullptr: it was forgotten
  };

  std::map<FamilyId, OfFamily> families_;
  std::vector<Place> order_;
  size_t size_ = 0;
};

template <typename Visit>
void TrackedKeys::ForgetAfter(Mark mark, const Visit& visit) {
  while (order_.size() > mark) {
    const Place place = order_.back();
    order_.pop_back();
    if (place.key == nullptr) continue;
    visit(place.of_family->family, *place.key);
    place.of_family->keys.erase(*place.key);
    --size_;
  }
}

}  // namespace tamis
