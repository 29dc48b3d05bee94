// SPDX-License-Identifier: Apache-2.0
#include "table/cuckoo_table_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "table/cuckoo_table_layout.h"
#include "util/base/byte_buffer.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

constexpr uint64_t kReadBytes = 1 << 20;

class CuckooTableSource final : public EntrySource {
 public:
  CuckooTableSource(const RandomAccessFile* file, CuckooLayout layout,
                    PlainTail tail, std::string file_name)
      : file_(*file),
        layout_(std::move(layout)),
        tail_(std::move(tail)),
        file_name_(std::move(file_name)) {}

  // Finds the buckets that are not empty, and sorts them.
  Status Sort(const KeyOrder& order);

  // Positions are numbers in the order.
  Status Scan(const EntryPosition& begin, uint64_t end,
              const Visit& visit) const override;
  uint64_t end() const override { return buckets_.size(); }
  const TableProperties& properties() const override {
    return tail_.properties;
  }
  size_t memory_usage() const override {
    return sizeof(*this) + buckets_.capacity() * sizeof(uint32_t);
  }

 private:
  Status Read(uint64_t bucket, uint64_t n, Slice* bytes,
              ByteBuffer* memory) const;
  // Sets *key to the internal key of a bucket.
  void KeyOf(const Slice& bucket, std::string* key) const;

  const RandomAccessFile& file_;
  const CuckooLayout layout_;
  const PlainTail tail_;
  const std::string file_name_;
  std::vector<uint32_t> buckets_;  // by key
};

Status CuckooTableSource::Read(uint64_t bucket, uint64_t n, Slice* bytes,
                               ByteBuffer* memory) const {
  const uint64_t offset = bucket * layout_.bucket_bytes();
  const auto wanted = static_cast<size_t>(n * layout_.bucket_bytes());
  memory->Clear();
  TAMIS_RETURN_IF_ERROR(
      file_io::Read(file_, offset, wanted, bytes, memory->Room(wanted)));
  if (bytes->size() == wanted) return Status::OK();
  return Status::Corruption(
      file_name_, "buckets at offset " + std::to_string(offset) +
                      ": short read, expected " + std::to_string(wanted) +
                      " bytes, got " + std::to_string(bytes->size()));
}

void CuckooTableSource::KeyOf(const Slice& bucket, std::string* key) const {
  key->assign(bucket.data(), static_cast<size_t>(layout_.key_bytes));
  if (layout_.only_user_keys) {
    PutFixed64(key, PackSequenceAndType(0, kTypeValue));
  }
}

Status CuckooTableSource::Sort(const KeyOrder& order) {
  if (tail_.properties.num_entries == 0) return Status::OK();
  const uint64_t num_buckets = layout_.num_buckets();
  const auto bucket_bytes = static_cast<size_t>(layout_.bucket_bytes());
  const uint64_t at_once = std::max<uint64_t>(kReadBytes / bucket_bytes, 1);
  std::vector<std::pair<std::string, uint32_t>> found;
  std::string key;
  ByteBuffer memory;
  for (uint64_t first = 0; first < num_buckets; first += at_once) {
    const uint64_t n = std::min(at_once, num_buckets - first);
    Slice bytes;
    TAMIS_RETURN_IF_ERROR(Read(first, n, &bytes, &memory));
    for (uint64_t i = 0; i < n; ++i, bytes.remove_prefix(bucket_bytes)) {
      if (bytes.starts_with(layout_.empty_key)) continue;
      if (found.size() == tail_.properties.num_entries) {
        return Status::Corruption(
            file_name_, "it has more entries than the " +
                            std::to_string(tail_.properties.num_entries) +
                            " of its properties");
      }
      KeyOf(bytes, &key);
      found.emplace_back(key, static_cast<uint32_t>(first + i));
    }
  }
  std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    return order.Compare(a.first, b.first) < 0;
  });
  buckets_.reserve(found.size());
  for (const auto& [sorted_key, bucket] : found) buckets_.push_back(bucket);
  return Status::OK();
}

Status CuckooTableSource::Scan(const EntryPosition& begin, uint64_t end,
                               const Visit& visit) const {
  ByteBuffer memory;
  std::string key;
  for (uint64_t at = begin.at; at < end; ++at) {
    Slice bucket;
    TAMIS_RETURN_IF_ERROR(
        Read(buckets_[static_cast<size_t>(at)], 1, &bucket, &memory));
    KeyOf(bucket, &key);
    bucket.remove_prefix(static_cast<size_t>(layout_.key_bytes));
    TAMIS_RETURN_IF_ERROR(visit(key, bucket, [at] {
      return EntryPosition{at, {}};
    }));
  }
  return Status::OK();
}

}  // namespace

Result<std::unique_ptr<EntrySource>> NewCuckooTableSource(
    const RandomAccessFile* file, PlainTail tail, const KeyOrder& order,
    const std::string& file_name) {
  auto layout =
      CuckooLayout::From(tail.properties, tail.properties.data_size, file_name);
  if (!layout.ok()) return layout.status();
  if (tail.properties.data_size > tail.begin) {
    return Status::Corruption(
        file_name, "properties: " + std::to_string(tail.properties.data_size) +
                       " bytes of buckets, but the next block is at offset " +
                       std::to_string(tail.begin));
  }
  auto source = std::make_unique<CuckooTableSource>(file, *std::move(layout),
                                                    std::move(tail), file_name);
  TAMIS_RETURN_IF_ERROR(source->Sort(order));
  return std::unique_ptr<EntrySource>(std::move(source));
}

}  // namespace tamis
