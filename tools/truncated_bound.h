// SPDX-License-Identifier: Apache-2.0
//
// A limit for range filters that store the beginnings of keys in whole bytes,
// such as tries: each key is cut `extra` bytes after the first byte that tells
// it from its neighbours. No filter that knows only these strings excludes more
// ranges than exact comparison with them does.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tamis {

// Const once made; any thread.
class TruncatedKeys {
 public:
  // REQUIRES: keys ascend and are distinct; there is at least one.
  TruncatedKeys(const std::vector<std::string>& keys, size_t extra);

  // Returns whether a key may be in [begin, end) as far as the strings tell.
  bool MayMatch(const std::string& begin, const std::string& end) const;

  // Returns the entropy of the strings, in order, per key: that of how the
  // length shared with the string before changes, and that of the bytes after
  // it, each given the byte before it.
  double bits_per_key() const { return bits_per_key_; }

 private:
  struct Start {
    std::string bytes;
    bool is_whole;  // not cut
  };
  std::vector<Start> starts_;
  double bits_per_key_ = 0;
};

}  // namespace tamis
