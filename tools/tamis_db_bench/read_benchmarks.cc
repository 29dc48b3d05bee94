// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/read_benchmarks.h"

#include <memory>
#include <string>
#include <vector>

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/bench_thread.h"
#include "tools/tamis_db_bench/merge_benchmarks.h"
#include "tools/tamis_db_bench/write_benchmarks.h"
#include "util/base/random.h"

namespace tamis::bench {

namespace {

// Until the readers have finished, as nothing else ends the thread's work.
bool OthersWork(const ThreadContext& t) {
  return !t.others_done->load(std::memory_order_relaxed);
}

bool IsReader(const ThreadContext& t) { return t.index < t.settings->threads; }

}  // namespace

ReadOptions ReadOptionsOf(const Settings& s) {
  ReadOptions options;
  options.verify_checksums = s.verify_checksums;
  options.total_order_seek = s.total_order_seek;
  options.prefix_same_as_start = s.prefix_same_as_start;
  options.auto_prefix_mode = s.auto_prefix_mode;
  options.tailing = s.tailing;
  options.readahead_size = s.readahead_size;
  options.async_io = s.async_io;
  return options;
}

bool ReadOne(const ThreadContext& t, const ReadOptions& options,
             const Slice& key, PinnableSlice* value) {
  Limit(t.settings->read_limiter.get(), 1);
  const Status status = t.db->Get(options, key, value);
  uint64_t bytes = 0;
  if (!status.IsNotFound()) {
    if (!Ok(t, status)) return false;
    t.stats->Found();
    bytes = key.size() + value->size();
  }
  value->Reset();
  t.stats->Done(1, bytes);
  return true;
}

namespace {

void Read(const ThreadContext& t, const char* suffix) {
  const Settings& s = *t.settings;
  const ReadOptions options = ReadOptionsOf(s);
  NumberedKey key(s.key_size);
  KeyChooser keys(t);
  PinnableSlice value;
  std::string wanted;
  Quota quota(t, s.reads_or_num());
  while (quota.Take(1) != 0) {
    const Slice number = key.Make(keys.Next());
    wanted.assign(number.data(), number.size());
    wanted += suffix;
    if (!ReadOne(t, options, wanted, &value)) return;
  }
}

// Key by key; the baseline for batched reads.
void ReadOneByOne(const ThreadContext& t, const ReadOptions& options,
                  const std::vector<Slice>& keys, PinnableSlice* values,
                  Status* statuses) {
  for (size_t k = 0; k < keys.size(); ++k) {
    statuses[k] = t.db->Get(options, keys[k], &values[k]);
  }
}

template <typename Begin, typename Step>
void Scan(const ThreadContext& t, Begin&& begin, Step&& step) {
  const std::unique_ptr<Iterator> it(
      t.db->NewIterator(ReadOptionsOf(*t.settings)));
  uint64_t left = t.settings->reads_or_num();
  for (begin(it.get()); it->Valid() && left > 0; step(it.get()), --left) {
    t.stats->Done(1, it->key().size() + it->value().size());
  }
  Ok(t, it->status());
}

}  // namespace

void ReadRandom(const ThreadContext& t) { Read(t, ""); }
void ReadMissing(const ThreadContext& t) { Read(t, "."); }

void MultiReadRandom(const ThreadContext& t) {
  const Settings& s = *t.settings;
  const ReadOptions options = ReadOptionsOf(s);
  const auto n = static_cast<size_t>(s.batch_size);
  NumberedKey key(s.key_size);
  KeyChooser choose(t);
  std::vector<std::string> space(n);
  std::vector<Slice> keys(n);
  std::vector<PinnableSlice> values(n);
  std::vector<Status> statuses(n);
  // The last batch is a whole one, too.
  Quota quota(t, (s.reads_or_num() + n - 1) / n * n);
  while (quota.Take(n) != 0) {
    Limit(s.read_limiter.get(), n);
    const uint64_t first = choose.Next();
    for (size_t k = 0; k < n; ++k) {
      const uint64_t chosen = k == 0 ? first
                              : s.multiread_stride > 0
                                  ? (first + k * s.multiread_stride) % s.num
                                  : choose.Next();
      const Slice number = key.Make(chosen);
      space[k].assign(number.data(), number.size());
      keys[k] = space[k];
    }
    if (s.multiread_batched) {
      t.db->MultiGet(options, t.db->DefaultColumnFamily(), n, keys.data(),
                     values.data(), statuses.data());
    } else {
      ReadOneByOne(t, options, keys, values.data(), statuses.data());
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
  ReadOptions options = ReadOptionsOf(s);
  NumberedKey bound_key(s.key_size);
  std::string bound;
  Slice bound_slice;
  NumberedKey key(s.key_size);
  Random random(SeedOf(t));
  Quota quota(t, s.reads_or_num());
  while (quota.Take(1) != 0) {
    Limit(s.read_limiter.get(), 1);
    const uint64_t number = random.Uniform(s.num);
    if (s.max_scan_distance > 0) {
      // Bounds in the direction of the reads, as in RocksDB.
      const uint64_t distance = s.max_scan_distance;
      bound = bound_key
                  .Make(s.reverse_iterator ? number - std::min(number, distance)
                                           : number + distance)
                  .ToString();
      bound_slice = bound;
      (s.reverse_iterator ? options.iterate_lower_bound
                          : options.iterate_upper_bound) = &bound_slice;
    }
    const Slice wanted = key.Make(number);
    const std::unique_ptr<Iterator> it(t.db->NewIterator(options));
    it->Seek(wanted);
    if (it->Valid() && it->key() == wanted) t.stats->Found();
    uint64_t bytes = 0;
    for (uint64_t left = s.seek_nexts; it->Valid(); --left) {
      bytes += it->key().size() + it->value().size();
      if (left == 0) break;
      s.reverse_iterator ? it->Prev() : it->Next();
    }
    if (!Ok(t, it->status())) return;
    t.stats->Done(1, bytes);
  }
}

void NewIterators(const ThreadContext& t) {
  const ReadOptions options = ReadOptionsOf(*t.settings);
  Quota quota(t, t.settings->reads_or_num());
  while (quota.Take(1) != 0) {
    const std::unique_ptr<Iterator> it(t.db->NewIterator(options));
    if (!Ok(t, it->status())) return;
    t.stats->Done(1, 0);
  }
}

void ReadToCache(const ThreadContext& t) {
  const std::unique_ptr<Iterator> it(
      t.db->NewIterator(ReadOptionsOf(*t.settings)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    t.stats->Done(1, it->key().size() + it->value().size());
  }
  Ok(t, it->status());
}

void ApproximateSizeRandom(const ThreadContext& t) {
  const Settings& s = *t.settings;
  NumberedKey key(s.key_size);
  NumberedKey other(s.key_size);
  Random random(SeedOf(t));
  Quota quota(t, s.reads_or_num());
  while (quota.Take(1) != 0) {
    const uint64_t a = random.Uniform(s.num);
    const uint64_t b = random.Uniform(s.num);
    const Range range(key.Make(std::min(a, b)), other.Make(std::max(a, b)));
    uint64_t size = 0;
    if (!Ok(t, t.db->GetApproximateSizes(&range, 1, &size))) return;
    t.stats->Done(1, 0);
  }
}

void ReadWhileWriting(const ThreadContext& t) {
  IsReader(t) ? ReadRandom(t) : WriteUntilOthersDone(t);
}

void ReadWhileMerging(const ThreadContext& t) {
  IsReader(t) ? ReadRandom(t) : MergeUntilOthersDone(t);
}

void ReadWhileScanning(const ThreadContext& t) {
  if (IsReader(t)) return ReadRandom(t);
  const ReadOptions options = ReadOptionsOf(*t.settings);
  while (OthersWork(t)) {
    const std::unique_ptr<Iterator> it(t.db->NewIterator(options));
    for (it->SeekToFirst(); it->Valid() && OthersWork(t); it->Next()) {
      t.stats->Done(1, it->key().size() + it->value().size());
    }
    if (!Ok(t, it->status())) return;
  }
}

void MultiReadWhileWriting(const ThreadContext& t) {
  IsReader(t) ? MultiReadRandom(t) : WriteUntilOthersDone(t);
}

void NewIteratorWhileWriting(const ThreadContext& t) {
  IsReader(t) ? NewIterators(t) : WriteUntilOthersDone(t);
}

void SeekRandomWhileWriting(const ThreadContext& t) {
  IsReader(t) ? SeekRandom(t) : WriteUntilOthersDone(t);
}

void SeekRandomWhileMerging(const ThreadContext& t) {
  IsReader(t) ? SeekRandom(t) : MergeUntilOthersDone(t);
}

void ReadRandomWriteRandom(const ThreadContext& t) {
  const Settings& s = *t.settings;
  const ReadOptions read = ReadOptionsOf(s);
  const WriteOptions write{.sync = s.sync, .disableWAL = s.disable_wal};
  NumberedKey key(s.key_size);
  ValuePool values(static_cast<size_t>(s.value_size), SeedOf(t),
                   s.compression_ratio);
  Random random(SeedOf(t));
  PinnableSlice value;
  Quota quota(t, s.reads_or_num());
  while (quota.Take(1) != 0) {
    const Slice wanted = key.Make(random.Uniform(s.num));
    if (random.Uniform(100) < s.read_percent) {
      if (!ReadOne(t, read, wanted, &value)) return;
    } else {
      const Slice written = values.Next();
      Limit(s.write_limiter.get(), wanted.size() + written.size());
      if (!Ok(t, t.db->Put(write, wanted, written))) return;
      t.stats->Done(1, wanted.size() + written.size());
    }
  }
}

}  // namespace tamis::bench
