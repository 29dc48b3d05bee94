// SPDX-License-Identifier: Apache-2.0
#include "util/cache/recent_reads.h"

#include <algorithm>
#include <bit>

#include "util/base/random.h"

namespace tamis {

namespace {

constexpr size_t kBlocksMin = 512;
constexpr unsigned kGenerationBits = 4;
constexpr uint16_t kGenerations = 1 << kGenerationBits;
// One read in so many is counted, so that readers rarely write to the counter.
constexpr size_t kSampleEvery = 64;

size_t MarksFor(size_t blocks) {
  constexpr size_t kBlocksMax = size_t{1} << 40;
  return 2 * std::bit_ceil(std::clamp(blocks, kBlocksMin, kBlocksMax));
}

}  // namespace

RecentReads::RecentReads(size_t blocks)
    : mask_(MarksFor(blocks) - 1),
      marks_(static_cast<uint16_t*>(
          std::calloc(MarksFor(blocks), sizeof(uint16_t)))) {}

bool RecentReads::Record(const void* file, uint64_t offset) noexcept {
  if (marks_ == nullptr) return false;
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  const uint64_t hash =
      Random(reinterpret_cast<uintptr_t>(file) * kOdd + offset).Next();
  const uint64_t tag = hash >> (64 - (16 - kGenerationBits));
  if (hash / (mask_ + 1) % kSampleEvery == 0) {
    sampled_reads_.fetch_add(1, std::memory_order_relaxed);
  }
  const size_t generation = sampled_reads_.load(std::memory_order_relaxed) /
                            (blocks() / kSampleEvery);
  const auto mark_of = [tag](size_t of_generation) {
    return static_cast<uint16_t>(tag << kGenerationBits |
                                 of_generation % kGenerations);
  };
  std::atomic_ref<uint16_t> mark(marks_[hash & mask_]);
  const uint16_t before = mark.load(std::memory_order_relaxed);
  const uint16_t now = mark_of(generation);
  if (before == now) return true;
  mark.store(now, std::memory_order_relaxed);
  return before == mark_of(generation - 1);
}

}  // namespace tamis
