// SPDX-License-Identifier: Apache-2.0
//
// Default implementations for filter policies.
#include "tamis/filter_policy.h"

namespace tamis {

FilterBitsBuilder::~FilterBitsBuilder() = default;
FilterBitsReader::~FilterBitsReader() = default;
FilterPolicy::~FilterPolicy() = default;

std::string FilterPolicy::GetId() const { return Name(); }

void FilterPolicy::CreateFilter(const Slice* /*keys*/, int /*n*/,
                                std::string* /*filter*/) const {}

bool FilterPolicy::KeyMayMatch(const Slice& /*key*/,
                               const Slice& /*filter*/) const {
  return true;
}

}  // namespace tamis
