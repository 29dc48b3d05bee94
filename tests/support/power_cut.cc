// SPDX-License-Identifier: Apache-2.0
#include "tests/support/power_cut.h"

#include <algorithm>
#include <iterator>

namespace tamis {

namespace {

// Each sector survives, is lost, or is torn: new up to a multiple of 8 bytes,
// old after it. The file ends at one of the lengths it had in between.
std::string SurvivingSectors(const Slice& bytes, size_t synced, Random* luck) {
  std::string left(bytes.data(), bytes.size());
  // Some power failures lose a few sectors, some keep a few.
  const uint64_t kept_of_16 = 1 + luck->Uniform(15);
  for (size_t from = synced; from < left.size();) {
    const size_t to =
        std::min(left.size(), (from / kSectorBytes + 1) * kSectorBytes);
    if (luck->Uniform(16) >= kept_of_16) {
      const size_t torn =
          luck->OneIn(4) ? (from + luck->Uniform(to - from)) / 8 * 8 : from;
      std::fill(left.begin() + static_cast<ptrdiff_t>(std::max(from, torn)),
                left.begin() + static_cast<ptrdiff_t>(to), '\0');
    }
    from = to;
  }
  const uint64_t tail = left.size() - synced;
  const uint64_t lengths[] = {0, tail, tail, luck->Uniform(tail + 1)};
  left.resize(synced + lengths[luck->Uniform(std::size(lengths))]);
  return left;
}

}  // namespace

std::string SurvivingBytes(const Slice& bytes, size_t synced, CrashStyle style,
                           Random* luck) {
  if (style == CrashStyle::kMixed) {
    constexpr CrashStyle kStyles[] = {
        CrashStyle::kDropAll, CrashStyle::kKeepAll, CrashStyle::kPrefix,
        CrashStyle::kPrefix, CrashStyle::kSectors};
    style = kStyles[luck->Uniform(std::size(kStyles))];
  }
  const uint64_t tail = bytes.size() - synced;
  uint64_t kept = 0;
  switch (style) {
    case CrashStyle::kSectors:
      return SurvivingSectors(bytes, synced, luck);
    case CrashStyle::kKeepAll:
      kept = tail;
      break;
    case CrashStyle::kPrefix:
      kept = luck->Uniform(tail + 1);
      break;
    default:
      break;
  }
  return std::string(bytes.data(), synced + static_cast<size_t>(kept));
}

}  // namespace tamis
