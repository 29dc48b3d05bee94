// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/benchmarks.h"

#include <algorithm>
#include <atomic>

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/ycsb_benchmarks.h"
#include "util/base/random.h"

namespace tamis::bench {

namespace {

class KeyMaker {
 public:
  explicit KeyMaker(int size) : key_(static_cast<size_t>(size), '0') {}
  // Valid until the next call.
  Slice Make(uint64_t number) {
    const size_t digits = std::min<size_t>(8, key_.size());
    for (size_t i = 0; i < digits; ++i) {
      key_[i] = static_cast<char>(number >> (8 * (digits - 1 - i)));
    }
    return key_;
  }

 private:
  std::string key_;
};

uint64_t SeedOf(const ThreadContext& t) {
  return t.settings->seed + 1000 * static_cast<uint64_t>(t.index) +
         1'000'000 * t.salt;
}

bool Ok(const ThreadContext& t, const Status& status) {
  if (status.ok()) return true;
  t.stats->Fail(status.ToString());
  return false;
}

// Each thread writes its part; number(i) is the i-th key.
template <typename Number>
void Fill(const ThreadContext& t, Number&& number) {
  const Settings& s = *t.settings;
  const auto threads = static_cast<uint64_t>(s.threads);
  const auto batch_size = static_cast<uint64_t>(s.batch_size);
  const auto me = static_cast<uint64_t>(t.index);
  const uint64_t begin = s.num * me / threads;
  const uint64_t end = s.num * (me + 1) / threads;
  KeyMaker key(s.key_size);
  ValuePool values(static_cast<size_t>(s.value_size), SeedOf(t),
                   s.compression_ratio);
  const WriteOptions options{.sync = s.sync};
  WriteBatch batch;
  for (uint64_t i = begin; i < end;) {
    batch.Clear();
    const uint64_t n = std::min(batch_size, end - i);
    for (uint64_t k = 0; k < n; ++k) {
      if (!Ok(t, batch.Put(key.Make(number(i + k)), values.Next()))) return;
    }
    if (!Ok(t, t.db->Write(options, &batch))) return;
    t.stats->Done(n, n * static_cast<uint64_t>(s.key_size + s.value_size));
    i += n;
  }
}

void FillSeq(const ThreadContext& t) {
  Fill(t, [](uint64_t i) { return i; });
}

// Also for overwrite: the same writes to an existing database.
void FillRandom(const ThreadContext& t) {
  Random random(SeedOf(t));
  Fill(t, [&](uint64_t) { return random.Uniform(t.settings->num); });
}

void Read(const ThreadContext& t, const char* suffix) {
  const Settings& s = *t.settings;
  KeyMaker key(s.key_size);
  Random random(SeedOf(t));
  PinnableSlice value;
  std::string wanted;
  for (uint64_t i = 0; i < s.reads_or_num(); ++i) {
    wanted = key.Make(random.Uniform(s.num)).ToString();
    wanted += suffix;
    const Status status = t.db->Get(ReadOptions(), wanted, &value);
    uint64_t bytes = 0;
    if (!status.IsNotFound()) {
      if (!Ok(t, status)) return;
      t.stats->Found();
      bytes = wanted.size() + value.size();
    }
    value.Reset();
    t.stats->Done(1, bytes);
  }
}

void ReadRandom(const ThreadContext& t) { Read(t, ""); }
void ReadMissing(const ThreadContext& t) { Read(t, "."); }

// Key by key; the baseline for batched reads.
void ReadOneByOne(const ThreadContext& t, const std::vector<Slice>& keys,
                  PinnableSlice* values, Status* statuses) {
  for (size_t k = 0; k < keys.size(); ++k) {
    statuses[k] = t.db->Get(ReadOptions(), keys[k], &values[k]);
  }
}

void MultiReadRandom(const ThreadContext& t) {
  const Settings& s = *t.settings;
  const auto n = static_cast<size_t>(s.batch_size);
  KeyMaker key(s.key_size);
  Random random(SeedOf(t));
  std::vector<std::string> space(n);
  std::vector<Slice> keys(n);
  std::vector<PinnableSlice> values(n);
  std::vector<Status> statuses(n);
  for (uint64_t i = 0; i < s.reads_or_num(); i += n) {
    for (size_t k = 0; k < n; ++k) {
      space[k] = key.Make(random.Uniform(s.num)).ToString();
      keys[k] = space[k];
    }
    if (s.multiread_batched) {
      t.db->MultiGet(ReadOptions(), t.db->DefaultColumnFamily(), n, keys.data(),
                     values.data(), statuses.data());
    } else {
      ReadOneByOne(t, keys, values.data(), statuses.data());
    }
    uint64_t bytes = 0;
    for (size_t k = 0; k < n; ++k) {
      if (!statuses[k].IsNotFound()) {
        if (!Ok(t, statuses[k])) return;
        t.stats->Found();
        bytes += keys[k].size() + values[k].size();
      }
      values[k].Reset();
    }
    t.stats->Done(n, bytes);
  }
}

template <typename Begin, typename Step>
void Scan(const ThreadContext& t, Begin&& begin, Step&& step) {
  const std::unique_ptr<Iterator> it(t.db->NewIterator(ReadOptions()));
  uint64_t left = t.settings->reads_or_num();
  for (begin(it.get()); it->Valid() && left > 0; step(it.get()), --left) {
    t.stats->Done(1, it->key().size() + it->value().size());
  }
  Ok(t, it->status());
}

void ReadSeq(const ThreadContext& t) {
  Scan(
      t, [](Iterator* it) { it->SeekToFirst(); },
      [](Iterator* it) { it->Next(); });
}

void ReadReverse(const ThreadContext& t) {
  Scan(
      t, [](Iterator* it) { it->SeekToLast(); },
      [](Iterator* it) { it->Prev(); });
}

void SeekRandom(const ThreadContext& t) {
  const Settings& s = *t.settings;
  KeyMaker key(s.key_size);
  Random random(SeedOf(t));
  const std::unique_ptr<Iterator> it(t.db->NewIterator(ReadOptions()));
  for (uint64_t i = 0; i < s.reads_or_num(); ++i) {
    const Slice wanted = key.Make(random.Uniform(s.num));
    it->Seek(wanted);
    if (!Ok(t, it->status())) return;
    uint64_t bytes = 0;
    if (it->Valid()) {
      bytes = it->key().size() + it->value().size();
      if (it->key() == wanted) t.stats->Found();
    }
    t.stats->Done(1, bytes);
  }
}

// The last thread writes, uncounted, until the readers finish.
void ReadWhileWriting(const ThreadContext& t) {
  const Settings& s = *t.settings;
  if (t.index < s.threads) {
    ReadRandom(t);
    return;
  }
  KeyMaker key(s.key_size);
  ValuePool values(static_cast<size_t>(s.value_size), SeedOf(t),
                   s.compression_ratio);
  Random random(SeedOf(t));
  while (!t.others_done->load(std::memory_order_relaxed)) {
    if (!Ok(t, t.db->Put(WriteOptions{.sync = s.sync},
                         key.Make(random.Uniform(s.num)), values.Next()))) {
      return;
    }
  }
}

void Compact(const ThreadContext& t) {
  Ok(t, t.db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
  t.stats->Done(1, 0);
}

template <char kWorkload>
void Ycsb(const ThreadContext& t) {
  YcsbRun(t, kWorkload);
}

}  // namespace

const std::vector<Benchmark>& Benchmarks() {
  static const std::vector<Benchmark> benchmarks = {
      {.name = "fillseq",
       .what = "write keys in order into a new database",
       .run = FillSeq,
       .fresh_db = true},
      {.name = "fillrandom",
       .what = "write random keys into a new database",
       .run = FillRandom,
       .fresh_db = true},
      {.name = "overwrite",
       .what = "write random keys into the existing data",
       .run = FillRandom},
      {.name = "readrandom",
       .what = "read random keys",
       .run = ReadRandom,
       .lookups = true},
      {.name = "readmissing",
       .what = "read random keys that are absent",
       .run = ReadMissing,
       .lookups = true},
      {.name = "multireadrandom",
       .what = "read random keys, batch_size at a time",
       .run = MultiReadRandom,
       .lookups = true},
      {.name = "readseq", .what = "scan forward", .run = ReadSeq},
      {.name = "readreverse", .what = "scan backward", .run = ReadReverse},
      {.name = "seekrandom",
       .what = "position an iterator at random keys",
       .run = SeekRandom,
       .lookups = true},
      {.name = "readwhilewriting",
       .what = "readrandom with one thread that writes",
       .run = ReadWhileWriting,
       .lookups = true,
       .extra_threads = 1},
      {.name = "compact",
       .what = "compact everything",
       .run = Compact,
       .single_thread = true},
      {.name = "ycsbload",
       .what = "write YCSB's records into a new database",
       .run = YcsbLoad,
       .fresh_db = true,
       .ycsb = true},
      {.name = "ycsba",
       .what = "50 % reads, 50 % updates",
       .run = Ycsb<'a'>,
       .ycsb = true},
      {.name = "ycsbb",
       .what = "95 % reads, 5 % updates",
       .run = Ycsb<'b'>,
       .ycsb = true},
      {.name = "ycsbc", .what = "reads", .run = Ycsb<'c'>, .ycsb = true},
      {.name = "ycsbd",
       .what = "95 % reads of the latest, 5 % inserts",
       .run = Ycsb<'d'>,
       .ycsb = true},
      {.name = "ycsbe",
       .what = "95 % short scans, 5 % inserts",
       .run = Ycsb<'e'>,
       .ycsb = true},
      {.name = "ycsbf",
       .what = "50 % reads, 50 % read-modify-writes",
       .run = Ycsb<'f'>,
       .ycsb = true},
  };
  return benchmarks;
}

const Benchmark* FindBenchmark(std::string_view name) {
  for (const Benchmark& benchmark : Benchmarks()) {
    if (benchmark.name == name) return &benchmark;
  }
  return nullptr;
}

}  // namespace tamis::bench
