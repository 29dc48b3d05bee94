// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/write_benchmarks.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/bench_thread.h"
#include "tools/tamis_db_bench/read_benchmarks.h"
#include "util/base/random.h"

namespace tamis::bench {

namespace {

struct Writes {
  uint64_t operations;
  uint64_t batch_size;
  bool sync;
  size_t value_size;
};

Writes WritesOf(const ThreadContext& t) {
  const Settings& s = *t.settings;
  return {.operations = s.writes_or_num(),
          .batch_size = static_cast<uint64_t>(s.batch_size),
          .sync = s.sync,
          .value_size = static_cast<size_t>(s.value_size)};
}

// Adds the i-th operation to batches, for as many i as the thread writes.
// add(batch, i) returns the bytes of key and value, or sets the error.
template <typename AddOperation>
void WriteBatches(const ThreadContext& t, const Writes& writes,
                  AddOperation&& add) {
  const Settings& s = *t.settings;
  const WriteOptions options{.sync = writes.sync, .disableWAL = s.disable_wal};
  WriteBatch batch;
  Quota quota(t, writes.operations);
  uint64_t i = 0;
  while (const uint64_t n = quota.Take(writes.batch_size)) {
    batch.Clear();
    uint64_t bytes = 0;
    for (uint64_t k = 0; k < n; ++k) bytes += add(&batch, i++);
    Limit(s.write_limiter.get(), bytes);
    if (t.stats->failed() || !Ok(t, t.db->Write(options, &batch))) return;
    t.stats->Done(n, bytes);
  }
}

// number(i) is the key of the i-th operation.
template <typename Number>
void Fill(const ThreadContext& t, const Writes& writes, Number&& number) {
  const Settings& s = *t.settings;
  const uint64_t bytes = static_cast<uint64_t>(s.key_size) + writes.value_size;
  NumberedKey key(s.key_size);
  ValuePool values(writes.value_size, SeedOf(t), s.compression_ratio);
  WriteBatches(t, writes, [&](WriteBatch* batch, uint64_t i) -> uint64_t {
    Ok(t, batch->Put(key.Make(number(i)), values.Next()));
    return bytes;
  });
}

template <typename Number>
void Delete(const ThreadContext& t, Number&& number) {
  NumberedKey key(t.settings->key_size);
  Writes deletes = WritesOf(t);
  deletes.operations = t.settings->deletes_or_num();
  WriteBatches(t, deletes, [&](WriteBatch* batch, uint64_t i) -> uint64_t {
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

void Fill100K(const ThreadContext& t) {
  Writes writes = WritesOf(t);
  writes.operations = std::max<uint64_t>(1, writes.operations / 1000);
  writes.value_size = 100'000;
  Random random(SeedOf(t));
  Fill(t, writes, [&](uint64_t) { return random.Uniform(t.settings->num); });
}

void FillUniqueRandom(const ThreadContext& t) {
  const Settings& s = *t.settings;
  const auto threads = static_cast<uint64_t>(s.threads);
  const auto me = static_cast<uint64_t>(t.index);
  const uint64_t begin = s.num * me / threads;
  std::vector<uint64_t> numbers(s.num * (me + 1) / threads - begin);
  std::iota(numbers.begin(), numbers.end(), begin);
  if (numbers.empty()) return;  // fewer keys than threads
  Random random(SeedOf(t));
  for (size_t i = numbers.size(); i > 1; --i) {
    std::swap(numbers[i - 1], numbers[random.Uniform(i)]);
  }
  Writes writes = WritesOf(t);
  writes.operations = std::min<uint64_t>(writes.operations, numbers.size());
  t.stats->Start();  // without the preparation
  Fill(t, writes, [&](uint64_t i) { return numbers[i % numbers.size()]; });
}

void FillSeekSeq(const ThreadContext& t) {
  const Settings& s = *t.settings;
  FillSeq(t);
  if (t.stats->failed()) return;
  NumberedKey key(s.key_size);
  const std::unique_ptr<Iterator> it(t.db->NewIterator(ReadOptionsOf(s)));
  for (uint64_t i = 0; i < s.writes_or_num(); ++i) {
    const Slice wanted = key.Make(i);
    it->Seek(wanted);
    if (it->Valid() && it->key() == wanted) t.stats->Found();
    for (uint64_t n = 0; n < s.seek_nexts && it->Valid(); ++n) it->Next();
    t.stats->Done(1, wanted.size());
  }
  Ok(t, it->status());
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
    Limit(s.write_limiter.get(), next.size() + value.size());
    if (!Ok(t, t.db->Put(options, next, value))) return;
    t.stats->Done(1, next.size() + value.size());
  }
}

}  // namespace tamis::bench
