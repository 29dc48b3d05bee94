// SPDX-License-Identifier: Apache-2.0
//
// The built-in filter policies as text: from FilterPolicy::GetId back to a
// policy.
//
//   bloomfilter:<bits per key>[:<block-based>]
//   ribbonfilter:<bits per key>[:<bloom_before_level>]
//   tamis.RateFilterPolicy:<rate>[:<format>]
//   tamis.BudgetFilterPolicy:<bytes>[:<format>]
//
// The first two are RocksDB's. Its class names of the builtin filters
// (rocksdb.BuiltinBloomFilter) do not say how to build one.
#pragma once

#include <memory>
#include <string_view>

#include "tamis/filter_policy.h"
#include "tamis/status.h"

namespace tamis {

// Returns the name of the constant, such as "kByLevel".
std::string_view FilterFormatName(FilterFormat format);

// Makes the policy of an id. Returns InvalidArgument for one of the forms above
// with bad parameters, NotSupported for any other; *policy is then unchanged.
Status NewFilterPolicyFromId(std::string_view id,
                             std::shared_ptr<const FilterPolicy>* policy);

}  // namespace tamis
