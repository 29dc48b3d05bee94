// SPDX-License-Identifier: Apache-2.0
#include "tamis/write_batch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tamis/db.h"

#include "db/base/numbers.h"
#include "db/wal/write_batch_internal.h"
#include "db/wal/write_batch_tags.h"
#include "util/base/check.h"
#include "util/base/exceptions.h"
#include "util/base/result.h"
#include "util/coding/coding.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

// REQUIRES: a type that batches hold.
BatchTag TagOf(ValueType type, bool in_family) {
  switch (type) {
    case kTypeValue:
      return in_family ? kTagPutInFamily : kTagPut;
    case kTypeDeletion:
      return in_family ? kTagDeleteInFamily : kTagDelete;
    case kTypeSingleDeletion:
      return in_family ? kTagSingleDeleteInFamily : kTagSingleDelete;
    case kTypeMerge:
      return in_family ? kTagMergeInFamily : kTagMerge;
    default:
      TAMIS_CHECK(type == kTypeRangeDeletion);
      return in_family ? kTagDeleteRangeInFamily : kTagDeleteRange;
  }
}

// The size of a record without its strings: tag, family, two lengths.
constexpr uint64_t kRecordOverheadMax = 1 + 3 * kMaxVarint32Bytes;

Status PassesLimit(const std::string& what, uint64_t bytes, const char* limit,
                   uint64_t max) {
  return Status::InvalidArgument(
      what + " of " + std::to_string(bytes) + " bytes",
      std::string(limit) + " is " + std::to_string(max));
}

}  // namespace

WriteBatch::WriteBatch() : contents_(WriteBatchInternal::kHeaderBytes, '\0') {}

WriteBatch::WriteBatch(size_t reserved_bytes, size_t max_bytes) : WriteBatch() {
  contents_.reserve(reserved_bytes);
  max_bytes_ = max_bytes;
}

WriteBatch::WriteBatch(std::string contents)
    : contents_(std::move(contents)), plain_(false) {}

uint32_t WriteBatch::Count() const {
  if (contents_.size() < WriteBatchInternal::kHeaderBytes) return 0;
  return WriteBatchInternal::Count(*this);
}

void WriteBatch::Clear() {
  contents_.assign(WriteBatchInternal::kHeaderBytes, '\0');
  plain_ = true;
  save_points_.clear();
}

Status WriteBatch::Put(ColumnFamilyHandle* family, const Slice& key,
                       const Slice& value) {
  return WriteBatchInternal::Add(this, family, kTypeValue, key, value);
}

Status WriteBatch::Put(const Slice& key, const Slice& value) {
  return Put(nullptr, key, value);
}

Status WriteBatch::Delete(ColumnFamilyHandle* family, const Slice& key) {
  return WriteBatchInternal::Add(this, family, kTypeDeletion, key, Slice());
}

Status WriteBatch::Delete(const Slice& key) { return Delete(nullptr, key); }

Status WriteBatch::SingleDelete(ColumnFamilyHandle* family, const Slice& key) {
  return WriteBatchInternal::Add(this, family, kTypeSingleDeletion, key,
                                 Slice());
}

Status WriteBatch::SingleDelete(const Slice& key) {
  return SingleDelete(nullptr, key);
}

Status WriteBatch::DeleteRange(ColumnFamilyHandle* family, const Slice& begin,
                               const Slice& end) {
  return WriteBatchInternal::Add(this, family, kTypeRangeDeletion, begin, end);
}

Status WriteBatch::DeleteRange(const Slice& begin, const Slice& end) {
  return DeleteRange(nullptr, begin, end);
}

Status WriteBatch::Merge(ColumnFamilyHandle* family, const Slice& key,
                         const Slice& operand) {
  return WriteBatchInternal::Add(this, family, kTypeMerge, key, operand);
}

Status WriteBatch::Merge(const Slice& key, const Slice& operand) {
  return Merge(nullptr, key, operand);
}

Status WriteBatch::PutLogData(const Slice& blob) {
  TAMIS_RETURN_IF_ERROR(
      WriteBatchInternal::CheckMore(contents_.size(), 0, blob.size()));
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::CheckHeader(*this));
  TAMIS_RETURN_IF_ERROR(
      WriteBatchInternal::MakeRoom(this, kRecordOverheadMax + blob.size()));
  const WriteBatchInternal::Undo undo(this);
  contents_.push_back(static_cast<char>(kTagLogData));
  PutLengthPrefixedSlice(&contents_, blob);
  return undo.UnlessWithinMaxBytes();
}

Status WriteBatch::Append(const WriteBatch& other) {
  return WriteBatchInternal::Append(this, other);
}

// Returns whether the batch has a header and memory for one more change, which
// is far from every limit.
bool WriteBatchInternal::HasRoomFor(const WriteBatch& batch, size_t key_bytes,
                                    size_t value_bytes) {
  constexpr size_t kSmall = size_t{1} << 30;
  static_assert(2 * kSmall <= WriteBatch::kMaxEntryBytes);
  static_assert(3 * kSmall + kRecordOverheadMax <= WriteBatch::kMaxBytes);
  const std::string& contents = batch.contents_;
  return key_bytes <= kSmall && value_bytes <= kSmall &&
         contents.size() <= kSmall && contents.size() >= kHeaderBytes &&
         contents.capacity() - contents.size() >=
             kRecordOverheadMax + key_bytes + value_bytes &&
         Count(batch) != UINT32_MAX;
}

Status WriteBatchInternal::CheckHeader(const WriteBatch& batch) {
  if (batch.contents_.size() >= kHeaderBytes) return {};
  return Status::Corruption("write batch",
                            "expected a header of 12 bytes, got " +
                                std::to_string(batch.contents_.size()));
}

Status WriteBatchInternal::MakeRoom(WriteBatch* batch, uint64_t bytes) {
  std::string* const contents = &batch->contents_;
  const size_t room = contents->size() + static_cast<size_t>(bytes);
  if (contents->capacity() >= room) return {};
  // Doubles the capacity, as the string itself does.
  return CatchExceptions([&] {
    contents->reserve(std::max(room, 2 * contents->size()));
    return Status::OK();
  });
}

Status WriteBatchInternal::CheckCount(const WriteBatch& batch, uint32_t n) {
  TAMIS_RETURN_IF_ERROR(CheckHeader(batch));
  if (UINT32_MAX - Count(batch) < n) {
    return Status::InvalidArgument("write batch",
                                   "more than 2^32-1 changes in one batch");
  }
  return {};
}

Status WriteBatchInternal::CheckEntryBytes(uint64_t key_bytes,
                                           uint64_t value_bytes) {
  constexpr uint64_t kMax = WriteBatch::kMaxEntryBytes;
  // Not compared as a sum, which may overflow.
  if (key_bytes <= kMax && value_bytes <= kMax - key_bytes) return {};
  return key_bytes > kMax
             ? PassesLimit("a key", key_bytes, "WriteBatch::kMaxEntryBytes",
                           kMax)
             : PassesLimit(
                   "a key of " + std::to_string(key_bytes) + " and a value",
                   value_bytes, "WriteBatch::kMaxEntryBytes", kMax);
}

Status WriteBatchInternal::CheckBatchBytes(uint64_t bytes) {
  if (bytes <= WriteBatch::kMaxBytes) return {};
  return PassesLimit("a batch", bytes, "WriteBatch::kMaxBytes",
                     WriteBatch::kMaxBytes);
}

Status WriteBatchInternal::CheckMore(uint64_t batch_bytes, uint64_t key_bytes,
                                     uint64_t value_bytes) {
  TAMIS_RETURN_IF_ERROR(CheckEntryBytes(key_bytes, value_bytes));
  return CheckBatchBytes(batch_bytes + key_bytes + value_bytes +
                         kRecordOverheadMax);
}

// Inline in both forms of Add, since every write goes through them.
[[gnu::always_inline]] inline Status WriteBatchInternal::AddTo(
    WriteBatch* batch, FamilyId id, ValueType type, const Slice& key,
    const Slice& value) {
  std::string* const out = &batch->contents_;
  if (!HasRoomFor(*batch, key.size(), value.size())) {
    TAMIS_RETURN_IF_ERROR(CheckMore(out->size(), key.size(), value.size()));
    TAMIS_RETURN_IF_ERROR(
        MakeRoom(batch, kRecordOverheadMax + key.size() + value.size()));
    TAMIS_RETURN_IF_ERROR(CheckCount(*batch, 1));
  }
  const Undo undo(batch);
  const bool in_family = id != kDefaultFamilyId;
  const bool has_value = HasValue(type);
  const size_t begin = out->size();
  // The two calls of the string allocate nothing. They are cheaper than an
  // append for each part, and do not fill the value's place with zeros first.
  out->resize(begin + 1 + (in_family ? VarintLength(id.value()) : 0) +
              VarintLength(key.size()) + key.size() +
              (has_value ? VarintLength(value.size()) : 0));
  char* to = out->data() + begin;
  *to++ = static_cast<char>(TagOf(type, in_family));
  if (in_family) to = EncodeVarint32(to, id.value());
  to = EncodeVarint32(to, static_cast<uint32_t>(key.size()));
  if (!key.empty()) std::memcpy(to, key.data(), key.size());
  to += key.size();
  if (has_value) {
    EncodeVarint32(to, static_cast<uint32_t>(value.size()));
    out->append(value.data(), value.size());
  }
  SetCount(batch, Count(*batch) + 1);
  if (in_family || type == kTypeMerge || type == kTypeRangeDeletion) {
    batch->plain_ = false;
  }
  return undo.UnlessWithinMaxBytes();
}

Status WriteBatchInternal::Add(WriteBatch* batch,
                               const ColumnFamilyHandle* family, ValueType type,
                               const Slice& key, const Slice& value) {
  return AddTo(batch, FamilyId(family == nullptr ? 0 : family->GetID()), type,
               key, value);
}

Status WriteBatchInternal::Add(WriteBatch* batch, FamilyId family,
                               ValueType type, const Slice& key,
                               const Slice& value) {
  return AddTo(batch, family, type, key, value);
}

Status WriteBatchInternal::Append(WriteBatch* batch, const WriteBatch& source) {
  TAMIS_RETURN_IF_ERROR(CheckHeader(source));
  TAMIS_RETURN_IF_ERROR(CheckBatchBytes(
      batch->contents_.size() + source.contents_.size() - kHeaderBytes));
  TAMIS_RETURN_IF_ERROR(
      MakeRoom(batch, source.contents_.size() - kHeaderBytes));
  const uint32_t added = Count(source);  // which may be *batch
  TAMIS_RETURN_IF_ERROR(CheckCount(*batch, added));
  const Undo undo(batch);
  SetCount(batch, Count(*batch) + added);
  batch->plain_ = batch->plain_ && source.plain_;
  // This overload works if `source` is *batch itself.
  batch->contents_.append(source.contents_, kHeaderBytes, std::string::npos);
  return undo.UnlessWithinMaxBytes();
}

Status WriteBatchInternal::Validate(const WriteBatch& batch) {
  BatchCursor cursor(batch.contents_);
  BatchRecord record;
  while (cursor.Next(&record)) {
  }
  return cursor.status();
}

Status WriteBatchInternal::NoMergeOperator() {
  return Status::InvalidArgument(
      "a write batch holds merge operands",
      "set Options::merge_operator to their operator");
}

Status WriteBatchInternal::NoSuchFamily(FamilyId family) {
  return Status::InvalidArgument(
      "Invalid column family specified in write batch",
      "no column family has id " + family.ToString());
}

Status WriteBatchInternal::CheckWritable(
    const WriteBatch& batch, const std::function<Target(FamilyId family)>& find,
    bool ignore_missing) {
  if (batch.plain_) return CheckHeader(batch);  // lost if moved from
  TAMIS_RETURN_IF_ERROR(CheckBatchBytes(batch.contents_.size()));
  BatchCursor cursor(batch.contents_);
  BatchRecord record;
  FamilyId family;
  Target target = find(family);
  while (cursor.Next(&record)) {
    if (record.is_change() && record.family != family) {
      family = record.family;
      target = find(family);
      if (target.order == nullptr &&
          !(ignore_missing && target.may_be_missing)) {
        return NoSuchFamily(family);
      }
    }
    TAMIS_RETURN_IF_ERROR(
        CheckEntryBytes(record.key.size(), record.value.size()));
    if (!record.is_change() || target.order == nullptr) continue;
    if (record.type == kTypeMerge && target.merge_operator == nullptr) {
      return Status::NotSupported(
          "Merge", "set Options::merge_operator when opening the database");
    }
    if (record.type == kTypeRangeDeletion && !target.takes_range_deletions) {
      return Status::NotSupported(
          "DeleteRange",
          "the tables of Options::table_factory cannot hold range deletions");
    }
    if (record.type == kTypeRangeDeletion &&
        target.order->CompareUserKeys(record.key, record.value) > 0) {
      return Status::InvalidArgument("DeleteRange",
                                     "begin '" + PrintableHex(record.key) +
                                         "' sorts after end '" +
                                         PrintableHex(record.value) + "'");
    }
  }
  return cursor.status();
}

}  // namespace tamis
