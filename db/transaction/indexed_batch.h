// SPDX-License-Identifier: Apache-2.0
//
// An IndexedBatch is what a WriteBatchWithIndex is made of: the batch, an index
// for each family that it changes, and the order of the additions, in which a
// return to a save point undoes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <vector>

#include "tamis/column_family.h"
#include "tamis/utilities/write_batch_with_index.h"

#include "db/base/numbers.h"
#include "db/transaction/batch_index.h"
#include "table/merge_operands.h"

namespace tamis {

class IndexedBatch {
 public:
  IndexedBatch(const Comparator* default_comparator, size_t reserved_bytes,
               bool overwrite_key, size_t max_bytes)
      : default_comparator_(*default_comparator),
        overwrite_key_(overwrite_key),
        batch_(reserved_bytes, max_bytes) {}
  IndexedBatch(const IndexedBatch&) = delete;
  IndexedBatch& operator=(const IndexedBatch&) = delete;

  static IndexedBatch& Of(const WriteBatchWithIndex& batch) {
    return *batch.rep_;
  }
  static FamilyId IdOf(const ColumnFamilyHandle* family) {
    return family == nullptr ? kDefaultFamilyId : FamilyId(family->GetID());
  }
  // Returns the operator of the family; nothing if there is no family.
  static MergeWith MergeWithOf(const ColumnFamilyHandle* family);

  // Adds a change; on an error, nothing.
  Status Add(ColumnFamilyHandle* family, ValueType type, const Slice& key,
             const Slice& value);
  void Clear();
  Status RollbackToSavePoint();

  WriteBatch& batch() { return batch_; }
  const WriteBatch& batch() const { return batch_; }
  bool overwrite_key() const { return overwrite_key_; }
  // Returns the index of the family, or nullptr if it has no change.
  const BatchIndex* IndexOf(FamilyId family) const {
    const auto found = indexes_.find(family);
    return found != indexes_.end() ? &found->second : nullptr;
  }
  BatchLookup Find(const ColumnFamilyHandle* family, const Slice& key) const {
    const BatchIndex* const index = IndexOf(IdOf(family));
    return index != nullptr ? index->Find(key) : BatchLookup();
  }
  // Differs after each change of an index.
  uint64_t version() const { return version_; }

 private:
  struct Addition {
    BatchIndex* index;
    BatchIndex::Entries::const_iterator entry;
  };

  const Comparator& default_comparator_;
  const bool overwrite_key_;
  WriteBatch batch_;
  // Of the entries. It frees nothing before it ends, or Clear.
  std::optional<std::pmr::monotonic_buffer_resource> memory_{std::in_place};
  std::map<FamilyId, BatchIndex> indexes_;
  std::vector<Addition> additions_;
  uint64_t version_ = 0;
};

// Sets *value to the base with the operands of the lookup applied. `base` is
// what the database has, nullptr if nothing; it counts only if the lookup does
// not have the base. Returns NotFound if there is no value; NotSupported if
// there are operands, but no operator.
Status ResolveLookup(const BatchLookup& lookup, const MergeWith& with,
                     const Slice& key, const Slice* base, std::string* value);

}  // namespace tamis
