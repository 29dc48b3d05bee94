// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/read_benchmarks.h"

#include <memory>
#include <string>
#include <vector>

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/bench_thread.h"
#include "tools/tamis_db_bench/write_benchmarks.h"
#include "util/base/random.h"

namespace tamis::bench {

namespace {

ReadOptions ReadOptionsOf(const Settings& s) {
  ReadOptions options;
  options.verify_checksums = s.verify_checksums;
  options.readahead_size = s.readahead_size;
  options.async_io = s.async_io;
  return options;
}

// Reads the key and counts it. Returns false after an error.
bool ReadOne(const ThreadContext& t, const ReadOptions& options,
             const Slice& key, PinnableSlice* value) {
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

void Read(const ThreadContext& t, const char* suffix) {
  const Settings& s = *t.settings;
  const ReadOptions options = ReadOptionsOf(s);
  NumberedKey key(s.key_size);
  Random random(SeedOf(t));
  PinnableSlice value;
  std::string wanted;
  Quota quota(s, s.reads_or_num());
  while (quota.Take(1) != 0) {
    const Slice number = key.Make(random.Uniform(s.num));
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
  Random random(SeedOf(t));
  std::vector<std::string> space(n);
  std::vector<Slice> keys(n);
  std::vector<PinnableSlice> values(n);
  std::vector<Status> statuses(n);
  // The last batch is a whole one, too.
  Quota quota(s, (s.reads_or_num() + n - 1) / n * n);
  while (quota.Take(n) != 0) {
    for (size_t k = 0; k < n; ++k) {
      const Slice number = key.Make(random.Uniform(s.num));
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
  const ReadOptions options = ReadOptionsOf(s);
  NumberedKey key(s.key_size);
  Random random(SeedOf(t));
  Quota quota(s, s.reads_or_num());
  while (quota.Take(1) != 0) {
    const Slice wanted = key.Make(random.Uniform(s.num));
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
  Quota quota(*t.settings, t.settings->reads_or_num());
  while (quota.Take(1) != 0) {
    const std::unique_ptr<Iterator> it(t.db->NewIterator(options));
    if (!Ok(t, it->status())) return;
    t.stats->Done(1, 0);
  }
}

void ReadWhileWriting(const ThreadContext& t) {
  t.index < t.settings->threads ? ReadRandom(t) : WriteUntilOthersDone(t);
}

void SeekRandomWhileWriting(const ThreadContext& t) {
  t.index < t.settings->threads ? SeekRandom(t) : WriteUntilOthersDone(t);
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
  Quota quota(s, s.reads_or_num());
  while (quota.Take(1) != 0) {
    const Slice wanted = key.Make(random.Uniform(s.num));
    if (random.Uniform(100) < s.read_percent) {
      if (!ReadOne(t, read, wanted, &value)) return;
    } else {
      const Slice written = values.Next();
      if (!Ok(t, t.db->Put(write, wanted, written))) return;
      t.stats->Done(1, wanted.size() + written.size());
    }
  }
}

}  // namespace tamis::bench
