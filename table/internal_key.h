// SPDX-License-Identifier: Apache-2.0
//
// The engine stores internal keys. An internal key is the user key, followed by
// a tail of sequence number and type.
//
//   internal key := user key | (sequence << 8 | type)  fixed64
//
// Order: user key ascending, then the 64-bit tail descending, so that the
// newest version of a key comes first.
//
// Search keys are created only here (LookupKey).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "tamis/comparator.h"
#include "tamis/slice.h"
#include "tamis/types.h"

#include "util/base/check.h"
#include "util/coding/coding.h"
#include "util/extensions/equal_keys.h"

namespace tamis {

inline constexpr SequenceNumber kMaxSequenceNumber =
    (SequenceNumber{1} << 56) - 1;
inline constexpr size_t kInternalKeyTailBytes = 8;

// The low byte of the tail. Lists all types that RocksDB stores in tables; the
// code that consumes entries decides which of them it can read.
enum ValueType : uint8_t {
  kTypeDeletion = 0x00,
  kTypeValue = 0x01,
  kTypeMerge = 0x02,
  kTypeSingleDeletion = 0x07,
  kTypeRangeDeletion = 0x0f,
  kTypeBlobIndex = 0x11,
  kTypeDeletionWithTimestamp = 0x14,
  kTypeWideColumnEntity = 0x16,
  kTypeValuePreferredSeqno = 0x18,
};
// The highest stored type. A seek with it finds the newest version at or below
// its sequence number.
inline constexpr uint8_t kValueTypeForSeek = 0x18;
// Used in index separators, as RocksDB 7.8.3 does. Readers ignore it.
inline constexpr uint8_t kValueTypeForSeparator = 0x16;

bool IsStoredValueType(uint8_t type);
// Returns a name for messages: "put", "wide-column entity", ...
const char* ValueTypeName(uint8_t type);

inline uint64_t PackSequenceAndType(SequenceNumber sequence, uint8_t type) {
  TAMIS_DCHECK(sequence <= kMaxSequenceNumber);
  return (sequence << 8) | type;
}

struct ParsedInternalKey {
  Slice user_key;
  SequenceNumber sequence = 0;
  ValueType type = kTypeDeletion;
};

// Sets *parsed. Returns false if the key is too short or its type is not
// stored.
bool ParseInternalKey(const Slice& internal_key, ParsedInternalKey* parsed);
// The same, but also returns false for a range deletion, which is never among
// the entries of a table.
bool ParseEntryKey(const Slice& internal_key, ParsedInternalKey* parsed);

void AppendInternalKey(std::string* out, const Slice& user_key,
                       SequenceNumber sequence, uint8_t type);

// REQUIRES, for the next three: at least kInternalKeyTailBytes long.
inline Slice ExtractUserKey(const Slice& internal_key) {
  TAMIS_DCHECK(internal_key.size() >= kInternalKeyTailBytes);
  return {internal_key.data(), internal_key.size() - kInternalKeyTailBytes};
}
inline uint64_t ExtractTail(const Slice& internal_key) {
  TAMIS_DCHECK(internal_key.size() >= kInternalKeyTailBytes);
  return DecodeFixed64(internal_key.end() - kInternalKeyTailBytes);
}
inline SequenceNumber ExtractSequence(const Slice& internal_key) {
  return ExtractTail(internal_key) >> 8;
}
// Returns the key head (util/coding/key_head.h) of the user key after its first
// `skip` bytes. The tail makes 8-byte loads safe at any position.
inline uint64_t UserKeyHead(const Slice& internal_key, size_t skip) {
  const size_t user_bytes = ExtractUserKey(internal_key).size();
  if (skip >= user_bytes) return 0;
  const uint64_t head = DecodeBigEndian64(internal_key.data() + skip);
  const size_t left = user_bytes - skip;
  return left >= sizeof(head) ? head : head & (~uint64_t{0} << (64 - 8 * left));
}

// Returns "'6162' seq:7, type:1", with the user key in hex, for messages and
// tools.
std::string InternalKeyToString(const Slice& internal_key);
// Returns the same, with long keys cut (util/coding/printable.h).
std::string PrintableInternalKey(const Slice& internal_key);

// The key order of a column family. The two built-in orders are compared
// without a virtual call.
//
// A value type; any thread. The comparator must outlive it.
class KeyOrder {
 public:
  enum class Kind : uint8_t { kBytewise, kReverseBytewise, kUser };

  explicit KeyOrder(const Comparator* comparator);

  const Comparator* user_comparator() const { return comparator_; }
  Kind kind() const { return kind_; }
  // Returns whether keys that compare equal are known to have equal bytes. If
  // not, hashes of keys must not be used; for filters, see FiltersApply in
  // filter_choice.h.
  bool equal_keys_have_equal_bytes() const {
    return equal_keys_ == EqualKeys::kHaveEqualBytes;
  }
  EqualKeys equal_keys() const { return equal_keys_; }

  int CompareUserKeys(const Slice& a, const Slice& b) const {
    switch (kind_) {
      case Kind::kBytewise:
        return a.compare(b);
      case Kind::kReverseBytewise:
        return b.compare(a);
      case Kind::kUser:
        break;
    }
    return comparator_->Compare(a, b);
  }

  // Compares internal keys. REQUIRES: both are at least kInternalKeyTailBytes
  // long.
  int Compare(const Slice& a, const Slice& b) const {
    const int order = CompareUserKeys(ExtractUserKey(a), ExtractUserKey(b));
    if (order != 0) return order;
    const uint64_t a_tail = ExtractTail(a);
    const uint64_t b_tail = ExtractTail(b);
    return a_tail > b_tail ? -1 : (a_tail < b_tail ? 1 : 0);
  }

 private:
  const Comparator* comparator_;
  Kind kind_;
  EqualKeys equal_keys_;
};

// The internal key to seek to find the newest version of a user key with a
// sequence number <= `sequence`. Short keys stay on the stack.
class LookupKey {
 public:
  LookupKey(const Slice& user_key, SequenceNumber sequence);
  ~LookupKey() {
    if (data_ != space_) delete[] data_;
  }
  LookupKey(const LookupKey&) = delete;
  LookupKey& operator=(const LookupKey&) = delete;

  Slice internal_key() const { return {data_, size_}; }
  Slice user_key() const { return {data_, size_ - kInternalKeyTailBytes}; }
  SequenceNumber sequence() const { return ExtractSequence(internal_key()); }

 private:
  char space_[120];
  char* data_;
  size_t size_;
};

}  // namespace tamis
