// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/update_benchmarks.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tamis/snapshot.h"

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/bench_thread.h"
#include "tools/tamis_db_bench/read_benchmarks.h"

namespace tamis::bench {

namespace {

WriteOptions WriteOptionsOf(const Settings& s) {
  return {.sync = s.sync, .disableWAL = s.disable_wal};
}

// Replaces values: combine(old, fresh) changes the old value in place; it is
// empty if the key is absent.
template <typename Combine>
void Update(const ThreadContext& t, Combine&& combine) {
  const Settings& s = *t.settings;
  const ReadOptions read = ReadOptionsOf(s);
  const WriteOptions write = WriteOptionsOf(s);
  NumberedKey keys(s.key_size);
  KeyChooser choose(t);
  ValuePool values(static_cast<size_t>(s.value_size), SeedOf(t),
                   s.compression_ratio);
  std::string value;
  Quota quota(t, s.reads_or_num());
  while (quota.Take(1) != 0) {
    const Slice key = keys.Make(choose.Next());
    const Status status = t.db->Get(read, key, &value);
    uint64_t bytes = 0;
    if (status.IsNotFound()) {
      value.clear();
    } else {
      if (!Ok(t, status)) return;
      t.stats->Found();
      bytes = key.size() + value.size();
    }
    combine(&value, values.Next());
    Limit(s.write_limiter.get(), key.size() + value.size());
    if (!Ok(t, t.db->Put(write, key, value))) return;
    t.stats->Done(1, bytes + key.size() + value.size());
  }
}

// The three keys of a number, with their values.
class Triple {
 public:
  explicit Triple(const ThreadContext& t)
      : t_(t), keys_(t.settings->key_size) {}

  bool Put(uint64_t number, const Slice& value) {
    return Write(number, [&](WriteBatch* batch, const std::string& key) {
      return batch->Put(key, value);
    });
  }
  bool Delete(uint64_t number) {
    return Write(number, [](WriteBatch* batch, const std::string& key) {
      return batch->Delete(key);
    });
  }
  // Sets *found to whether the keys exist. Returns false after an error, as
  // which different values count.
  bool Get(uint64_t number, bool* found) {
    const ManagedSnapshot snapshot(t_.db);
    ReadOptions options = ReadOptionsOf(*t_.settings);
    options.snapshot = snapshot.snapshot();
    std::string first;
    for (size_t i = 0; i < kSuffixes.size(); ++i) {
      std::string value;
      const Status status = t_.db->Get(options, Key(number, i), &value);
      if (!status.IsNotFound() && !Ok(t_, status)) return false;
      // A value is never empty.
      if (i == 0) first = value;
      if (value != first) {
        t_.stats->Fail("the keys of number " + std::to_string(number) +
                       " have different values in one snapshot");
        return false;
      }
    }
    *found = !first.empty();
    return true;
  }

 private:
  static constexpr std::string_view kSuffixes = "012";

  std::string Key(uint64_t number, size_t i) {
    return keys_.Make(number).ToString() + kSuffixes[i];
  }
  template <typename Add>
  bool Write(uint64_t number, Add&& add) {
    WriteBatch batch;
    for (size_t i = 0; i < kSuffixes.size(); ++i) {
      if (!Ok(t_, add(&batch, Key(number, i)))) return false;
    }
    return Ok(t_, t_.db->Write(WriteOptionsOf(*t_.settings), &batch));
  }

  const ThreadContext& t_;
  NumberedKey keys_;
};

}  // namespace

void UpdateRandom(const ThreadContext& t) {
  Update(t, [](std::string* value, std::string_view fresh) { *value = fresh; });
}

void XorUpdateRandom(const ThreadContext& t) {
  Update(t, [](std::string* value, std::string_view fresh) {
    value->resize(std::max(value->size(), fresh.size()), '\0');
    for (size_t i = 0; i < fresh.size(); ++i) {
      (*value)[i] = static_cast<char>((*value)[i] ^ fresh[i]);
    }
  });
}

void AppendRandom(const ThreadContext& t) {
  Update(t,
         [](std::string* value, std::string_view fresh) { *value += fresh; });
}

void RandomReplaceKeys(const ThreadContext& t) {
  constexpr uint64_t kVersions = 50;
  const Settings& s = *t.settings;
  const WriteOptions write = WriteOptionsOf(s);
  NumberedKey keys(s.key_size);
  ValuePool values(static_cast<size_t>(s.value_size), SeedOf(t),
                   s.compression_ratio);
  std::vector<uint64_t> versions(s.distinct_keys);
  const uint64_t mine = static_cast<uint64_t>(t.index) * s.distinct_keys;
  const auto key = [&](uint64_t i) {
    return keys.Make((mine + i) * kVersions + versions[i] % kVersions);
  };
  for (uint64_t i = 0; i < s.distinct_keys; ++i) {
    if (!Ok(t, t.db->Put(write, key(i), values.Next()))) return;
  }
  // Engine and distribution of the standard library are enough here: which keys
  // are chosen need not be equal elsewhere.
  std::mt19937_64 engine(SeedOf(t));
  const double middle = static_cast<double>(s.distinct_keys) / 2;
  std::normal_distribution<double> choose(middle, s.stddev);
  t.stats->Start();  // without the preparation
  Quota quota(t, s.writes_or_num());
  while (quota.Take(1) != 0) {
    const double last = static_cast<double>(s.distinct_keys - 1);
    const auto i = static_cast<uint64_t>(std::clamp(choose(engine), 0.0, last));
    const Slice old = key(i);
    if (!Ok(t, s.single_deletes ? t.db->SingleDelete(write, old)
                                : t.db->Delete(write, old))) {
      return;
    }
    ++versions[i];
    const Slice value = values.Next();
    if (!Ok(t, t.db->Put(write, key(i), value))) return;
    t.stats->Done(1, static_cast<uint64_t>(s.key_size) + value.size());
  }
}

void RandomWithVerify(const ThreadContext& t) {
  const Settings& s = *t.settings;
  ValuePool values(static_cast<size_t>(s.value_size), SeedOf(t),
                   s.compression_ratio);
  Random random(SeedOf(t));
  Triple triple(t);
  uint64_t gets = 0;
  uint64_t deletes = 0;
  uint64_t puts = 0;
  Quota quota(t, s.reads_or_num());
  while (quota.Take(1) != 0) {
    const uint64_t number = random.Uniform(s.distinct_keys);
    const uint64_t draw = random.Uniform(100);
    if (draw < s.read_percent) {
      ++gets;
      bool found = false;
      if (!triple.Get(number, &found)) return;
      if (found) t.stats->Found();
    } else if (draw < s.read_percent + s.delete_percent) {
      ++deletes;
      if (!triple.Delete(number)) return;
    } else {
      ++puts;
      if (!triple.Put(number, values.Next())) return;
    }
    t.stats->Done(1, 0);
  }
  t.stats->Message("thread " + std::to_string(t.index) + ": " +
                   std::to_string(gets) + " reads, " + std::to_string(puts) +
                   " writes, " + std::to_string(deletes) +
                   " deletions, of three keys each\n");
}

}  // namespace tamis::bench
