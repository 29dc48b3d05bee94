// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/write_benchmarks.h"

#include <algorithm>
#include <atomic>

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/bench_thread.h"
#include "util/base/random.h"

namespace tamis::bench {

namespace {

struct Writes {
  uint64_t operations;
  uint64_t batch_size;
  bool sync;
};

Writes WritesOf(const ThreadContext& t) {
  const Settings& s = *t.settings;
  return {.operations = s.writes_or_num(),
          .batch_size = static_cast<uint64_t>(s.batch_size),
          .sync = s.sync};
}

// Adds the i-th operation to batches, for as many i as the thread writes.
// add(batch, i) returns the bytes of key and value, or sets the error.
template <typename AddOperation>
void WriteBatches(const ThreadContext& t, const Writes& writes,
                  AddOperation&& add) {
  const Settings& s = *t.settings;
  const WriteOptions options{.sync = writes.sync, .disableWAL = s.disable_wal};
  WriteBatch batch;
  Quota quota(s, writes.operations);
  uint64_t i = 0;
  while (const uint64_t n = quota.Take(writes.batch_size)) {
    batch.Clear();
    uint64_t bytes = 0;
    for (uint64_t k = 0; k < n; ++k) bytes += add(&batch, i++);
    if (t.stats->failed() || !Ok(t, t.db->Write(options, &batch))) return;
    t.stats->Done(n, bytes);
  }
}

// number(i) is the key of the i-th operation.
template <typename Number>
void Fill(const ThreadContext& t, const Writes& writes, Number&& number) {
  const Settings& s = *t.settings;
  const uint64_t bytes =
      static_cast<uint64_t>(s.key_size) + static_cast<uint64_t>(s.value_size);
  NumberedKey key(s.key_size);
  ValuePool values(static_cast<size_t>(s.value_size), SeedOf(t),
                   s.compression_ratio);
  WriteBatches(t, writes, [&](WriteBatch* batch, uint64_t i) -> uint64_t {
    Ok(t, batch->Put(key.Make(number(i)), values.Next()));
    return bytes;
  });
}

template <typename Number>
void Delete(const ThreadContext& t, Number&& number) {
  NumberedKey key(t.settings->key_size);
  WriteBatches(t, WritesOf(t), [&](WriteBatch* batch, uint64_t i) -> uint64_t {
    Ok(t, batch->Delete(key.Make(number(i))));
    return static_cast<uint64_t>(t.settings->key_size);
  });
}

uint64_t InOrder(uint64_t i) { return i; }

}  // namespace

void FillSeq(const ThreadContext& t) { Fill(t, WritesOf(t), InOrder); }

void FillRandom(const ThreadContext& t) {
  Random random(SeedOf(t));
  Fill(t, WritesOf(t),
       [&](uint64_t) { return random.Uniform(t.settings->num); });
}

void FillBatch(const ThreadContext& t) {
  Writes writes = WritesOf(t);
  writes.batch_size = 1000;
  Fill(t, writes, InOrder);
}

void FillSync(const ThreadContext& t) {
  Writes writes = WritesOf(t);
  writes.operations = std::max<uint64_t>(1, writes.operations / 1000);
  writes.sync = true;
  Random random(SeedOf(t));
  Fill(t, writes, [&](uint64_t) { return random.Uniform(t.settings->num); });
}

void DeleteSeq(const ThreadContext& t) { Delete(t, InOrder); }

void DeleteRandom(const ThreadContext& t) {
  Random random(SeedOf(t));
  Delete(t, [&](uint64_t) { return random.Uniform(t.settings->num); });
}

void WriteUntilOthersDone(const ThreadContext& t) {
  const Settings& s = *t.settings;
  NumberedKey key(s.key_size);
  ValuePool values(static_cast<size_t>(s.value_size), SeedOf(t),
                   s.compression_ratio);
  Random random(SeedOf(t));
  const WriteOptions options{.sync = s.sync, .disableWAL = s.disable_wal};
  while (!t.others_done->load(std::memory_order_relaxed)) {
    const Slice next = key.Make(random.Uniform(s.num));
    const Slice value = values.Next();
    if (!Ok(t, t.db->Put(options, next, value))) return;
    t.stats->Done(1, next.size() + value.size());
  }
}

void Compact(const ThreadContext& t) {
  Ok(t, t.db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  t.stats->Done(1, 0);
}

void Flush(const ThreadContext& t) {
  Ok(t, t.db->Flush(FlushOptions()));
  t.stats->Done(1, 0);
}

}  // namespace tamis::bench
