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
  // Limits the run to keys with the prefix of `key`. All keys, if it has none
  // or `extractor` is nullptr. `extractor` must outlive *this.
  void Begin(const SliceTransform* extractor, const Slice& key) {
    extractor_ = nullptr;
    if (extractor == nullptr || !extractor->InDomain(key)) return;
    extractor_ = extractor;
    const Slice prefix = extractor->Transform(key);
    prefix_.assign(prefix.data(), prefix.size());
  }
  // Removes the limit.
  void End() { extractor_ = nullptr; }

  bool is_one_prefix() const { return extractor_ != nullptr; }
  // Whether the key is outside the run.
  bool Leaves(const Slice& key) const {
    return extractor_ != nullptr && !(extractor_->InDomain(key) &&
                                      extractor_->Transform(key) == prefix_);
  }

 private:
  const SliceTransform* extractor_ = nullptr;  // nullptr: all keys
  std::string prefix_;
};

}  // namespace tamis
