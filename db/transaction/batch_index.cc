// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/batch_index.h"

#include <algorithm>
#include <iterator>

#include "db/wal/write_batch_tags.h"
#include "util/coding/coding.h"

namespace tamis {

BatchIndex::Position BatchIndex::Less::At(const Entry& entry) const {
  return {{batch_->Data().data() + entry.key_offset, entry.key_size},
          entry.key_offset};
}

Slice BatchIndex::KeyOf(const Entry& entry) const {
  return {batch_.Data().data() + entry.key_offset, entry.key_size};
}

Slice BatchIndex::ValueOf(const Entry& entry) const {
  return {batch_.Data().data() + entry.value_offset, entry.value_size};
}

// A record ends with its value, if it has one, and the value's length before
// it. A batch has less than 4 GiB.
BatchIndex::Entries::const_iterator BatchIndex::AddNewest(ValueType type,
                                                          const Slice& key,
                                                          const Slice& value) {
  size_t key_end = batch_.GetDataSize();
  Entry entry{.key_offset = 0,
              .key_size = static_cast<uint32_t>(key.size()),
              .value_offset = 0,
              .value_size = 0,
              .type = type};
  if (HasValue(type)) {
    entry.value_size = static_cast<uint32_t>(value.size());
    entry.value_offset = static_cast<uint32_t>(key_end - value.size());
    key_end = entry.value_offset - VarintLength(value.size());
  }
  entry.key_offset = static_cast<uint32_t>(key_end - key.size());
  return entries_.insert(entry).first;
}

BatchLookup BatchIndex::Find(const Slice& key) const {
  BatchLookup found;
  auto entry = FirstAfter(key);
  while (entry != entries_.begin()) {
    --entry;
    if (comparator_.Compare(KeyOf(*entry), key) != 0) break;
    if (entry->type == kTypeMerge) {
      found.operands.push_back(ValueOf(*entry));
      continue;
    }
    if (entry->type == kTypeValue) {
      found.base = BatchLookup::Base::kValue;
      found.value = ValueOf(*entry);
    } else {
      found.base = BatchLookup::Base::kNone;
    }
    break;
  }
  std::reverse(found.operands.begin(), found.operands.end());
  return found;
}

}  // namespace tamis
