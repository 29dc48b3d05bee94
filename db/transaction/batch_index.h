// SPDX-License-Identifier: Apache-2.0
//
// A BatchIndex orders the changes of one column family in a batch: ascending by
// key, the changes of a key in the order of their addition.
//
//   batch   ... | put a 1 | merge a +2 | put b 3 | ...
//                    ▲          ▲           ▲
//   index        (a, put)  (a, merge)   (b, put)      offsets, not bytes: the
//                                                     batch may move its bytes
// One thread, or any number that only read.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <set>
#include <vector>

#include "tamis/comparator.h"
#include "tamis/slice.h"
#include "tamis/write_batch.h"

#include "table/internal_key.h"

namespace tamis {

// What a batch says about a key. Borrows its bytes.
struct BatchLookup {
  enum class Base : uint8_t {
    kDatabase,  // the batch does not say
    kValue,     // `value`
    kNone,      // it was deleted
  };
  Base base = Base::kDatabase;
  Slice value;
  std::vector<Slice> operands;  // to merge into the base, oldest first

  bool empty() const { return base == Base::kDatabase && operands.empty(); }
};

class BatchIndex {
 public:
  // A change: where its key and value are in the batch, and what it is.
  struct Entry {
    uint32_t key_offset;
    uint32_t key_size;
    uint32_t value_offset;
    uint32_t value_size;
    ValueType type;
  };
  // A place in the order: before the changes of the key that were added at this
  // offset or later.
  struct Position {
    Slice key;
    uint64_t offset;
  };
  class Less {
   public:
    using is_transparent = void;
    Less(const WriteBatch* batch, const Comparator* comparator)
        : batch_(batch), comparator_(comparator) {}
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Before(At(a), At(b));
    }

   private:
    const Position& At(const Position& position) const { return position; }
    Position At(const Entry& entry) const;
    bool Before(const Position& a, const Position& b) const {
      const int order = comparator_->Compare(a.key, b.key);
      return order != 0 ? order < 0 : a.offset < b.offset;
    }

    const WriteBatch* batch_;
    const Comparator* comparator_;
  };
  using Entries = std::pmr::set<Entry, Less>;

  // All must outlive *this.
  BatchIndex(const WriteBatch* batch, const Comparator* comparator,
             std::pmr::memory_resource* memory)
      : batch_(*batch),
        comparator_(*comparator),
        entries_(Less(batch, comparator), memory) {}

  // Adds the newest change of the batch, which has this key and value. May
  // throw std::bad_alloc, which changes nothing.
  Entries::const_iterator AddNewest(ValueType type, const Slice& key,
                                    const Slice& value);
  void Remove(Entries::const_iterator entry) { entries_.erase(entry); }

  const Comparator& comparator() const { return comparator_; }
  const Entries& entries() const { return entries_; }
  Slice KeyOf(const Entry& entry) const;
  Slice ValueOf(const Entry& entry) const;
  // Return the first change of the key or a later one, and the first of a later
  // key; or the end of entries().
  Entries::const_iterator FirstOf(const Slice& key) const {
    return entries_.lower_bound(Position{key, 0});
  }
  Entries::const_iterator FirstAfter(const Slice& key) const {
    return entries_.lower_bound(Position{key, UINT64_MAX});
  }

  BatchLookup Find(const Slice& key) const;

 private:
  const WriteBatch& batch_;
  const Comparator& comparator_;
  Entries entries_;
};

}  // namespace tamis
