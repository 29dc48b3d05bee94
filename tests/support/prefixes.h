// SPDX-License-Identifier: Apache-2.0
//
// Prefix extractors of users, for tests.
#pragma once

#include <string_view>

#include "tamis/slice_transform.h"

namespace tamis {

// "tenant/key": everything before the slash.
class BeforeSlash : public SliceTransform {
 public:
  const char* Name() const override { return "test.BeforeSlash"; }
  Slice Transform(const Slice& key) const override {
    return {key.data(), key.ToStringView().find('/')};
  }
  bool InDomain(const Slice& key) const override {
    return key.ToStringView().find('/') != std::string_view::npos;
  }
};

}  // namespace tamis
