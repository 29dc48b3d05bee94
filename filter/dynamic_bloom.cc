// SPDX-License-Identifier: Apache-2.0
#include "filter/dynamic_bloom.h"

#include "util/base/check.h"

namespace tamis {

namespace {

// The high half of the hash chooses the bits, by the top nine bits of a product
// per probe. The low half chooses the line.
constexpr uint32_t kMultiplier = 0x9e3779b9;  // 2^32 / golden ratio

template <typename Visit>
void ForEachBit(uint64_t hash, int probes, Visit&& visit) {
  auto h = static_cast<uint32_t>(hash >> 32);
  for (int i = 0; i < probes; ++i, h *= kMultiplier) {
    const uint32_t bit = h >> 23;  // 0 .. 511
    if (!visit(bit / 64, uint64_t{1} << (bit % 64))) return;
  }
}

}  // namespace

DynamicBloom::DynamicBloom(size_t bytes)
    : num_lines_((bytes + sizeof(Line) - 1) / sizeof(Line)),
      lines_(std::make_unique<Line[]>(num_lines_)) {
  TAMIS_CHECK(bytes > 0);
  TAMIS_CHECK(num_lines_ <= UINT32_MAX);
}

DynamicBloom::Line& DynamicBloom::LineOf(uint64_t hash) const {
  const uint64_t low = static_cast<uint32_t>(hash);
  return lines_[(low * num_lines_) >> 32];
}

void DynamicBloom::Add(const FilterKey& key) {
  Line& line = LineOf(key.Hash64());
  ForEachBit(key.Hash64(), kProbes, [&line](uint32_t word, uint64_t mask) {
    // Relaxed: readers learn of the key through a later store with release.
    std::atomic<uint64_t>& bits = line.words[word];
    bits.store(bits.load(std::memory_order_relaxed) | mask,
               std::memory_order_relaxed);
    return true;
  });
}

bool DynamicBloom::MayMatch(const FilterKey& key) const {
  const Line& line = LineOf(key.Hash64());
  bool match = true;
  ForEachBit(
      key.Hash64(), kProbes, [&line, &match](uint32_t word, uint64_t mask) {
        match = (line.words[word].load(std::memory_order_relaxed) & mask) != 0;
        return match;
      });
  return match;
}

}  // namespace tamis
