// SPDX-License-Identifier: Apache-2.0
#include "table/resident_index.h"

#include <algorithm>
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
                                             const BlockHandle& handle,
                                             BlockPool* /*pool*/) const {
  return ResidentIndex::Make(payload, format_, {&file_name_, handle.offset});
}

Result<PinnedBytes> ResidentIndex::Make(const Slice& block,
                                        const BlockFormat& format,
                                        const BlockOrigin& origin) {
  struct Found {
    BlockHandle handle;
    uint32_t key_end;
  };
  std::vector<Found> found;
  std::string keys;
  BlockIterator it;
  it.Open(PinnedBytes::Borrow(block), format, origin);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    BlockHandle handle;
    if (!HandleOf(it, format, &handle)) {
      return origin.Corruption("malformed handle in the index");
    }
    keys.append(it.key().data(), it.key().size());
    if (keys.size() > std::numeric_limits<uint32_t>::max()) {
      return origin.Corruption("the separators take more than 4 GiB");
    }
    found.push_back({handle, static_cast<uint32_t>(keys.size())});
  }
  if (!it.status().ok()) return it.status();

  const size_t count = found.size();
  const size_t num_tops = TopsOf(static_cast<uint32_t>(count));
  static_assert(alignof(Header) <= alignof(BlockBuffer));
  static_assert(sizeof(Header) % alignof(uint64_t) == 0);
  static_assert(alignof(Entry) <= sizeof(uint64_t));
  BlockBuffer* const node = BlockBuffer::New(
      ByteBuffer(keys), sizeof(Header) + (count + num_tops) * sizeof(uint64_t) +
                            count * sizeof(Entry));
  PinnedBytes pinned = PinnedBytes::Adopt(node);
  char* const side = node->mutable_side();
  Header* const header = new (side) Header{};
  header->count = static_cast<uint32_t>(count);
  auto* const heads = new (side + sizeof(Header)) uint64_t[count + num_tops];
  char* to = side + sizeof(Header) + (count + num_tops) * sizeof(uint64_t);
  for (const Found& one : found) {
    new (to) Entry{.offset = one.handle.offset,
                   .size = one.handle.size,
                   .slot = {},
                   .key_end = one.key_end};
    to += sizeof(Entry);
  }

  const ResidentIndex index(node, format);
  const bool has_heads = format.order->kind() == KeyOrder::Kind::kBytewise;
  if (has_heads && count > 0) {
    const Slice first = index.UserKeyOf(index.separator(0));
    size_t prefix = first.size();
    for (uint32_t i = 1; i < count && prefix > 0; ++i) {
      prefix = SharedPrefixLength({first.data(), prefix},
                                  index.UserKeyOf(index.separator(i)));
    }
    header->prefix_bytes = static_cast<uint32_t>(prefix);
  }
  for (uint32_t i = 0; i < count; ++i) {
    heads[i] = has_heads ? KeyHead(index.UserKeyOf(index.separator(i)),
                                   header->prefix_bytes)
                         : 0;
  }
  for (size_t i = 0; i < num_tops; ++i) {
    heads[count + i] = heads[i * kHeadsPerTop];
  }
  return pinned;
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
    const Slice user_key = UserKeyOf(target);
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
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (Compare(separator(middle), target) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace tamis
