// SPDX-License-Identifier: Apache-2.0
#include "table/prefix_scope.h"

#include <string>
#include <string_view>

namespace tamis {

namespace {

// Returns whether prefixes are known to be the leading bytes of keys, cut at
// *length. That is known for the built-in extractors. For a user's, it is known
// only that keys with equal prefixes are contiguous.
bool IsLeadingBytes(const SliceTransform& extractor, size_t* length) {
  const std::string_view name = extractor.Name();
  return (name == "rocksdb.FixedPrefix" || name == "rocksdb.CappedPrefix") &&
         extractor.FullLengthEnabled(length);
}

// Sets *end to the first string after all keys with this prefix, in bytewise
// order. Returns false if there is none.
bool EndOfPrefix(const Slice& prefix, size_t full_length, std::string* end) {
  end->assign(prefix.data(), prefix.size());
  if (prefix.size() < full_length) {  // a short key: its own prefix
    end->push_back('\0');
    return true;
  }
  while (!end->empty() && end->back() == '\xff') end->pop_back();
  if (end->empty()) return false;
  end->back() = static_cast<char>(static_cast<unsigned char>(end->back()) + 1);
  return true;
}

// Returns whether all strings from one with this prefix up to the bound have
// the prefix. A nullptr bound means unbounded.
bool PrefixReachesUp(const Slice& prefix, size_t full_length,
                     const Slice* bound, bool exclusive) {
  std::string end;
  if (!EndOfPrefix(prefix, full_length, &end)) return true;
  if (bound == nullptr) return false;
  const int place = bound->compare(end);
  return exclusive ? place <= 0 : place < 0;
}

// Returns the same for strings from one with this prefix down to the bound. The
// smallest string with a prefix is the prefix itself.
bool PrefixReachesDown(const Slice& prefix, const Slice* bound) {
  return prefix.empty() || (bound != nullptr && bound->compare(prefix) >= 0);
}

// Returns whether the bounds ensure that all keys from `key` on, in this
// direction, have its prefix.
bool BoundsProve(const KeyOrder& order, const Slice& prefix, size_t full_length,
                 SeekDirection direction, const ReadContext& scan) {
  const bool forward = direction == SeekDirection::kForward;
  const Slice* const bound = forward ? scan.upper_bound : scan.lower_bound;
  switch (order.kind()) {
    case KeyOrder::Kind::kBytewise:
      return forward ? PrefixReachesUp(prefix, full_length, bound, true)
                     : PrefixReachesDown(prefix, bound);
    case KeyOrder::Kind::kReverseBytewise:
      return forward ? PrefixReachesDown(prefix, bound)
                     : PrefixReachesUp(prefix, full_length, bound, false);
    case KeyOrder::Kind::kUser:
      break;
  }
  return false;
}

// Returns, for a seek that shows keys from the lower bound up to `end`,
// exclusive, whether all have the prefix of the bound. Bytewise order only.
bool BoundsProveUpTo(const Slice& end, const SliceTransform& extractor,
                     size_t full_length, const Slice& lower_bound) {
  return extractor.InDomain(lower_bound) &&
         PrefixReachesUp(extractor.Transform(lower_bound), full_length, &end,
                         true);
}

// Returns whether the iterator shows only keys with the prefix of its seek key
// under `extractor`. Its own may be another one: SetOptions replaces that of a
// family, and not those of tables that are open.
bool ShowsOnePrefix(const ReadContext& scan, const SliceTransform& extractor) {
  const SliceTransform* const shown = scan.one_prefix_of();
  return shown != nullptr &&
         (shown == &extractor || shown->GetId() == extractor.GetId());
}

}  // namespace

std::optional<Slice> KeyForPrefixFilter(const KeyOrder& order,
                                        const SliceTransform& extractor,
                                        const Slice& target,
                                        SeekDirection direction, bool by_place,
                                        const ReadContext& scan) {
  if (!scan.use_prefix_filters) return std::nullopt;
  const Slice key = ExtractUserKey(target);
  size_t full_length = 0;
  const bool leading_bytes = IsLeadingBytes(extractor, &full_length);
  const bool bytewise = order.kind() == KeyOrder::Kind::kBytewise;
  const bool in_domain = extractor.InDomain(key);
  if (in_domain &&
      (ShowsOnePrefix(scan, extractor) ||
       (leading_bytes && BoundsProve(order, extractor.Transform(key),
                                     full_length, direction, scan)))) {
    if (direction == SeekDirection::kForward || !by_place) return key;
    // The prefix itself is at the position of its first key.
    if (leading_bytes && bytewise) return extractor.Transform(key);
    return std::nullopt;
  }
  // Backward from the end of a prefix: [first, end).
  if (direction == SeekDirection::kBackward && leading_bytes && bytewise &&
      scan.one_prefix_of() == nullptr && scan.lower_bound != nullptr &&
      ExtractSequence(target) == kMaxSequenceNumber &&
      BoundsProveUpTo(key, extractor, full_length, *scan.lower_bound)) {
    return extractor.Transform(*scan.lower_bound);
  }
  return std::nullopt;
}

}  // namespace tamis
