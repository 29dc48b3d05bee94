// SPDX-License-Identifier: Apache-2.0
//
// The members of WriteBatch that are made of others: additions in parts, save
// points, queries, and the Handler with its iteration.
#include <string>

#include "tamis/write_batch.h"

#include "db/wal/batch_cursor.h"
#include "db/wal/write_batch_internal.h"
#include "util/base/check.h"
#include "util/base/joined_parts.h"
#include "util/base/result.h"

namespace tamis {

namespace {

bool Has(const WriteBatch& batch, ValueType type) {
  BatchCursor cursor(batch.Data());
  BatchRecord record;
  while (cursor.Next(&record)) {
    if (record.is_change() && record.type == type) return true;
  }
  return false;
}

Status NotOverridden(const char* function) {
  return Status::InvalidArgument(
      function, "a change of another column family, but not overridden");
}

}  // namespace

Status WriteBatch::Put(ColumnFamilyHandle* family, const SliceParts& key,
                       const SliceParts& value) {
  return Joined(key, value, [&](const Slice& k, const Slice& v) {
    return Put(family, k, v);
  });
}

Status WriteBatch::Put(const SliceParts& key, const SliceParts& value) {
  return Put(nullptr, key, value);
}

Status WriteBatch::Delete(ColumnFamilyHandle* family, const SliceParts& key) {
  return Joined(
      key, {}, [&](const Slice& k, const Slice&) { return Delete(family, k); });
}

Status WriteBatch::Delete(const SliceParts& key) {
  return Delete(nullptr, key);
}

Status WriteBatch::SingleDelete(ColumnFamilyHandle* family,
                                const SliceParts& key) {
  return Joined(key, {}, [&](const Slice& k, const Slice&) {
    return SingleDelete(family, k);
  });
}

Status WriteBatch::SingleDelete(const SliceParts& key) {
  return SingleDelete(nullptr, key);
}

Status WriteBatch::DeleteRange(ColumnFamilyHandle* family,
                               const SliceParts& begin, const SliceParts& end) {
  return Joined(begin, end, [&](const Slice& b, const Slice& e) {
    return DeleteRange(family, b, e);
  });
}

Status WriteBatch::DeleteRange(const SliceParts& begin, const SliceParts& end) {
  return DeleteRange(nullptr, begin, end);
}

Status WriteBatch::Merge(ColumnFamilyHandle* family, const SliceParts& key,
                         const SliceParts& operand) {
  return Joined(key, operand, [&](const Slice& k, const Slice& o) {
    return Merge(family, k, o);
  });
}

Status WriteBatch::Merge(const SliceParts& key, const SliceParts& operand) {
  return Merge(nullptr, key, operand);
}

// A batch without a header takes no additions: there is nothing to return to.
void WriteBatch::SetSavePoint() {
  const bool has_header = WriteBatchInternal::CheckHeader(*this).ok();
  save_points_.push_back(has_header ? WriteBatchInternal::At(*this)
                                    : SavePoint{contents_.size(), 0, plain_});
}

Status WriteBatch::RollbackToSavePoint() {
  if (save_points_.empty()) return Status::NotFound();
  const SavePoint point = save_points_.back();
  save_points_.pop_back();
  if (point.bytes >= WriteBatchInternal::kHeaderBytes) {
    WriteBatchInternal::ReturnTo(point, this);
  }
  return Status::OK();
}

Status WriteBatch::PopSavePoint() {
  if (save_points_.empty()) return Status::NotFound();
  save_points_.pop_back();
  return Status::OK();
}

void WriteBatchInternal::ReturnTo(const WriteBatch::SavePoint& point,
                                  WriteBatch* batch) {
  TAMIS_CHECK(point.bytes <= batch->contents_.size());
  batch->contents_.resize(point.bytes);
  SetCount(batch, point.count);
  batch->plain_ = point.plain;
}

Status WriteBatchInternal::Undo::PassesMaxBytes() const {
  const size_t bytes = batch_->contents_.size();
  ReturnTo(before_, batch_);
  return Status::MemoryLimit(
      "a batch of " + std::to_string(bytes) + " bytes",
      "SetMaxBytes is " + std::to_string(batch_->max_bytes_));
}

bool WriteBatch::HasPut() const { return Has(*this, kTypeValue); }
bool WriteBatch::HasDelete() const { return Has(*this, kTypeDeletion); }
bool WriteBatch::HasSingleDelete() const {
  return Has(*this, kTypeSingleDeletion);
}
bool WriteBatch::HasDeleteRange() const {
  return Has(*this, kTypeRangeDeletion);
}
bool WriteBatch::HasMerge() const { return Has(*this, kTypeMerge); }

WriteBatch::Handler::~Handler() = default;

Status WriteBatch::Handler::PutCF(uint32_t family, const Slice& key,
                                  const Slice& value) {
  if (family != 0) return NotOverridden("PutCF");
  Put(key, value);
  return Status::OK();
}

Status WriteBatch::Handler::DeleteCF(uint32_t family, const Slice& key) {
  if (family != 0) return NotOverridden("DeleteCF");
  Delete(key);
  return Status::OK();
}

Status WriteBatch::Handler::SingleDeleteCF(uint32_t family, const Slice& key) {
  if (family != 0) return NotOverridden("SingleDeleteCF");
  SingleDelete(key);
  return Status::OK();
}

Status WriteBatch::Handler::DeleteRangeCF(uint32_t, const Slice&,
                                          const Slice&) {
  return Status::InvalidArgument("DeleteRangeCF", "it is not overridden");
}

Status WriteBatch::Handler::MergeCF(uint32_t family, const Slice& key,
                                    const Slice& operand) {
  if (family != 0) return NotOverridden("MergeCF");
  Merge(key, operand);
  return Status::OK();
}

void WriteBatch::Handler::Put(const Slice&, const Slice&) {}
void WriteBatch::Handler::Delete(const Slice&) {}
void WriteBatch::Handler::SingleDelete(const Slice&) {}
void WriteBatch::Handler::Merge(const Slice&, const Slice&) {}
void WriteBatch::Handler::LogData(const Slice&) {}
bool WriteBatch::Handler::Continue() { return true; }

namespace {

// REQUIRES: a change.
Status Show(const BatchRecord& record, WriteBatch::Handler* handler) {
  const uint32_t family = record.family.value();
  switch (record.type) {
    case kTypeValue:
      return handler->PutCF(family, record.key, record.value);
    case kTypeDeletion:
      return handler->DeleteCF(family, record.key);
    case kTypeSingleDeletion:
      return handler->SingleDeleteCF(family, record.key);
    case kTypeMerge:
      return handler->MergeCF(family, record.key, record.value);
    default:
      TAMIS_CHECK(record.type == kTypeRangeDeletion);
      return handler->DeleteRangeCF(family, record.key, record.value);
  }
}

}  // namespace

Status WriteBatch::Iterate(Handler* handler) const {
  return CatchExceptions([&] {
    BatchCursor cursor(contents_);
    BatchRecord record;
    while (handler->Continue()) {
      if (!cursor.Next(&record)) return cursor.status();
      if (record.is_change()) {
        TAMIS_RETURN_IF_ERROR(Show(record, handler));
      } else {
        handler->LogData(record.value);
      }
    }
    return Status::OK();
  });
}

}  // namespace tamis
