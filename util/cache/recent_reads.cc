// SPDX-License-Identifier: Apache-2.0
#include "util/cache/recent_reads.h"

#include <algorithm>
#include <bit>

#include "util/base/random.h"

namespace tamis {

namespace {

constexpr size_t kBlocksMin = 512;
constexpr size_t kBlocksMax = size_t{1} << 26;
constexpr unsigned kGenerationBits = 4;
// One in this many reads is counted, by chance, so that threads rarely write to
// the counter.
constexpr size_t kSampleEvery = 64;
// New marks are zero. This generation is far enough from theirs that they do
// not count as recent reads.
constexpr size_t kFirstGeneration = 2;

size_t MarksFor(size_t blocks) {
  return 2 * std::bit_ceil(std::clamp(blocks, kBlocksMin, kBlocksMax));
}

}  // namespace

RecentReads::RecentReads(size_t blocks)
    : mask_(MarksFor(blocks) - 1),
      sampled_reads_(kFirstGeneration * (MarksFor(blocks) / 2 / kSampleEvery)) {
}

uint16_t* RecentReads::Allocate() noexcept {
  auto* const fresh =
      static_cast<uint16_t*>(std::calloc(mask_ + 1, sizeof(uint16_t)));
  uint16_t* marks = nullptr;
  if (fresh == nullptr ||
      marks_.compare_exchange_strong(marks, fresh, std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
    return fresh;
  }
  std::free(fresh);
  return marks;
}

bool RecentReads::Record(uint64_t file, uint64_t offset) noexcept {
  uint16_t* marks = marks_.load(std::memory_order_acquire);
  if (marks == nullptr) [[unlikely]]
    marks = Allocate();
  if (marks == nullptr) return true;
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  const uint64_t hash = Random(file * kOdd + offset).Next();
  const uint64_t chance = ThreadRandom();
  if (chance % kSampleEvery == 0) {
    sampled_reads_.fetch_add(1, std::memory_order_relaxed);
  }
  const size_t generation = sampled_reads_.load(std::memory_order_relaxed) /
                            (blocks() / kSampleEvery);
  constexpr uint32_t kGenerationMask = (1u << kGenerationBits) - 1;
  const auto generation_now = static_cast<uint32_t>(generation);
  const auto is_recent = [generation_now](uint32_t mark) {
    return ((generation_now - mark) & kGenerationMask) <= 1;
  };
  const uint32_t tag = static_cast<uint32_t>(hash >> 48) & ~kGenerationMask;
  const auto now =
      static_cast<uint16_t>(tag | (generation_now & kGenerationMask));

  std::atomic_ref<uint16_t> mark(marks[hash & mask_]);
  const uint32_t before = mark.load(std::memory_order_relaxed);
  const bool same = (before & ~kGenerationMask) == tag;
  if (same && is_recent(before)) {
    if (before != now) mark.store(now, std::memory_order_relaxed);
    return true;
  }
  const bool keep = is_recent(before) && chance >> 63 != 0;
  if (!keep) mark.store(now, std::memory_order_relaxed);
  return false;
}

}  // namespace tamis
