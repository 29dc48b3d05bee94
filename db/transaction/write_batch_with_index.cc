// SPDX-License-Identifier: Apache-2.0
#include "tamis/utilities/write_batch_with_index.h"

#include <utility>

#include "tamis/db.h"

#include "db/transaction/base_delta_iterator.h"
#include "db/transaction/batch_entry_iterator.h"
#include "db/transaction/indexed_batch.h"
#include "util/base/exceptions.h"
#include "util/base/read_into.h"
#include "util/base/result.h"

namespace tamis {

namespace {

Status TakesNoRanges() {
  return Status::NotSupported(
      "DeleteRange", "a WriteBatchWithIndex takes no deletions of ranges");
}

// Sets *value to what the lookup says with this base, nullptr for none.
Status Resolve(const BatchLookup& lookup, const ColumnFamilyHandle* family,
               const Slice& key, const Slice* base, PinnableSlice* value) {
  const MergeWith with =
      lookup.operands.empty() ? MergeWith() : IndexedBatch::MergeWithOf(family);
  std::string result;
  TAMIS_RETURN_IF_ERROR(ResolveLookup(lookup, with, key, base, &result));
  *value->GetSelf() = std::move(result);
  value->PinSelf();
  return Status::OK();
}

// Moves a value, but not the caller's buffer, of which *to is.
void HandOver(PinnableSlice* from, PinnableSlice* to) {
  if (!from->IsPinned()) return to->PinSelf(*from);
  auto owner = std::make_unique<PinnableSlice>(std::move(*from));
  const Slice bytes = *owner;
  to->PinSlice(
      bytes, [](void* pinned) { delete static_cast<PinnableSlice*>(pinned); },
      owner.release());
}

}  // namespace

WBWIIterator::~WBWIIterator() = default;

WriteBatchWithIndex::WriteBatchWithIndex(
    const Comparator* backup_index_comparator, size_t reserved_bytes,
    bool overwrite_key, size_t max_bytes)
    : rep_(std::make_unique<IndexedBatch>(
          backup_index_comparator, reserved_bytes, overwrite_key, max_bytes)) {}

WriteBatchWithIndex::~WriteBatchWithIndex() = default;
WriteBatchWithIndex::WriteBatchWithIndex(WriteBatchWithIndex&&) noexcept =
    default;
WriteBatchWithIndex& WriteBatchWithIndex::operator=(
    WriteBatchWithIndex&&) noexcept = default;

Status WriteBatchWithIndex::Put(ColumnFamilyHandle* family, const Slice& key,
                                const Slice& value) {
  return rep_->Add(family, kTypeValue, key, value);
}

Status WriteBatchWithIndex::Put(const Slice& key, const Slice& value) {
  return Put(nullptr, key, value);
}

Status WriteBatchWithIndex::Merge(ColumnFamilyHandle* family, const Slice& key,
                                  const Slice& operand) {
  return rep_->Add(family, kTypeMerge, key, operand);
}

Status WriteBatchWithIndex::Merge(const Slice& key, const Slice& operand) {
  return Merge(nullptr, key, operand);
}

Status WriteBatchWithIndex::Delete(ColumnFamilyHandle* family,
                                   const Slice& key) {
  return rep_->Add(family, kTypeDeletion, key, Slice());
}

Status WriteBatchWithIndex::Delete(const Slice& key) {
  return Delete(nullptr, key);
}

Status WriteBatchWithIndex::SingleDelete(ColumnFamilyHandle* family,
                                         const Slice& key) {
  return rep_->Add(family, kTypeSingleDeletion, key, Slice());
}

Status WriteBatchWithIndex::SingleDelete(const Slice& key) {
  return SingleDelete(nullptr, key);
}

Status WriteBatchWithIndex::DeleteRange(ColumnFamilyHandle*, const Slice&,
                                        const Slice&) {
  return TakesNoRanges();
}

Status WriteBatchWithIndex::DeleteRange(const Slice&, const Slice&) {
  return TakesNoRanges();
}

Status WriteBatchWithIndex::PutLogData(const Slice& blob) {
  return rep_->batch().PutLogData(blob);
}

void WriteBatchWithIndex::Clear() { rep_->Clear(); }

void WriteBatchWithIndex::SetSavePoint() { rep_->batch().SetSavePoint(); }

Status WriteBatchWithIndex::RollbackToSavePoint() {
  return rep_->RollbackToSavePoint();
}

Status WriteBatchWithIndex::PopSavePoint() {
  return rep_->batch().PopSavePoint();
}

void WriteBatchWithIndex::SetMaxBytes(size_t max_bytes) {
  rep_->batch().SetMaxBytes(max_bytes);
}

size_t WriteBatchWithIndex::GetDataSize() const {
  return rep_->batch().GetDataSize();
}

WriteBatch* WriteBatchWithIndex::GetWriteBatch() { return &rep_->batch(); }

const WriteBatch* WriteBatchWithIndex::GetWriteBatch() const {
  return &std::as_const(*rep_).batch();
}

WBWIIterator* WriteBatchWithIndex::NewIterator(
    ColumnFamilyHandle* family) const {
  return new BatchEntryIterator(rep_->IndexOf(IndexedBatch::IdOf(family)),
                                rep_->overwrite_key());
}

WBWIIterator* WriteBatchWithIndex::NewIterator() const {
  return NewIterator(nullptr);
}

Iterator* WriteBatchWithIndex::NewIteratorWithBase(
    ColumnFamilyHandle* family, Iterator* base_iterator,
    const ReadOptions* options) const {
  std::unique_ptr<Iterator> base(base_iterator);
  return new BaseDeltaIterator(
      rep_.get(), IndexedBatch::IdOf(family), IndexedBatch::MergeWithOf(family),
      std::move(base), options != nullptr ? *options : ReadOptions());
}

Iterator* WriteBatchWithIndex::NewIteratorWithBase(
    Iterator* base_iterator) const {
  return NewIteratorWithBase(nullptr, base_iterator);
}

Status WriteBatchWithIndex::GetFromBatch(ColumnFamilyHandle* family,
                                         const DBOptions&, const Slice& key,
                                         std::string* value) const {
  return CatchExceptions([&] {
    const BatchLookup lookup = rep_->Find(family, key);
    if (lookup.empty()) return Status::NotFound();
    const MergeWith with = IndexedBatch::MergeWithOf(family);
    if (!lookup.operands.empty() &&
        (lookup.base == BatchLookup::Base::kDatabase ||
         with.merge_operator == nullptr)) {
      return Status::MergeInProgress();
    }
    return ResolveLookup(lookup, with, key, /*base=*/nullptr, value);
  });
}

Status WriteBatchWithIndex::GetFromBatch(const DBOptions& options,
                                         const Slice& key,
                                         std::string* value) const {
  return GetFromBatch(nullptr, options, key, value);
}

Status WriteBatchWithIndex::GetFromBatchAndDB(DB* db,
                                              const ReadOptions& options,
                                              ColumnFamilyHandle* family,
                                              const Slice& key,
                                              PinnableSlice* value) const {
  return CatchExceptions([&] {
    value->Reset();
    const BatchLookup lookup = rep_->Find(family, key);
    if (lookup.empty()) return db->Get(options, family, key, value);
    if (lookup.base != BatchLookup::Base::kDatabase) {
      return Resolve(lookup, family, key, /*base=*/nullptr, value);
    }
    PinnableSlice base;
    const Status read = db->Get(options, family, key, &base);
    if (!read.ok() && !read.IsNotFound()) return read;
    return Resolve(lookup, family, key, read.ok() ? &base : nullptr, value);
  });
}

Status WriteBatchWithIndex::GetFromBatchAndDB(DB* db,
                                              const ReadOptions& options,
                                              const Slice& key,
                                              PinnableSlice* value) const {
  return GetFromBatchAndDB(db, options, db->DefaultColumnFamily(), key, value);
}

Status WriteBatchWithIndex::GetFromBatchAndDB(DB* db,
                                              const ReadOptions& options,
                                              ColumnFamilyHandle* family,
                                              const Slice& key,
                                              std::string* value) const {
  return ReadInto(value, [&](PinnableSlice* pinned) {
    return GetFromBatchAndDB(db, options, family, key, pinned);
  });
}

Status WriteBatchWithIndex::GetFromBatchAndDB(DB* db,
                                              const ReadOptions& options,
                                              const Slice& key,
                                              std::string* value) const {
  return GetFromBatchAndDB(db, options, db->DefaultColumnFamily(), key, value);
}

void WriteBatchWithIndex::MultiGetFromBatchAndDB(
    DB* db, const ReadOptions& options, ColumnFamilyHandle* family,
    size_t num_keys, const Slice* keys, PinnableSlice* values, Status* statuses,
    bool /*sorted_input*/) const {
  const Status status = CatchExceptions([&] {
    std::vector<BatchLookup> lookups(num_keys);
    std::vector<size_t> asked;  // of the database
    std::vector<Slice> asked_keys;
    for (size_t i = 0; i < num_keys; ++i) {
      values[i].Reset();
      lookups[i] = rep_->Find(family, keys[i]);
      if (lookups[i].base == BatchLookup::Base::kDatabase) {
        asked.push_back(i);
        asked_keys.push_back(keys[i]);
      } else {
        statuses[i] = Resolve(lookups[i], family, keys[i], nullptr, &values[i]);
      }
    }
    std::vector<PinnableSlice> found(asked.size());
    std::vector<Status> read(asked.size());
    db->MultiGet(options, family, asked.size(), asked_keys.data(), found.data(),
                 read.data());
    for (size_t n = 0; n < asked.size(); ++n) {
      const size_t i = asked[n];
      statuses[i] = read[n];
      if (lookups[i].empty()) {
        HandOver(&found[n], &values[i]);
      } else if (read[n].ok() || read[n].IsNotFound()) {
        statuses[i] = Resolve(lookups[i], family, keys[i],
                              read[n].ok() ? &found[n] : nullptr, &values[i]);
      }
    }
    return Status::OK();
  });
  if (status.ok()) return;
  for (size_t i = 0; i < num_keys; ++i) {
    values[i].Reset();
    statuses[i] = status;
  }
}

}  // namespace tamis
