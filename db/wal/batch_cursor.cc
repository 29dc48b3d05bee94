// SPDX-License-Identifier: Apache-2.0
#include "db/wal/batch_cursor.h"

#include <string>
#include <utility>

#include "db/wal/write_batch_tags.h"

namespace tamis {

namespace {

// Returns the name of a tag of RocksDB that this release cannot replay, or
// nullptr for another tag.
const char* NameOfUnsupported(uint8_t tag) {
  switch (tag) {
    case 0x09:
      return "two-phase commit (BeginPrepare)";
    case 0x0a:
      return "two-phase commit (EndPrepare)";
    case 0x12:
      return "two-phase commit (BeginPersistedPrepare)";
    case 0x13:
      return "two-phase commit (BeginUnprepare)";
    case 0x15:
      return "two-phase commit (CommitWithTimestamp)";
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

}  // namespace

BatchCursor::BatchCursor(const Slice& contents, Marks marks)
    : in_(contents), marks_(marks) {
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

// Returns false if `tag` does not denote a change that this release knows.
bool BatchCursor::ReadChange(uint8_t tag, BatchRecord* record) {
  bool in_family = false;
  switch (tag) {
    case kTagPutInFamily:
      in_family = true;
      [[fallthrough]];
    case kTagPut:
      record->type = kTypeValue;
      break;
    case kTagDeleteInFamily:
      in_family = true;
      [[fallthrough]];
    case kTagDelete:
      record->type = kTypeDeletion;
      break;
    case kTagSingleDeleteInFamily:
      in_family = true;
      [[fallthrough]];
    case kTagSingleDelete:
      record->type = kTypeSingleDeletion;
      break;
    case kTagMergeInFamily:
      in_family = true;
      [[fallthrough]];
    case kTagMerge:
      record->type = kTypeMerge;
      break;
    case kTagDeleteRangeInFamily:
      in_family = true;
      [[fallthrough]];
    case kTagDeleteRange:
      record->type = kTypeRangeDeletion;
      break;
    default:
      return false;
  }
  if (in_family) record->family = FamilyId(in_.Varint32());
  record->key = in_.LengthPrefixed();
  if (HasValue(record->type)) record->value = in_.LengthPrefixed();
  return true;
}

bool BatchCursor::ReadMark(uint8_t tag, BatchRecord* record) {
  if (marks_ == Marks::kPass) return false;
  switch (tag) {
    case kTagBeginPrepare:
      record->kind = BatchRecord::kBeginPrepare;
      return true;
    case kTagEndPrepare:
      record->kind = BatchRecord::kEndPrepare;
      break;
    case kTagCommit:
      record->kind = BatchRecord::kCommit;
      break;
    case kTagRollback:
      record->kind = BatchRecord::kRollback;
      break;
    default:
      return false;
  }
  record->value = in_.LengthPrefixed();
  return true;
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
      case kTagCommit:
      case kTagRollback:
        if (ReadMark(tag, record)) break;
        in_.LengthPrefixed();
        if (in_.ok()) continue;
        break;
      case kTagLogData:
        record->kind = BatchRecord::kLogData;
        record->value = in_.LengthPrefixed();
        break;
      default:
        if (!ReadChange(tag, record) && !ReadMark(tag, record)) {
          return StopAtTag(offset, tag);
        }
    }
    if (!in_.ok() || record->key.size() > kKeyBytesMax) {
      return Stop(Status::Corruption(
          "write batch",
          "offset " + std::to_string(offset) +
              ": expected a complete record of tag " + std::to_string(tag) +
              ", got the end of the batch at " + std::to_string(in_.offset())));
    }
    if (record->is_change() && left_-- == 0) {
      return Stop(Status::Corruption(
          "write batch",
          "offset " + std::to_string(offset) +
              ": expected the end of the batch, got more records "
              "than the count in the header"));
    }
    return true;
  }
  if (left_ != 0) {
    return Stop(
        Status::Corruption("write batch has wrong count",
                           "expected " + std::to_string(left_) +
                               " more records, got the end of the batch"));
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

}  // namespace tamis
