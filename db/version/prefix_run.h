// SPDX-License-Identifier: Apache-2.0
//
// A PrefixRun is the set of keys with one prefix, which are adjacent in key
// order: the limit of a scan with prefix_same_as_start. One thread.
#pragma once

#include <string>

#include "tamis/slice_transform.h"

namespace tamis {

class PrefixRun {
 public:
  // Limits the run to keys with the prefix of `key`. If `key` has no prefix or
  // `extractor` is nullptr, the run has all keys. `extractor` must outlive
  // *this.
  void Begin(const SliceTransform* extractor, const Slice& key) {
    extractor_ = nullptr;
    if (extractor == nullptr || !extractor->InDomain(key)) return;
    extractor_ = extractor;
    const Slice prefix = extractor->Transform(key);
    prefix_.assign(prefix.data(), prefix.size());
  }
  // Removes the limit: the run has all keys.
  void End() { extractor_ = nullptr; }

  // Returns whether the run is limited to one prefix.
  bool is_one_prefix() const { return extractor_ != nullptr; }
  // Returns what tells the prefix, or nullptr if there is no limit.
  const SliceTransform* extractor() const { return extractor_; }
  // Returns whether the key is outside the run.
  bool Leaves(const Slice& key) const {
    return extractor_ != nullptr && !(extractor_->InDomain(key) &&
                                      extractor_->Transform(key) == prefix_);
  }

 private:
  const SliceTransform* extractor_ = nullptr;  // nullptr if there is no limit
  std::string prefix_;
};

}  // namespace tamis
