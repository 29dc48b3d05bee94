// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <leveldb/filter_policy.h>

#include "tamis/filter_policy.h"

namespace tamis::facade {

// A policy of LevelDB's for Tamis, which must outlive the result; nullptr for
// nullptr. NewBloomFilterPolicy's becomes Tamis's Bloom filter; a program's own
// policy makes the filters.
std::shared_ptr<const FilterPolicy> FilterPolicyForTamis(
    const leveldb::FilterPolicy* policy);

}  // namespace tamis::facade
