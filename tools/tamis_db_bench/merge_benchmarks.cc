// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/merge_benchmarks.h"

#include <vector>

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/bench_thread.h"
#include "tools/tamis_db_bench/read_benchmarks.h"

namespace tamis::bench {

namespace {

// Merges one value at a time. One thread.
class Merger {
 public:
  explicit Merger(const ThreadContext& t)
      : t_(t),
        options_{.sync = t.settings->sync,
                 .disableWAL = t.settings->disable_wal},
        keys_(t.settings->key_size),
        values_(static_cast<size_t>(t.settings->value_size), SeedOf(t),
                t.settings->compression_ratio),
        random_(SeedOf(t)) {}

  Slice RandomKey() {
    return keys_.Make(random_.Uniform(t_.settings->merge_keys_or_num()));
  }
  uint64_t Uniform(uint64_t n) { return random_.Uniform(n); }

  // Returns false after an error.
  bool Merge(const Slice& key) {
    const Slice value = values_.Next();
    Limit(t_.settings->write_limiter.get(), key.size() + value.size());
    if (!Ok(t_, t_.db->Merge(options_, key, value))) return false;
    t_.stats->Done(1, key.size() + value.size());
    return true;
  }

 private:
  const ThreadContext& t_;
  const WriteOptions options_;
  NumberedKey keys_;
  ValuePool values_;
  Random random_;
};

}  // namespace

void MergeRandom(const ThreadContext& t) {
  Merger merger(t);
  Quota quota(t, t.settings->writes_or_num());
  while (quota.Take(1) != 0) {
    if (!merger.Merge(merger.RandomKey())) return;
  }
}

void ReadRandomMergeRandom(const ThreadContext& t) {
  const ReadOptions options = ReadOptionsOf(*t.settings);
  Merger merger(t);
  PinnableSlice value;
  Quota quota(t, t.settings->reads_or_num());
  while (quota.Take(1) != 0) {
    const Slice key = merger.RandomKey();
    const bool merges = merger.Uniform(100) < t.settings->merge_percent;
    if (!(merges ? merger.Merge(key) : ReadOne(t, options, key, &value))) {
      return;
    }
  }
}

void ReadRandomOperands(const ThreadContext& t) {
  const ReadOptions options = ReadOptionsOf(*t.settings);
  Merger merger(t);
  // Grows when a key has more operands than any before.
  std::vector<PinnableSlice> operands(8);
  Quota quota(t, t.settings->reads_or_num());
  while (quota.Take(1) != 0) {
    const Slice key = merger.RandomKey();
    int count = 0;
    Status status;
    for (;;) {
      GetMergeOperandsOptions limit;
      limit.expected_max_number_of_operands = static_cast<int>(operands.size());
      status = t.db->GetMergeOperands(options, t.db->DefaultColumnFamily(), key,
                                      operands.data(), &limit, &count);
      if (!status.IsIncomplete()) break;
      operands = std::vector<PinnableSlice>(static_cast<size_t>(count));
    }
    if (!status.IsNotFound()) {
      if (!Ok(t, status)) return;
      t.stats->Found();
    }
    uint64_t bytes = 0;
    for (int i = 0; i < count; ++i) {
      bytes += operands[static_cast<size_t>(i)].size();
      operands[static_cast<size_t>(i)].Reset();
    }
    t.stats->Done(1, bytes);
  }
}

void MergeUntilOthersDone(const ThreadContext& t) {
  Merger merger(t);
  while (!t.others_done->load(std::memory_order_relaxed)) {
    if (!merger.Merge(merger.RandomKey())) return;
  }
}

}  // namespace tamis::bench
