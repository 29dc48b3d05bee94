// SPDX-License-Identifier: Apache-2.0
#include "tools/truncated_bound.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "util/coding/shared_prefix.h"

namespace tamis {

namespace {

constexpr size_t kSymbols = 257;  // bytes, and the end of a key
constexpr size_t kEnd = 256;

size_t SymbolAt(const std::string& key, size_t at) {
  return at < key.size() ? static_cast<uint8_t>(key[at]) : kEnd;
}

// Counts how often each symbol follows each byte.
class Successors {
 public:
  void Count(const std::string& key, size_t at) {
    const size_t before = Before(key, at);
    ++counts_[before * kSymbols + SymbolAt(key, at)];
    ++totals_[before];
  }
  double BitsOf(const std::string& key, size_t at) const {
    const size_t before = Before(key, at);
    return std::log2(totals_[before] /
                     counts_[before * kSymbols + SymbolAt(key, at)]);
  }

 private:
  static size_t Before(const std::string& key, size_t at) {
    return at == 0 ? 0 : SymbolAt(key, at - 1);
  }
  std::vector<double> counts_ = std::vector<double>(256 * kSymbols);
  std::vector<double> totals_ = std::vector<double>(256);
};

// Returns the entropy of values with these counts, `all` in total.
double BitsOf(const std::map<long, size_t>& counts, size_t all) {
  double bits = 0;
  for (const auto& [value, count] : counts) {
    bits += static_cast<double>(count) *
            std::log2(static_cast<double>(all) / static_cast<double>(count));
  }
  return bits;
}

}  // namespace

TruncatedKeys::TruncatedKeys(const std::vector<std::string>& keys,
                             size_t extra) {
  // Of key i, the bytes shared with key i - 1.
  std::vector<size_t> shared(keys.size() + 1);
  for (size_t i = 1; i < keys.size(); ++i) {
    shared[i] = SharedPrefixLength(keys[i - 1], keys[i]);
  }
  Successors successors;
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t at = shared[i]; at <= keys[i].size(); ++at) {
      successors.Count(keys[i], at);
    }
  }
  double bits = 0;
  std::map<long, size_t> changes;
  for (size_t i = 0; i < keys.size(); ++i) {
    const size_t cut = std::max(shared[i], shared[i + 1]) + 1 + extra;
    const bool is_whole = cut > keys[i].size();
    const size_t symbols = is_whole ? keys[i].size() + 1 : cut;
    for (size_t at = shared[i]; at < symbols; ++at) {
      bits += successors.BitsOf(keys[i], at);
    }
    ++changes[static_cast<long>(shared[i]) -
              static_cast<long>(i == 0 ? 0 : shared[i - 1])];
    starts_.push_back({keys[i].substr(0, cut), is_whole});
  }
  bits_per_key_ =
      (bits + BitsOf(changes, keys.size())) / static_cast<double>(keys.size());
}

bool TruncatedKeys::MayMatch(const std::string& begin,
                             const std::string& end) const {
  const auto at = std::partition_point(
      starts_.begin(), starts_.end(),
      [&](const Start& start) { return start.bytes < begin; });
  if (at != starts_.end() && at->bytes < end) return true;
  if (at == starts_.begin()) return false;
  // The start of a cut key may be before the range, and the key in it.
  const Start& before = *std::prev(at);
  return !before.is_whole && begin.starts_with(before.bytes);
}

}  // namespace tamis
