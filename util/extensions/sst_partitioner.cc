// SPDX-License-Identifier: Apache-2.0
#include "tamis/sst_partitioner.h"

#include <algorithm>

namespace tamis {

SstPartitioner::~SstPartitioner() = default;
SstPartitionerFactory::~SstPartitionerFactory() = default;

PartitionerResult SstPartitionerFixedPrefix::ShouldPartition(
    const PartitionerRequest& request) {
  const auto prefix = [this](const Slice& key) {
    return Slice(key.data(), std::min(len_, key.size()));
  };
  return prefix(*request.prev_user_key) == prefix(*request.current_user_key)
             ? kNotRequired
             : kRequired;
}

bool SstPartitionerFixedPrefix::CanDoTrivialMove(
    const Slice& smallest_user_key, const Slice& largest_user_key) {
  return ShouldPartition({smallest_user_key, largest_user_key, 0}) ==
         kNotRequired;
}

std::unique_ptr<SstPartitioner>
SstPartitionerFixedPrefixFactory::CreatePartitioner(
    const SstPartitioner::Context& /*context*/) const {
  return std::make_unique<SstPartitionerFixedPrefix>(len_);
}

std::shared_ptr<SstPartitionerFactory> NewSstPartitionerFixedPrefixFactory(
    size_t prefix_len) {
  return std::make_shared<SstPartitionerFixedPrefixFactory>(prefix_len);
}

}  // namespace tamis
