// SPDX-License-Identifier: Apache-2.0
#include "db/transaction/indexed_batch.h"

#include "db/db_impl.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"

namespace tamis {

MergeWith IndexedBatch::MergeWithOf(const ColumnFamilyHandle* family) {
  const auto* const handle =
      dynamic_cast<const ColumnFamilyHandleImpl*>(family);
  return handle != nullptr ? handle->family()->merge_with() : MergeWith();
}

Status IndexedBatch::Add(ColumnFamilyHandle* family, ValueType type,
                         const Slice& key, const Slice& value) {
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::CheckHeader(batch_));
  const auto before = WriteBatchInternal::At(batch_);
  TAMIS_RETURN_IF_ERROR(
      WriteBatchInternal::Add(&batch_, family, type, key, value));
  const Status indexed = CatchExceptions([&] {
    const Comparator* const comparator =
        family != nullptr ? family->GetComparator() : &default_comparator_;
    BatchIndex& index =
        indexes_.try_emplace(IdOf(family), &batch_, comparator, &*memory_)
            .first->second;
    additions_.push_back({&index, index.entries().end()});
    const Status added = CatchExceptions([&] {
      additions_.back().entry = index.AddNewest(type, key, value);
      return Status::OK();
    });
    if (!added.ok()) additions_.pop_back();
    return added;
  });
  if (!indexed.ok()) WriteBatchInternal::ReturnTo(before, &batch_);
  ++version_;
  return indexed;
}

void IndexedBatch::Clear() {
  additions_.clear();
  indexes_.clear();
  memory_.emplace();
  batch_.Clear();
  ++version_;
}

Status IndexedBatch::RollbackToSavePoint() {
  TAMIS_RETURN_IF_ERROR(batch_.RollbackToSavePoint());
  while (!additions_.empty() &&
         additions_.back().entry->key_offset >= batch_.GetDataSize()) {
    additions_.back().index->Remove(additions_.back().entry);
    additions_.pop_back();
  }
  ++version_;
  return Status::OK();
}

Status ResolveLookup(const BatchLookup& lookup, const MergeWith& with,
                     const Slice& key, const Slice* base, std::string* value) {
  using Base = BatchLookup::Base;
  if (lookup.base == Base::kValue) base = &lookup.value;
  if (lookup.base == Base::kNone) base = nullptr;
  if (lookup.operands.empty()) {
    if (base == nullptr) return Status::NotFound();
    value->assign(base->data(), base->size());
    return Status::OK();
  }
  if (with.merge_operator == nullptr) {
    return Status::NotSupported(
        "the batch has merge operands of a key",
        "their family has no merge operator, or was not given");
  }
  return FullMerge(with, key, base, lookup.operands, value);
}

}  // namespace tamis
