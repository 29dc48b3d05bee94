// SPDX-License-Identifier: Apache-2.0
//
// The keys of one prefix, which stand together in the order of keys: what a
// scan with prefix_same_as_start keeps to. One thread.
#pragma once

#include <string>

#include "tamis/slice_transform.h"

namespace tamis {

class PrefixRun {
 public:
  // From here on the keys with the prefix of this one; all keys when it has
  // none, or where there is no extractor (nullptr), which outlives *this.
  void Begin(const SliceTransform* extractor, const Slice& key) {
    extractor_ = nullptr;
    if (extractor == nullptr || !extractor->InDomain(key)) return;
    extractor_ = extractor;
    const Slice prefix = extractor->Transform(key);
    prefix_.assign(prefix.data(), prefix.size());
  }
  // All keys again.
  void End() { extractor_ = nullptr; }

  bool is_one_prefix() const { return extractor_ != nullptr; }
  bool Leaves(const Slice& key) const {
    return extractor_ != nullptr && !(extractor_->InDomain(key) &&
                                      extractor_->Transform(key) == prefix_);
  }

 private:
  const SliceTransform* extractor_ = nullptr;  // nullptr: all keys
  std::string prefix_;
};

}  // namespace tamis
