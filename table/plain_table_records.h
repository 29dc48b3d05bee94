// SPDX-License-Identifier: Apache-2.0
//
// The records of a plain table, one for each entry, in key order.
//
//   record := key | value_len varint32 | value
//   key    := lengths | user key or the end of it | tail
//   tail   := fixed64, that of the internal key, or FF for a value with the
//             sequence number 0
//
// What the lengths are depends on the table's encoding:
//
//   kPlain   that of the user key, varint32; nothing if all keys have one
//            length
//   kPrefix  one or two length bytes. The two upper bits say of what:
//              0  of a user key, which follows whole
//              1  of the prefix of the key before, which this and the next
//                 records of kind 2 begin with; a length byte of kind 2 follows
//              2  of the rest of a user key
//            The other six bits are the length. If all are set, a varint32
//            follows, the length minus 63.
#pragma once

#include <cstdint>
#include <string>

#include "tamis/slice_transform.h"
#include "tamis/table.h"

#include "table/internal_key.h"
#include "util/base/result.h"

namespace tamis {

// The names of the properties.
inline constexpr char kPlainEncodingProperty[] =
    "rocksdb.plain.table.encoding.type";  // fixed32, an EncodingType
inline constexpr char kPlainBloomVersionProperty[] =
    "rocksdb.plain.table.bloom.version";  // "1" in tables with an index
inline constexpr char kPlainBloomLinesProperty[] =
    "rocksdb.plain.table.bloom.numblocks";  // varint32

// How a table stores its keys.
struct PlainKeyForm {
  EncodingType encoding = kPlain;
  uint32_t user_key_len = kPlainTableVariableLength;
};

// Encodes records. One thread.
class PlainRecordWriter {
 public:
  // Of the options, reads index_sparseness. `extractor` must outlive *this; it
  // is nullptr only with kPlain.
  PlainRecordWriter(const PlainKeyForm& form, size_t index_sparseness,
                    const SliceTransform* extractor);

  // Appends the record of an entry. REQUIRES: a key of user_key_len, if that is
  // not kPlainTableVariableLength; less than 4 GiB.
  void Append(const Slice& internal_key, const Slice& value, std::string* out);

 private:
  // Appends the lengths. Returns how many bytes of the user key they replace.
  size_t AppendLengths(const Slice& user_key, std::string* out);

  const PlainKeyForm form_;
  const size_t keys_per_whole_key_;
  const SliceTransform* const extractor_;
  std::string prefix_;
  uint64_t keys_of_prefix_ = 0;  // since the last whole key
};

// Where to begin to read records: the offset of one, and what those before it
// say of its key.
struct PlainPosition {
  uint64_t offset = 0;
  std::string last_key;     // the user key before; empty if a whole one follows
  uint32_t prefix_len = 0;  // how much of it records of kind 2 begin with
};

// Decodes records, one after the other. One thread.
class PlainRecordReader {
 public:
  explicit PlainRecordReader(const PlainKeyForm& form) : form_(form) {}

  // The outcome of Read.
  enum class Answer : uint8_t {
    kRecord,     // key() and value() are the entry
    kTruncated,  // the record needs more bytes than there are: bytes_needed()
    kMalformed
  };
  // Reads the record at the beginning of `bytes`. Answers other than kRecord
  // change only bytes_needed(), so Read may be repeated with more bytes.
  Answer Read(const Slice& bytes);
  size_t bytes_needed() const { return bytes_needed_; }
  // Returns the bytes of the last record.
  size_t size() const { return size_; }
  // The last entry. Valid until the next Read, and as long as its bytes.
  Slice key() const { return key_; }
  Slice value() const { return value_; }

  // Returns the position of the record after the last one. Its offset is given.
  PlainPosition Next(uint64_t offset) const;
  // Prepares the next Read, of the record at a position.
  void StartAt(const PlainPosition& position);

 private:
  struct Lengths;
  // Return false if the bytes end before, or are malformed.
  bool ReadLengths(Decoder* in, Lengths* lengths) const;

  const PlainKeyForm form_;
  std::string key_;  // internal
  uint32_t prefix_len_ = 0;
  Slice value_;
  size_t size_ = 0;
  size_t bytes_needed_ = 0;
};

}  // namespace tamis
