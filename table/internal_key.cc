// SPDX-License-Identifier: Apache-2.0
#include "table/internal_key.h"

#include "util/coding/printable.h"

namespace tamis {

bool IsStoredValueType(uint8_t type) {
  switch (type) {
    case kTypeDeletion:
    case kTypeValue:
    case kTypeMerge:
    case kTypeSingleDeletion:
    case kTypeRangeDeletion:
    case kTypeBlobIndex:
    case kTypeDeletionWithTimestamp:
    case kTypeWideColumnEntity:
    case kTypeValuePreferredSeqno:
      return true;
    default:
      return false;
  }
}

const char* ValueTypeName(uint8_t type) {
  switch (type) {
    case kTypeDeletion:
      return "deletion";
    case kTypeValue:
      return "put";
    case kTypeMerge:
      return "merge operand";
    case kTypeSingleDeletion:
      return "single deletion";
    case kTypeRangeDeletion:
      return "range deletion";
    case kTypeBlobIndex:
      return "blob reference";
    case kTypeDeletionWithTimestamp:
      return "deletion with user timestamp";
    case kTypeWideColumnEntity:
      return "wide-column entity";
    case kTypeValuePreferredSeqno:
      return "timed put";
    default:
      return "unknown kind of entry";
  }
}

bool ParseInternalKey(const Slice& internal_key, ParsedInternalKey* parsed) {
  if (internal_key.size() < kInternalKeyTailBytes) return false;
  const uint64_t tail = ExtractTail(internal_key);
  const auto type = static_cast<uint8_t>(tail & 0xff);
  if (!IsStoredValueType(type)) return false;
  parsed->user_key = ExtractUserKey(internal_key);
  parsed->sequence = tail >> 8;
  parsed->type = static_cast<ValueType>(type);
  return true;
}

bool ParseEntryKey(const Slice& internal_key, ParsedInternalKey* parsed) {
  return ParseInternalKey(internal_key, parsed) &&
         parsed->type != kTypeRangeDeletion;
}

void AppendInternalKey(std::string* out, const Slice& user_key,
                       SequenceNumber sequence, uint8_t type) {
  out->append(user_key.data(), user_key.size());
  PutFixed64(out, PackSequenceAndType(sequence, type));
}

namespace {

std::string Describe(const Slice& internal_key,
                     std::string (*hex)(const Slice& bytes)) {
  if (internal_key.size() < kInternalKeyTailBytes) {
    return "(not an internal key) '" + hex(internal_key) + "'";
  }
  const uint64_t tail = ExtractTail(internal_key);
  std::string out = "'";
  out += hex(ExtractUserKey(internal_key));
  out += "' seq:" + std::to_string(tail >> 8);
  out += ", type:" + std::to_string(tail & 0xff);
  return out;
}

}  // namespace

std::string InternalKeyToString(const Slice& internal_key) {
  return Describe(internal_key,
                  [](const Slice& bytes) { return bytes.ToString(true); });
}

std::string PrintableInternalKey(const Slice& internal_key) {
  return Describe(internal_key, PrintableHex);
}

KeyOrder::KeyOrder(const Comparator* comparator)
    : comparator_(comparator),
      kind_(comparator == BytewiseComparator()          ? Kind::kBytewise
            : comparator == ReverseBytewiseComparator() ? Kind::kReverseBytewise
                                                        : Kind::kUser),
      equal_keys_(EqualKeysOf(*comparator)) {}

LookupKey::LookupKey(const Slice& user_key, SequenceNumber sequence)
    : size_(user_key.size() + kInternalKeyTailBytes) {
  data_ = size_ <= sizeof(space_) ? space_ : new char[size_];
  if (!user_key.empty()) {
    std::memcpy(data_, user_key.data(), user_key.size());
  }
  EncodeFixed64(data_ + user_key.size(),
                PackSequenceAndType(sequence, kValueTypeForSeek));
}

}  // namespace tamis
