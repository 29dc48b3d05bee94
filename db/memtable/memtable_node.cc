// SPDX-License-Identifier: Apache-2.0
#include "db/memtable/memtable_node.h"

#include <algorithm>
#include <bit>
#include <thread>

#include "util/base/check.h"
#include "util/base/prefetch.h"
#include "util/coding/shared_prefix.h"

namespace tamis {

namespace {

// Returns a mask for the first `bytes` bytes of a big-endian 64-bit number.
constexpr uint64_t FirstBytes(size_t bytes) {
  return bytes == 0 ? 0 : ~uint64_t{0} << (64 - 8 * std::min<size_t>(bytes, 8));
}

// Returns the length of the common prefix of two user keys, at most `limit`.
uint32_t SharedBytes(const Slice& a, const Slice& b, size_t limit) {
  return static_cast<uint32_t>(
      SharedPrefixLength({a.data(), std::min(a.size(), limit)}, b));
}

// For the baseline x86-64, std::has_single_bit is a call.
constexpr bool IsPowerOfTwo(uint32_t n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace

void MemTableNode::PrefetchForInsert(uint32_t index, uint32_t count) const {
  const auto prefetch = [](const auto* from, const auto* to) {
    const char* const end = reinterpret_cast<const char*>(to);
    for (const char* at = reinterpret_cast<const char*>(from); at < end;
         at += 64) {
      PrefetchForWrite(at);
    }
    PrefetchForWrite(end);
  };
  PrefetchForWrite(reinterpret_cast<const char*>(this));
  prefetch(heads_.data() + index, heads_.data() + count);
  prefetch(entries_.data() + index, entries_.data() + count);
}

uint64_t MemTableNode::AwaitStableVersion() const {
  // The writer takes much less than a microsecond, unless it was descheduled.
  constexpr int kSpins = 200;
  for (int spins = 0;; ++spins) {
    const uint64_t version = version_.load(std::memory_order_acquire);
    if ((version & 1) == 0) return version;
    if (spins > kSpins) std::this_thread::yield();
  }
}

uint32_t MemTableNode::FirstHeadAtLeast(uint32_t begin, uint32_t end,
                                        uint64_t wanted) const {
  constexpr uint32_t kPointersOfALine = 8;
  uint32_t left = end - begin;
  if (left == 0) return begin;
  // Halves the range without a branch that depends on the heads.
  const auto halve = [this, wanted, &begin, &left] {
    const uint32_t half = left / 2;
    begin += head(begin + half - 1) < wanted ? half : 0;
    left -= half;
  };
  while (left > 2 * kPointersOfALine) halve();
  // One of these will be read after the search.
  __builtin_prefetch(&entries_[begin]);
  __builtin_prefetch(&entries_[begin + left - 1]);
  while (left > 1) halve();
  return begin + (head(begin) < wanted ? 1 : 0);
}

uint32_t MemTableNode::FirstNotBefore(uint32_t begin, uint32_t end,
                                      const MemTableTarget& target,
                                      const KeyOrder& order) const {
  while (begin < end) {
    const uint32_t middle = begin + (end - begin) / 2;
    if (target.IsAfter(*entry(middle), order)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

int MemTableNode::CompareToPrefix(const Slice& internal_key) const {
  const uint32_t bytes = prefix_bytes();
  for (uint32_t at = 0; at < bytes; at += 8) {
    const uint64_t of_key =
        UserKeyHead(internal_key, at) & FirstBytes(size_t{bytes} - at);
    const uint64_t of_prefix = prefix_word(at / 8);
    if (of_key != of_prefix) return of_key < of_prefix ? -1 : 1;
  }
  return internal_key.size() - kInternalKeyTailBytes < bytes ? -1 : 0;
}

MemTableNode::Place MemTableNode::Find(const MemTableTarget& target,
                                       const KeyOrder& order) const {
  const uint32_t n = count();
  if (!bytewise_) {
    const uint32_t index = FirstNotBefore(0, n, target, order);
    return {.index = index, .count = n, .may_have_key = index < n};
  }
  if (const int side = CompareToPrefix(target.internal_key); side != 0) {
    return {.index = side < 0 ? 0 : n, .count = n, .may_have_key = false};
  }
  const uint64_t wanted = UserKeyHead(target.internal_key, prefix_bytes());
  uint32_t index = FirstHeadAtLeast(0, n, wanted);
  if (index == n || head(index) != wanted) {
    return {.index = index, .count = n, .may_have_key = false};
  }
  // Usually only one entry ties.
  uint32_t end = index + 1;
  if (end < n && head(end) == wanted) {
    end = wanted == UINT64_MAX ? n : FirstHeadAtLeast(end, n, wanted + 1);
  }
  index = FirstNotBefore(index, end, target, order);
  return {.index = index, .count = n, .may_have_key = index < end};
}

uint64_t MemTableNode::HeadOf(const MemTableEntry& entry) const {
  return bytewise_ ? UserKeyHead(entry.key(), prefix_bytes()) : 0;
}

uint32_t MemTableNode::SharedPrefix(const Slice& internal_key) const {
  const uint32_t bytes = prefix_bytes();
  const size_t user_bytes = internal_key.size() - kInternalKeyTailBytes;
  uint32_t shared = 0;
  while (shared < bytes) {
    const uint64_t differ =
        UserKeyHead(internal_key, shared) ^ prefix_word(shared / 8);
    shared += static_cast<uint32_t>(std::countl_zero(differ)) / 8;
    if (differ != 0) break;
  }
  return static_cast<uint32_t>(std::min<size_t>({shared, bytes, user_bytes}));
}

uint64_t MemTableNode::PrefixHeadAt(uint32_t offset) const {
  const uint32_t word = offset / 8;
  const uint32_t bits = offset % 8 * 8;
  if (word >= kPrefixWords) return 0;
  uint64_t head = prefix_word(word) << bits;
  if (bits != 0 && word + 1 < kPrefixWords) {
    head |= prefix_word(word + 1) >> (64 - bits);
  }
  return head;
}

void MemTableNode::SetPrefix(const Slice& key, uint32_t bytes) {
  TAMIS_DCHECK(bytes <= kPrefixBytesMax);
  for (uint32_t word = 0; word < kPrefixWords; ++word) {
    const uint32_t at = word * 8;
    prefix_[word].store(
        at < bytes ? UserKeyHead(key, at) & FirstBytes(size_t{bytes} - at) : 0,
        std::memory_order_release);
  }
  prefix_bytes_.store(bytes, std::memory_order_release);
}

void MemTableNode::ShortenPrefix(uint32_t bytes) {
  const uint32_t old_bytes = prefix_bytes();
  TAMIS_DCHECK(bytes <= old_bytes);
  const uint64_t front = PrefixHeadAt(bytes);
  const uint32_t shift = (old_bytes - bytes) * 8;
  const uint32_t n = count();
  for (uint32_t i = 0; i < n; ++i) {
    set_head(i, shift >= 64 ? front : front | head(i) >> shift);
  }
  for (uint32_t word = 0; word < kPrefixWords; ++word) {
    const uint32_t at = word * 8;
    const uint64_t kept = at < bytes ? FirstBytes(size_t{bytes} - at) : 0;
    prefix_[word].store(prefix_word(word) & kept, std::memory_order_release);
  }
  prefix_bytes_.store(bytes, std::memory_order_release);
}

void MemTableNode::CopyPrefix(const MemTableNode& from) {
  for (size_t word = 0; word < kPrefixWords; ++word) {
    prefix_[word].store(from.prefix_word(word), std::memory_order_release);
  }
  prefix_bytes_.store(from.prefix_bytes(), std::memory_order_release);
}

bool MemTableNode::ManyHeadsTie() const {
  constexpr uint32_t kManyPart = 8;
  const uint32_t n = count();
  uint32_t ties = 0;
  for (uint32_t i = 1; i < n; ++i) ties += head(i - 1) == head(i) ? 1U : 0U;
  return ties > 0 && ties >= n / kManyPart;
}

void MemTableNode::SharpenHeads() {
  if (!bytewise_ || !ManyHeadsTie()) return;
  const uint32_t n = count();
  const MemTableEntry& first = *entry(0);
  const uint32_t shared =
      SharedBytes(first.user_key(), entry(n - 1)->user_key(), kPrefixBytesMax);
  if (shared <= prefix_bytes()) return;
  SetPrefix(first.key(), shared);
  for (uint32_t i = 0; i < n; ++i) set_head(i, HeadOf(*entry(i)));
}

bool MemTableNode::TryAppend(const MemTableEntry* added) {
  const uint32_t n = count();
  TAMIS_DCHECK(n < kCapacity);
  if (IsPowerOfTwo(n + 1) || SharedPrefix(added->key()) < prefix_bytes()) {
    return false;
  }
  set_head(n, HeadOf(*added));
  entries_[n].store(added, std::memory_order_release);
  set_count(n + 1);
  return true;
}

void MemTableNode::Insert(uint32_t index, const MemTableEntry* added) {
  const uint32_t n = count();
  TAMIS_DCHECK(n < kCapacity);
  TAMIS_DCHECK(index <= n);
  if (const uint32_t shared = SharedPrefix(added->key());
      shared < prefix_bytes()) {
    ShortenPrefix(shared);
  }
  for (uint32_t i = n; i > index; --i) {
    set_head(i, head(i - 1));
    entries_[i].store(entry(i - 1), std::memory_order_release);
  }
  set_head(index, HeadOf(*added));
  entries_[index].store(added, std::memory_order_release);
  set_count(n + 1);
  if (IsPowerOfTwo(n + 1)) SharpenHeads();
}

void MemTableNode::MoveTail(uint32_t from, MemTableNode* to) {
  const uint32_t n = count();
  TAMIS_DCHECK(from <= n);
  TAMIS_DCHECK(to->count() == 0);
  to->CopyPrefix(*this);
  to->set_mark(mark());
  for (uint32_t i = from; i < n; ++i) {
    to->set_head(i - from, head(i));
    to->entries_[i - from].store(entry(i), std::memory_order_release);
  }
  to->set_count(n - from);
  set_count(from);
}

void MemTableInner::InsertChild(uint32_t index, const MemTableEntry* separator,
                                MemTableNode* right) {
  TAMIS_DCHECK(right->level() + 1 == level());
  TAMIS_DCHECK(right->count() > 0);
  for (uint32_t i = count(); i > index; --i) set_child(i + 1, child(i));
  set_child(index + 1, right);
  Insert(index, separator);
}

const MemTableEntry* MemTableInner::SplitTo(uint32_t middle,
                                            MemTableInner* to) {
  const uint32_t n = count();
  TAMIS_DCHECK(middle < n);
  const MemTableEntry* const up = entry(middle);
  for (uint32_t i = middle + 1; i <= n; ++i) {
    to->set_child(i - middle - 1, child(i));
  }
  MoveTail(middle + 1, to);
  Truncate(middle);
  return up;
}

}  // namespace tamis
