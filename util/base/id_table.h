// SPDX-License-Identifier: Apache-2.0
//
// An IdTable maps ids to values: an open-addressing hash table with linear
// probing, whose size is a power of two and which is at most half full.
//
//   places   [ - | 7, value | - | 2, value | 9, value | - | - | - ]
//                              └── 9 hashes here too: uses the next free one
//
// Entries are not removed individually. When the table is full, MakeRoom
// rebuilds it from the values still in use, with room for at least twice as
// many. If values go out of use as others come, the table's size stays
// proportional to those in use, and Add and MakeRoom cost O(1), amortized.
//
// One thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "util/base/check.h"

namespace tamis {

// Value: default-constructible and nothrow-movable.
template <typename Value>
class IdTable {
 public:
  // Returns the id's value, or nullptr if there is none. REQUIRES: id != 0
  Value* Find(uint64_t id) {
    if (places_.empty()) return nullptr;
    Place& place = places_[Search(places_, id)];
    return place.id == id ? &place.value : nullptr;
  }

  // Makes room for one Add. Rebuilds a full table without the values for which
  // in_use() is false, which invalidates pointers from Find. May throw
  // std::bad_alloc, and then changes nothing. REQUIRES: in_use() of a value
  // never turns from false to true; it may turn false during the call.
  template <typename InUse>
  void MakeRoom(const InUse& in_use) {
    if ((size_ + 1) * 2 <= places_.size()) return;
    const auto keep = [&in_use](const Place& place) {
      return place.id != 0 && in_use(place.value);
    };
    const auto kept_at_most = static_cast<size_t>(
        std::count_if(places_.begin(), places_.end(), keep));
    std::vector<Place> places(
        std::max(kMinPlaces, std::bit_ceil(kept_at_most * 4)));
    size_t kept = 0;
    for (Place& place : places_) {
      if (!keep(place)) continue;
      places[Search(places, place.id)] = std::move(place);
      ++kept;
    }
    places_.swap(places);
    size_ = kept;
  }
  // Adds a value. REQUIRES: MakeRoom was called since the last Add; the id is
  // absent and not 0.
  void Add(uint64_t id, Value value) {
    TAMIS_DCHECK(id != 0);
    TAMIS_DCHECK((size_ + 1) * 2 <= places_.size());
    TAMIS_DCHECK(Find(id) == nullptr);
    places_[Search(places_, id)] = {id, std::move(value)};
    ++size_;
  }

  // Returns the number of values, including those no longer in use.
  size_t size() const { return size_; }
  // Calls visit(value) for each value, in no order.
  template <typename Visit>
  void ForEach(const Visit& visit) {
    for (Place& place : places_) {
      if (place.id != 0) visit(place.value);
    }
  }
  // Returns the largest number of places probed to find any id in the table.
  size_t LongestSearch() const {
    size_t longest = 0;
    for (size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].id == 0) continue;
      const size_t mask = places_.size() - 1;
      longest =
          std::max(longest, ((i - Home(places_, places_[i].id)) & mask) + 1);
    }
    return longest;
  }

 private:
  static constexpr size_t kMinPlaces = 8;

  struct Place {
    uint64_t id = 0;  // 0: free
    Value value{};
  };

  // Fibonacci hashing: spreads ids that are consecutive or differ by a power of
  // two.
  static size_t Home(const std::vector<Place>& places, uint64_t id) {
    const int bits = std::countr_zero(places.size());
    return static_cast<size_t>((id * 0x9e3779b97f4a7c15) >> (64 - bits));
  }
  // Returns the place of the id, or the free place where it would be inserted.
  static size_t Search(const std::vector<Place>& places, uint64_t id) {
    size_t i = Home(places, id);
    while (places[i].id != id && places[i].id != 0) {
      i = (i + 1) & (places.size() - 1);
    }
    return i;
  }

  std::vector<Place> places_;
  size_t size_ = 0;
};

}  // namespace tamis
