// SPDX-License-Identifier: Apache-2.0
#include "tamis/memtablerep.h"

namespace tamis {

namespace {

class HashSkipListRepFactory final : public MemTableRepFactory {
 public:
  const char* Name() const override { return "HashSkipListRepFactory"; }
};

class HashLinkListRepFactory final : public MemTableRepFactory {
 public:
  const char* Name() const override { return "HashLinkListRepFactory"; }
};

}  // namespace

const char* SkipListFactory::Name() const { return "SkipListFactory"; }
const char* VectorRepFactory::Name() const { return "VectorRepFactory"; }

MemTableRepFactory* NewHashSkipListRepFactory(
    size_t /*bucket_count*/, int32_t /*skiplist_height*/,
    int32_t /*skiplist_branching_factor*/) {
  return new HashSkipListRepFactory;
}

MemTableRepFactory* NewHashLinkListRepFactory(
    size_t /*bucket_count*/, size_t /*huge_page_tlb_size*/,
    int /*bucket_entries_logging_threshold*/,
    bool /*if_log_bucket_dist_when_flash*/,
    uint32_t /*threshold_use_skiplist*/) {
  return new HashLinkListRepFactory;
}

}  // namespace tamis
