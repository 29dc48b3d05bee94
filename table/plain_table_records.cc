// SPDX-License-Identifier: Apache-2.0
#include "table/plain_table_records.h"

#include <algorithm>

#include "util/base/check.h"

namespace tamis {

namespace {

// What a length byte is of.
enum LengthKind : uint8_t { kWholeKey = 0, kPrefixOfLast = 1, kRestOfKey = 2 };
constexpr int kKindShift = 6;
constexpr uint8_t kLengthMask = 0x3f;

constexpr char kValueWithSequence0 = '\xff';

// The lengths of a record take at most two length bytes with a varint32 each,
// or a varint32.
constexpr size_t kPlainLengthsBytesMax = 2 * (1 + kMaxVarint32Bytes);

void AppendLength(LengthKind kind, uint32_t length, std::string* out) {
  const auto first = static_cast<uint8_t>(kind << kKindShift);
  if (length < kLengthMask) {
    out->push_back(static_cast<char>(first | length));
    return;
  }
  out->push_back(static_cast<char>(first | kLengthMask));
  PutVarint32(out, length - kLengthMask);
}

// Fails the decoder if the length exceeds 32 bits.
LengthKind ReadLength(Decoder* in, uint32_t* length) {
  const uint8_t first = in->Fixed8();
  *length = first & kLengthMask;
  if (*length == kLengthMask) {
    const uint32_t more = in->Varint32();
    if (more > UINT32_MAX - kLengthMask) in->Fail();
    *length += more;
  }
  return static_cast<LengthKind>(first >> kKindShift);
}

}  // namespace

PlainRecordWriter::PlainRecordWriter(const PlainKeyForm& form,
                                     size_t index_sparseness,
                                     const SliceTransform* extractor)
    : form_(form),
      keys_per_whole_key_(std::max<size_t>(index_sparseness, 1)),
      extractor_(extractor) {
  TAMIS_CHECK(form.encoding == kPlain || extractor != nullptr);
}

size_t PlainRecordWriter::AppendLengths(const Slice& user_key,
                                        std::string* out) {
  const auto length = static_cast<uint32_t>(user_key.size());
  if (form_.encoding == kPlain) {
    if (form_.user_key_len == kPlainTableVariableLength) {
      PutVarint32(out, length);
    } else {
      TAMIS_CHECK(length == form_.user_key_len);
    }
    return 0;
  }
  // A key without a prefix counts as one of its own.
  const Slice prefix = extractor_->InDomain(user_key)
                           ? extractor_->Transform(user_key)
                           : user_key;
  if (keys_of_prefix_ == 0 || prefix != Slice(prefix_) ||
      !user_key.starts_with(prefix) ||
      keys_of_prefix_ % keys_per_whole_key_ == 0) {
    keys_of_prefix_ = 1;
    prefix_.assign(prefix.data(), prefix.size());
    AppendLength(kWholeKey, length, out);
    return 0;
  }
  const auto prefix_len = static_cast<uint32_t>(prefix.size());
  if (++keys_of_prefix_ == 2) AppendLength(kPrefixOfLast, prefix_len, out);
  AppendLength(kRestOfKey, length - prefix_len, out);
  return prefix_len;
}

void PlainRecordWriter::Append(const Slice& internal_key, const Slice& value,
                               std::string* out) {
  TAMIS_CHECK(internal_key.size() < UINT32_MAX && value.size() < UINT32_MAX);
  const Slice user_key = ExtractUserKey(internal_key);
  const size_t omitted = AppendLengths(user_key, out);
  out->append(user_key.data() + omitted, user_key.size() - omitted);
  const uint64_t tail = ExtractTail(internal_key);
  if (tail == PackSequenceAndType(0, kTypeValue)) {
    out->push_back(kValueWithSequence0);
  } else {
    PutFixed64(out, tail);
  }
  PutVarint32(out, static_cast<uint32_t>(value.size()));
  out->append(value.data(), value.size());
}

struct PlainRecordReader::Lengths {
  uint32_t shared = 0;      // bytes of the last user key
  uint32_t rest = 0;        // bytes that follow
  uint32_t prefix_len = 0;  // of this and the next records
};

bool PlainRecordReader::ReadLengths(Decoder* in, Lengths* lengths) const {
  if (form_.encoding == kPlain) {
    lengths->rest = form_.user_key_len != kPlainTableVariableLength
                        ? form_.user_key_len
                        : in->Varint32();
    return in->ok();
  }
  lengths->prefix_len = prefix_len_;
  LengthKind kind = ReadLength(in, &lengths->rest);
  if (kind == kPrefixOfLast) {
    lengths->prefix_len = lengths->rest;
    kind = ReadLength(in, &lengths->rest);
    if (kind != kRestOfKey) return false;
  }
  if (kind == kWholeKey) return in->ok();
  if (kind != kRestOfKey) return false;
  lengths->shared = lengths->prefix_len;
  const size_t last = std::max(key_.size(), kInternalKeyTailBytes);
  return in->ok() && lengths->shared <= last - kInternalKeyTailBytes;
}

PlainRecordReader::Answer PlainRecordReader::Read(const Slice& bytes) {
  // Returns kTruncated if the record needs `n` bytes after those decoded.
  const auto lacks = [&](const Decoder& in, size_t n) {
    bytes_needed_ = in.offset() + n;
    return bytes_needed_ > bytes.size();
  };
  Decoder in(bytes);
  Lengths lengths;
  if (!ReadLengths(&in, &lengths)) {
    if (bytes.size() >= kPlainLengthsBytesMax) return Answer::kMalformed;
    bytes_needed_ = kPlainLengthsBytesMax;
    return Answer::kTruncated;
  }
  if (lacks(in, size_t{lengths.rest} + 1)) return Answer::kTruncated;
  const Slice rest = in.Bytes(lengths.rest);
  uint64_t tail = PackSequenceAndType(0, kTypeValue);
  if (*in.rest().data() == kValueWithSequence0) {
    in.Fixed8();
  } else {
    if (lacks(in, sizeof(tail))) return Answer::kTruncated;
    tail = in.Fixed64();
  }
  const Decoder before = in;
  const uint32_t value_bytes = in.Varint32();
  if (!in.ok()) {
    return lacks(before, kMaxVarint32Bytes) ? Answer::kTruncated
                                            : Answer::kMalformed;
  }
  if (lacks(in, value_bytes)) return Answer::kTruncated;
  value_ = in.Bytes(value_bytes);
  size_ = in.offset();
  key_.resize(lengths.shared);
  key_.append(rest.data(), rest.size());
  PutFixed64(&key_, tail);
  prefix_len_ = lengths.prefix_len;
  return Answer::kRecord;
}

PlainPosition PlainRecordReader::Next(uint64_t offset) const {
  PlainPosition next;
  next.offset = offset;
  if (form_.encoding == kPlain) return next;
  next.last_key = ExtractUserKey(key_).ToString();
  next.prefix_len = prefix_len_;
  return next;
}

void PlainRecordReader::StartAt(const PlainPosition& position) {
  key_ = position.last_key;
  key_.append(kInternalKeyTailBytes, '\0');
  prefix_len_ = position.prefix_len;
}

}  // namespace tamis
