// SPDX-License-Identifier: Apache-2.0
#include "table/resident_index.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "table/index_format.h"
#include "util/coding/count_below.h"
#include "util/coding/key_head.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

// Not in the pool: it rarely serves a node's size, and few are resident.
Result<PinnedBytes> IndexNodeForm::Transform(const Slice& payload,
                                             ByteBuffer* /*memory*/,
                                             const BlockHandle& handle,
                                             BlockPool* /*pool*/) const {
  return ResidentIndex::Make(payload, format_, {&file_name_, handle.offset});
}

// Reads an index block, then builds the node of it.
class ResidentIndex::Builder {
 public:
  explicit Builder(const BlockFormat& format)
      : format_(format),
        has_heads_(format.order->kind() == KeyOrder::Kind::kBytewise) {}

  Status Read(const Slice& block, const BlockOrigin& origin) {
    BlockIterator it;
    it.Open(PinnedBytes::Borrow(block), format_, origin);
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      BlockHandle handle;
      if (!HandleOf(it, format_, &handle)) {
        return origin.Corruption("malformed handle in the index");
      }
      keys_.append(it.key().data(), it.key().size());
      if (keys_.size() > std::numeric_limits<uint32_t>::max()) {
        return origin.Corruption("the separators take more than 4 GiB");
      }
      found_.push_back({handle, keys_.size()});
      if (IsWide(handle)) ++num_wide_;
    }
    return it.status();
  }

  PinnedBytes Build() {
    FindPrefix();
    CollectRests();
    const size_t count = found_.size();
    const size_t num_tops = TopsOf(static_cast<uint32_t>(count));
    const size_t heads_end =
        sizeof(Header) + (count + num_tops) * sizeof(uint64_t);
    const size_t entries_end = heads_end + count * sizeof(Entry);
    const size_t wides_end = entries_end + num_wide_ * sizeof(BlockHandle);
    // The side begins aligned as a node is, and heads follow the header.
    static_assert(alignof(Header) <= alignof(uint64_t));
    static_assert(alignof(uint64_t) <= alignof(BlockBuffer));
    static_assert(sizeof(Header) % alignof(uint64_t) == 0);
    static_assert(alignof(Entry) <= sizeof(uint64_t));
    static_assert(alignof(BlockHandle) <= sizeof(uint64_t));
    BlockBuffer* const node =
        BlockBuffer::New(ByteBuffer(payload_),
                         wides_end + (varies_ ? count * sizeof(uint32_t) : 0));
    char* const side = node->mutable_side();
    new (side)
        Header{.count = static_cast<uint32_t>(count),
               .prefix_bytes = static_cast<uint32_t>(prefix_),
               .rest_bytes = varies_ || count == 0 ? kVaries : rest_ends_[0],
               .num_wide = static_cast<uint32_t>(num_wide_)};
    WriteHeads(side + sizeof(Header));
    WriteEntries(side + heads_end, side + entries_end);
    if (varies_) {
      std::memcpy(side + wides_end, rest_ends_.data(),
                  count * sizeof(uint32_t));
    }
    return PinnedBytes::Adopt(node);
  }

 private:
  struct Found {
    BlockHandle handle;
    size_t key_end;  // in keys_
  };

  Slice Key(size_t i) const {
    const size_t begin = i == 0 ? 0 : found_[i - 1].key_end;
    return {keys_.data() + begin, found_[i].key_end - begin};
  }
  Slice UserKey(size_t i) const { return UserKeyOf(format_, Key(i)); }
  size_t HeadBytes(size_t i) const {
    return has_heads_ ? std::min(UserKey(i).size() - prefix_, sizeof(uint64_t))
                      : 0;
  }

  void FindPrefix() {
    if (!has_heads_ || found_.empty()) return;
    const Slice first = UserKey(0);
    prefix_ = first.size();
    for (size_t i = 1; i < found_.size() && prefix_ > 0; ++i) {
      prefix_ = SharedPrefixLength({first.data(), prefix_}, UserKey(i));
    }
  }
  void CollectRests() {
    payload_.assign(keys_, 0, prefix_);
    rest_ends_.reserve(found_.size());
    for (size_t i = 0; i < found_.size(); ++i) {
      const Slice key = Key(i);
      const size_t skipped = prefix_ + HeadBytes(i);
      payload_.append(key.data() + skipped, key.size() - skipped);
      rest_ends_.push_back(static_cast<uint32_t>(payload_.size() - prefix_));
      varies_ |= rest_ends_[i] != size_t{rest_ends_[0]} * (i + 1);
    }
  }
  void WriteHeads(void* to) const {
    const size_t count = found_.size();
    const size_t num_tops = TopsOf(static_cast<uint32_t>(count));
    auto* const heads = new (to) uint64_t[count + num_tops];
    for (size_t i = 0; i < count; ++i) {
      heads[i] = has_heads_ ? KeyHead(UserKey(i), prefix_) : 0;
    }
    for (size_t i = 0; i < num_tops; ++i) {
      heads[count + i] = heads[i * kHeadsPerTop];
    }
  }
  void WriteEntries(void* entries, void* wides) const {
    auto* entry = static_cast<Entry*>(entries);
    auto* wide = static_cast<BlockHandle*>(wides);
    uint64_t num_wide = 0;
    for (size_t i = 0; i < found_.size(); ++i) {
      BlockHandle place = found_[i].handle;
      if (IsWide(place)) {
        new (wide++) BlockHandle(place);
        place = {.offset = num_wide++, .size = kSizeMax};
      }
      new (entry++) Entry{.slot = {},
                          .place = place.offset | place.size << kSizeShift |
                                   uint64_t{HeadBytes(i)} << kHeadBytesShift};
    }
  }

  const BlockFormat& format_;
  const bool has_heads_;
  std::string keys_;  // the separators, one after another
  std::vector<Found> found_;
  size_t num_wide_ = 0;
  size_t prefix_ = 0;
  std::string payload_;
  std::vector<uint32_t> rest_ends_;
  bool varies_ = false;  // the rests differ in length
};

Result<PinnedBytes> ResidentIndex::Make(const Slice& block,
                                        const BlockFormat& format,
                                        const BlockOrigin& origin) {
  Builder builder(format);
  TAMIS_RETURN_IF_ERROR(builder.Read(block, origin));
  return builder.Build();
}

Slice ResidentIndex::Rest(uint32_t i) const {
  const char* const rests = node_->bytes().data() + header_->prefix_bytes;
  if (header_->rest_bytes != kVaries) {
    return {rests + size_t{i} * header_->rest_bytes, header_->rest_bytes};
  }
  const uint32_t begin = i == 0 ? 0 : rest_ends()[i - 1];
  return {rests + begin, rest_ends()[i] - begin};
}

Slice ResidentIndex::separator(uint32_t i, KeyBuffer* buffer) const {
  const size_t prefix = header_->prefix_bytes;
  const size_t in_head = head_bytes(i);
  const Slice rest = Rest(i);
  const size_t size = prefix + in_head + rest.size();
  char* const key = buffer->Room(size + sizeof(uint64_t));
  CopyKeyBytes(key, node_->bytes().data(), prefix);
  const uint64_t head = __builtin_bswap64(heads()[i]);
  std::memcpy(key + prefix, &head, sizeof(head));  // padding included
  CopyKeyBytes(key + prefix + in_head, rest.data(), rest.size());
  return {key, size};
}

uint32_t ResidentIndex::FirstHeadAtLeast(uint64_t head) const {
  // It comes after the last top that is below `head`, if there is one.
  const uint32_t top = CountBelow(tops(), TopsOf(count()), head);
  if (top == 0) return 0;
  const uint32_t begin = (top - 1) * kHeadsPerTop;
  const uint32_t n = std::min(kHeadsPerTop, count() - begin);
  const uint64_t* const run = heads() + begin;
  for (uint32_t i = 0; i < n; i += 8) __builtin_prefetch(run + i);
  return begin + CountBelow(run, n, head);
}

uint32_t ResidentIndex::LowerBound(const Slice& target) const {
  uint32_t low = 0;
  uint32_t high = count();
  if (high == 0) return 0;
  if (format_->order->kind() == KeyOrder::Kind::kBytewise) {
    const Slice user_key = UserKeyOf(*format_, target);
    const Slice prefix(node_->bytes().data(), header_->prefix_bytes);
    if (!user_key.starts_with(prefix)) {
      return user_key.compare(prefix) < 0 ? 0 : high;
    }
    const uint64_t head = KeyHead(user_key, header_->prefix_bytes);
    low = FirstHeadAtLeast(head);
    // Usually only one separator has the head.
    const bool tie = low < high && heads()[low] == head;
    high = !tie ? low
           : head == std::numeric_limits<uint64_t>::max()
               ? high
               : FirstHeadAtLeast(head + 1);
  }
  KeyBuffer buffer;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (Compare(separator(middle, &buffer), target) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace tamis
