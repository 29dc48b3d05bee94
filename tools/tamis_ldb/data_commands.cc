// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/data_commands.h"

#include <functional>
#include <memory>
#include <utility>

#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

int SayOk(const Status& status) {
  if (!status.ok()) return Failed(status);
  Print("OK\n");
  return kExitRight;
}

// One change, made of the words: a key, and where `with_value` a value or else
// a second key.
enum class Second { kNone, kKey, kValue };
int Change(
    Access access, const Call& call, Second second,
    const std::function<Status(DB*, const Slice&, const Slice&)>& write) {
  const auto key = ParseKey(call.words[0]);
  if (!key.ok()) return Misused(key.status().message());
  Result<std::string> other = std::string();
  if (second == Second::kKey) other = ParseKey(call.words[1]);
  if (second == Second::kValue) other = ParseValue(call.words[1]);
  if (!other.ok()) return Misused(other.status().message());
  return WithDatabase(access,
                      [&](DB* db) { return SayOk(write(db, *key, *other)); });
}

// Calls show(key, value) for what --from, --to and --max_keys ask for.
int Walk(const std::function<void(const Slice&, const Slice&)>& show) {
  const auto range = RangeFromFlags();
  if (!range.ok()) return Misused(range.status().message());
  return WithDatabase(Access::kRead, [&](DB* db) {
    ReadOptions options;
    Slice upper;
    if (range->to) {
      upper = *range->to;
      options.iterate_upper_bound = &upper;
    }
    const std::unique_ptr<Iterator> it(db->NewIterator(options));
    int64_t left = FLAGS_max_keys;
    if (range->from) {
      it->Seek(*range->from);
    } else {
      it->SeekToFirst();
    }
    for (; it->Valid() && left != 0; it->Next()) {
      show(it->key(), it->value());
      if (left > 0) --left;
    }
    return it->status().ok() ? kExitRight : Failed(it->status());
  });
}

}  // namespace

int Get(const Call& call) {
  const auto key = ParseKey(call.words[0]);
  if (!key.ok()) return Misused(key.status().message());
  return WithDatabase(Access::kRead, [&](DB* db) {
    std::string value;
    const Status status = db->Get(ReadOptions(), *key, &value);
    if (!status.ok()) return Failed(status);
    Print(ShowValue(value) + "\n");
    return int{kExitRight};
  });
}

int Put(const Call& call) {
  return Change(Access::kCreate, call, Second::kValue,
                [](DB* db, const Slice& key, const Slice& value) {
                  return db->Put(WriteOptions(), key, value);
                });
}

int Delete(const Call& call) {
  return Change(Access::kWrite, call, Second::kNone,
                [](DB* db, const Slice& key, const Slice&) {
                  return db->Delete(WriteOptions(), key);
                });
}

int SingleDelete(const Call& call) {
  return Change(Access::kWrite, call, Second::kNone,
                [](DB* db, const Slice& key, const Slice&) {
                  return db->SingleDelete(WriteOptions(), key);
                });
}

int DeleteRange(const Call& call) {
  return Change(Access::kWrite, call, Second::kKey,
                [](DB* db, const Slice& begin, const Slice& end) {
                  return db->DeleteRange(WriteOptions(), begin, end);
                });
}

int Merge(const Call& call) {
  return Change(Access::kWrite, call, Second::kValue,
                [](DB* db, const Slice& key, const Slice& operand) {
                  return db->Merge(WriteOptions(), key, operand);
                });
}

int BatchPut(const Call& call) {
  if (call.words.size() % 2 != 0) {
    return Misused("batchput takes keys and values in pairs");
  }
  std::vector<std::pair<std::string, std::string>> pairs;
  for (size_t i = 0; i < call.words.size(); i += 2) {
    auto key = ParseKey(call.words[i]);
    if (!key.ok()) return Misused(key.status().message());
    auto value = ParseValue(call.words[i + 1]);
    if (!value.ok()) return Misused(value.status().message());
    pairs.emplace_back(std::move(key).value(), std::move(value).value());
  }
  return WithDatabase(Access::kCreate, [&pairs](DB* db) {
    WriteBatch batch;
    for (const auto& [key, value] : pairs) {
      const Status status = batch.Put(key, value);
      if (!status.ok()) return Failed(status);
    }
    return SayOk(db->Write(WriteOptions(), &batch));
  });
}

int Scan(const Call&) {
  return Walk([](const Slice& key, const Slice& value) {
    Print(ShowKey(key) + (FLAGS_no_value ? "" : " : " + ShowValue(value)) +
          "\n");
  });
}

int Dump(const Call&) {
  uint64_t keys = 0;
  const int code = Walk([&keys](const Slice& key, const Slice& value) {
    ++keys;
    if (!FLAGS_count_only) {
      Print(ShowKey(key) + " ==> " + ShowValue(value) + "\n");
    }
  });
  if (code == kExitRight) {
    Print("Keys in range: " + std::to_string(keys) + "\n");
  }
  return code;
}

int Compact(const Call&) {
  const auto range = RangeFromFlags();
  if (!range.ok()) return Misused(range.status().message());
  return WithDatabase(Access::kWrite, [&](DB* db) {
    const Slice from = range->from ? Slice(*range->from) : Slice();
    const Slice to = range->to ? Slice(*range->to) : Slice();
    const Status status =
        db->CompactRange(CompactRangeOptions(), range->from ? &from : nullptr,
                         range->to ? &to : nullptr);
    return status.ok() ? kExitRight : Failed(status);
  });
}

int CheckConsistency(const Call&) {
  return WithDatabase(Access::kRead, [](DB*) { return SayOk(Status::OK()); });
}

}  // namespace tamis
