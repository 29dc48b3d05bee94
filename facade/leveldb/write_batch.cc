// SPDX-License-Identifier: Apache-2.0
//
// leveldb::WriteBatch, whose only member is the text:
//
//   8 bytes  sequence number, 0 here
//   4 bytes  number of records
//   records  1 key value | 0 key      strings with a varint32 length before
//   them
#include "facade/leveldb/write_batch.h"

#include <cstdint>
#include <cstring>

#include <leveldb/slice.h>

#include "facade/leveldb/convert.h"

namespace leveldb {

namespace {

constexpr size_t kHeaderBytes = 12;
constexpr char kDelete = 0;
constexpr char kPut = 1;

uint32_t CountOf(const std::string& rep) {
  uint32_t count = 0;
  for (size_t i = 0; i < 4; ++i) {
    count |= uint32_t{static_cast<uint8_t>(rep[8 + i])} << (8 * i);
  }
  return count;
}

void SetCount(std::string* rep, uint32_t count) {
  for (size_t i = 0; i < 4; ++i) {
    (*rep)[8 + i] = static_cast<char>(count >> (8 * i));
  }
}

void AppendString(std::string* rep, const Slice& bytes) {
  size_t size = bytes.size();
  for (; size >= 128; size >>= 7) {
    rep->push_back(static_cast<char>(size | 128));
  }
  rep->push_back(static_cast<char>(size));
  rep->append(bytes.data(), bytes.size());
}

bool TakeString(Slice* rest, Slice* bytes) {
  uint64_t size = 0;
  for (int shift = 0;; shift += 7) {
    if (rest->empty() || shift > 28) return false;
    const auto byte = static_cast<uint8_t>((*rest)[0]);
    rest->remove_prefix(1);
    size |= uint64_t{byte & 127U} << shift;
    if (byte < 128) break;
  }
  if (size > rest->size()) return false;
  *bytes = Slice(rest->data(), size);
  rest->remove_prefix(size);
  return true;
}

}  // namespace

WriteBatch::WriteBatch() { Clear(); }
WriteBatch::~WriteBatch() = default;
WriteBatch::Handler::~Handler() = default;

void WriteBatch::Clear() { rep_.assign(kHeaderBytes, '\0'); }

size_t WriteBatch::ApproximateSize() const { return rep_.size(); }

void WriteBatch::Put(const Slice& key, const Slice& value) {
  SetCount(&rep_, CountOf(rep_) + 1);
  rep_.push_back(kPut);
  AppendString(&rep_, key);
  AppendString(&rep_, value);
}

void WriteBatch::Delete(const Slice& key) {
  SetCount(&rep_, CountOf(rep_) + 1);
  rep_.push_back(kDelete);
  AppendString(&rep_, key);
}

void WriteBatch::Append(const WriteBatch& source) {
  SetCount(&rep_, CountOf(rep_) + CountOf(source.rep_));
  const std::string records = source.rep_.substr(kHeaderBytes);
  rep_ += records;
}

Status WriteBatch::Iterate(Handler* handler) const {
  Slice rest(rep_);
  if (rest.size() < kHeaderBytes) {
    return Status::Corruption("malformed WriteBatch (too small)");
  }
  rest.remove_prefix(kHeaderBytes);
  uint32_t found = 0;
  while (!rest.empty()) {
    const char tag = rest[0];
    rest.remove_prefix(1);
    Slice key;
    Slice value;
    if (tag == kPut) {
      if (!TakeString(&rest, &key) || !TakeString(&rest, &value)) {
        return Status::Corruption("bad WriteBatch Put");
      }
      handler->Put(key, value);
    } else if (tag == kDelete) {
      if (!TakeString(&rest, &key)) {
        return Status::Corruption("bad WriteBatch Delete");
      }
      handler->Delete(key);
    } else {
      return Status::Corruption("unknown WriteBatch tag");
    }
    ++found;
  }
  return found == CountOf(rep_)
             ? Status::OK()
             : Status::Corruption("WriteBatch has wrong count");
}

}  // namespace leveldb
