// SPDX-License-Identifier: Apache-2.0
#include "tamis/write_batch.h"

#include <utility>

#include "tamis/db.h"

#include "db/write_batch_internal.h"
#include "util/coding.h"
#include "util/result.h"

namespace tamis {

namespace {

enum BatchTag : uint8_t {
  kTagDelete = 0x00,
  kTagPut = 0x01,
  kTagLogData = 0x03,
  kTagDeleteInFamily = 0x04,
  kTagPutInFamily = 0x05,
  kTagNoop = 0x0d,
};

// Tags that others write and this release cannot replay. nullptr: no such tag.
const char* NameOfUnsupported(uint8_t tag) {
  switch (tag) {
    case 0x02:
    case 0x06:
      return "merge";
    case 0x07:
    case 0x08:
      return "single delete";
    case 0x09:
    case 0x0a:
    case 0x0b:
    case 0x0c:
    case 0x12:
    case 0x13:
    case 0x15:
      return "two-phase commit mark";
    case 0x0e:
    case 0x0f:
      return "delete range";
    case 0x10:
    case 0x11:
      return "blob index";
    case 0x16:
    case 0x17:
      return "wide-column entity";
    case 0x18:
    case 0x19:
      return "timed put";
    default:
      return nullptr;
  }
}

constexpr uint64_t kStringBytesMax = UINT32_MAX;
constexpr uint64_t kKeyBytesMax = kStringBytesMax - kInternalKeyTailBytes;
static_assert(WriteBatch::kMaxEntryBytes <= kKeyBytesMax);

// What a record takes besides its strings: tag, family, two lengths.
constexpr uint64_t kRecordOverheadMax = 1 + 3 * kMaxVarint32Bytes;

Status PassesLimit(const std::string& what, uint64_t bytes, const char* limit,
                   uint64_t max) {
  return Status::InvalidArgument(
      what + " of " + std::to_string(bytes) + " bytes",
      std::string(limit) + " is " + std::to_string(max));
}

void AppendTag(std::string* out, uint32_t family, BatchTag plain,
               BatchTag in_family) {
  out->push_back(static_cast<char>(family == 0 ? plain : in_family));
  if (family != 0) PutVarint32(out, family);
}

uint32_t IdOf(const ColumnFamilyHandle* family) {
  return family == nullptr ? 0 : family->GetID();
}

}  // namespace

WriteBatch::WriteBatch() : contents_(WriteBatchInternal::kHeaderBytes, '\0') {}

WriteBatch::WriteBatch(std::string contents) : contents_(std::move(contents)) {}

uint32_t WriteBatch::Count() const {
  if (contents_.size() < WriteBatchInternal::kHeaderBytes) return 0;
  return WriteBatchInternal::Count(*this);
}

void WriteBatch::Clear() {
  contents_.assign(WriteBatchInternal::kHeaderBytes, '\0');
}

Status WriteBatch::Put(ColumnFamilyHandle* family, const Slice& key,
                       const Slice& value) {
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::CheckMore(
      contents_.size(), key.size(), value.size()));
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::CountMore(this, 1));
  AppendTag(&contents_, IdOf(family), kTagPut, kTagPutInFamily);
  PutLengthPrefixedSlice(&contents_, key);
  PutLengthPrefixedSlice(&contents_, value);
  return {};
}

Status WriteBatch::Put(const Slice& key, const Slice& value) {
  return Put(nullptr, key, value);
}

Status WriteBatch::Delete(ColumnFamilyHandle* family, const Slice& key) {
  TAMIS_RETURN_IF_ERROR(
      WriteBatchInternal::CheckMore(contents_.size(), key.size(), 0));
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::CountMore(this, 1));
  AppendTag(&contents_, IdOf(family), kTagDelete, kTagDeleteInFamily);
  PutLengthPrefixedSlice(&contents_, key);
  return {};
}

Status WriteBatch::Delete(const Slice& key) { return Delete(nullptr, key); }

Status WriteBatch::PutLogData(const Slice& blob) {
  TAMIS_RETURN_IF_ERROR(
      WriteBatchInternal::CheckMore(contents_.size(), 0, blob.size()));
  TAMIS_RETURN_IF_ERROR(WriteBatchInternal::CheckHeader(*this));
  contents_.push_back(static_cast<char>(kTagLogData));
  PutLengthPrefixedSlice(&contents_, blob);
  return {};
}

Status WriteBatch::Append(const WriteBatch& other) {
  return WriteBatchInternal::Append(this, other);
}

WriteBatch::Handler::~Handler() = default;

Status WriteBatch::Handler::PutCF(uint32_t, const Slice&, const Slice&) {
  return Status::NotSupported("this handler takes no Put");
}

Status WriteBatch::Handler::DeleteCF(uint32_t, const Slice&) {
  return Status::NotSupported("this handler takes no Delete");
}

void WriteBatch::Handler::LogData(const Slice&) {}

Status WriteBatch::Iterate(Handler* handler) const {
  BatchCursor cursor(contents_);
  BatchRecord record;
  while (cursor.Next(&record)) {
    Status s;
    if (!record.is_change) {
      handler->LogData(record.value);
    } else if (record.type == kTypeValue) {
      s = handler->PutCF(record.family, record.key, record.value);
    } else {
      s = handler->DeleteCF(record.family, record.key);
    }
    if (!s.ok()) return s;
  }
  return cursor.status();
}

BatchCursor::BatchCursor(const Slice& contents) : in_(contents) {
  const SequenceNumber sequence = in_.Fixed64();
  left_ = in_.Fixed32();
  if (!in_.ok()) {
    Stop(Status::Corruption("write batch",
                            "expected a header of 12 bytes, got " +
                                std::to_string(contents.size())));
  } else if (sequence > kMaxSequenceNumber ||
             kMaxSequenceNumber - sequence < left_) {
    Stop(Status::Corruption("write batch",
                            "expected sequence numbers below 2^56, got " +
                                std::to_string(sequence)));
  }
}

bool BatchCursor::Stop(Status status) {
  status_ = std::move(status);
  return false;
}

bool BatchCursor::Next(BatchRecord* record) {
  if (!status_.ok()) return false;
  while (!in_.empty()) {
    const size_t offset = in_.offset();
    const uint8_t tag = in_.Fixed8();
    *record = BatchRecord();
    switch (tag) {
      case kTagNoop:
        continue;
      case kTagLogData:
        record->value = in_.LengthPrefixed();
        break;
      case kTagPutInFamily:
      case kTagPut:
        record->is_change = true;
        record->type = kTypeValue;
        if (tag == kTagPutInFamily) record->family = in_.Varint32();
        record->key = in_.LengthPrefixed();
        record->value = in_.LengthPrefixed();
        break;
      case kTagDeleteInFamily:
      case kTagDelete:
        record->is_change = true;
        record->type = kTypeDeletion;
        if (tag == kTagDeleteInFamily) record->family = in_.Varint32();
        record->key = in_.LengthPrefixed();
        break;
      default:
        return StopAtTag(offset, tag);
    }
    if (!in_.ok() || record->key.size() > kKeyBytesMax) {
      return Stop(Status::Corruption(
          "write batch", "offset " + std::to_string(offset) +
                             ": expected a whole record of tag " +
                             std::to_string(tag) + ", got the end at " +
                             std::to_string(in_.offset())));
    }
    if (record->is_change && left_-- == 0) {
      return Stop(Status::Corruption(
          "write batch", "offset " + std::to_string(offset) +
                             ": expected the end, got more records than the "
                             "count in the header"));
    }
    return true;
  }
  if (left_ != 0) {
    return Stop(Status::Corruption(
        "write batch has wrong count",
        "expected " + std::to_string(left_) + " more records, got the end"));
  }
  return false;
}

bool BatchCursor::StopAtTag(size_t offset, uint8_t tag) {
  const std::string where = "offset " + std::to_string(offset) + ": ";
  if (const char* const name = NameOfUnsupported(tag)) {
    return Stop(Status::NotSupported("write batch", where + name));
  }
  return Stop(Status::Corruption(
      "write batch",
      where + "expected a known tag, got " + std::to_string(tag)));
}

Status WriteBatchInternal::CheckHeader(const WriteBatch& batch) {
  if (batch.contents_.size() >= kHeaderBytes) return {};
  return Status::Corruption("write batch",
                            "expected a header of 12 bytes, got " +
                                std::to_string(batch.contents_.size()));
}

Status WriteBatchInternal::CountMore(WriteBatch* batch, uint32_t n) {
  TAMIS_RETURN_IF_ERROR(CheckHeader(*batch));
  const uint32_t count = Count(*batch);
  if (UINT32_MAX - count < n) {
    return Status::InvalidArgument("write batch",
                                   "more than 2^32-1 changes in one");
  }
  SetCount(batch, count + n);
  return {};
}

Status WriteBatchInternal::CheckEntryBytes(uint64_t key_bytes,
                                           uint64_t value_bytes) {
  constexpr uint64_t kMax = WriteBatch::kMaxEntryBytes;
  // In two steps: the sum may not fit.
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

Status WriteBatchInternal::Append(WriteBatch* batch, const WriteBatch& source) {
  TAMIS_RETURN_IF_ERROR(CheckHeader(source));
  TAMIS_RETURN_IF_ERROR(CheckBatchBytes(
      batch->contents_.size() + source.contents_.size() - kHeaderBytes));
  TAMIS_RETURN_IF_ERROR(CountMore(batch, Count(source)));
  // Position by position: `source` may be *batch itself.
  batch->contents_.append(source.contents_, kHeaderBytes, std::string::npos);
  return {};
}

Status WriteBatchInternal::Validate(const WriteBatch& batch) {
  BatchCursor cursor(batch.contents_);
  BatchRecord record;
  while (cursor.Next(&record)) {
  }
  return cursor.status();
}

Status WriteBatchInternal::CheckWritable(const WriteBatch& batch,
                                         uint32_t family) {
  TAMIS_RETURN_IF_ERROR(CheckBatchBytes(batch.contents_.size()));
  BatchCursor cursor(batch.contents_);
  BatchRecord record;
  while (cursor.Next(&record)) {
    if (record.is_change && record.family != family) {
      return Status::InvalidArgument(
          "Invalid column family specified in write batch",
          "there is none with id " + std::to_string(record.family));
    }
    TAMIS_RETURN_IF_ERROR(
        CheckEntryBytes(record.key.size(), record.value.size()));
  }
  return cursor.status();
}

}  // namespace tamis
