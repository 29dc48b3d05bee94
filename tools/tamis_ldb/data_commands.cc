// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/data_commands.h"

#include <functional>
#include <memory>
#include <utility>

#include "tamis/utilities/checkpoint.h"

#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tamis_ldb/words.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

int SayOk(const Status& status) {
  if (!status.ok()) return Failed(status);
  Print("OK\n");
  return kExitRight;
}

using Writer =
    std::function<Status(DB*, ColumnFamilyHandle*, const Slice&, const Slice&)>;

// Applies a change made of the arguments: a key and, depending on `second`, a
// value or a second key.
enum class Second { kNone, kKey, kValue };
int Change(Access access, const Call& call, Second second,
           const Writer& write) {
  const auto key = ParseKey(call.words[0]);
  if (!key.ok()) return Misused(key.status().message());
  Result<std::string> other = std::string();
  if (second == Second::kKey) other = ParseKey(call.words[1]);
  if (second == Second::kValue) other = ParseValue(call.words[1]);
  if (!other.ok()) return Misused(other.status().message());
  return WithDatabase(access, [&](DB* db, ColumnFamilyHandle* family) {
    return SayOk(write(db, family, *key, *other));
  });
}

// Calls show(key, value) for the range given by --from, --to and --max_keys.
int ScanRange(const std::function<void(const Slice&, const Slice&)>& show) {
  const auto range = RangeFromFlags();
  if (!range.ok()) return Misused(range.status().message());
  return WithDatabase(Access::kRead, [&](DB* db, ColumnFamilyHandle* family) {
    ReadOptions options;
    Slice upper;
    if (range->to) {
      upper = *range->to;
      options.iterate_upper_bound = &upper;
    }
    const std::unique_ptr<Iterator> it(db->NewIterator(options, family));
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
  return WithDatabase(Access::kRead, [&](DB* db, ColumnFamilyHandle* family) {
    std::string value;
    const Status status = db->Get(ReadOptions(), family, *key, &value);
    if (!status.ok()) return Failed(status);
    Print(ShowValue(value) + "\n");
    return int{kExitRight};
  });
}

int Put(const Call& call) {
  return Change(Access::kCreate, call, Second::kValue,
                [](DB* db, ColumnFamilyHandle* family, const Slice& key,
                   const Slice& value) {
                  return db->Put(WriteOptions(), family, key, value);
                });
}

int Delete(const Call& call) {
  return Change(
      Access::kWrite, call, Second::kNone,
      [](DB* db, ColumnFamilyHandle* family, const Slice& key, const Slice&) {
        return db->Delete(WriteOptions(), family, key);
      });
}

int SingleDelete(const Call& call) {
  return Change(
      Access::kWrite, call, Second::kNone,
      [](DB* db, ColumnFamilyHandle* family, const Slice& key, const Slice&) {
        return db->SingleDelete(WriteOptions(), family, key);
      });
}

int DeleteRange(const Call& call) {
  return Change(Access::kWrite, call, Second::kKey,
                [](DB* db, ColumnFamilyHandle* family, const Slice& begin,
                   const Slice& end) {
                  return db->DeleteRange(WriteOptions(), family, begin, end);
                });
}

int Merge(const Call& call) {
  return Change(Access::kWrite, call, Second::kValue,
                [](DB* db, ColumnFamilyHandle* family, const Slice& key,
                   const Slice& operand) {
                  return db->Merge(WriteOptions(), family, key, operand);
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
  return WithDatabase(Access::kCreate,
                      [&pairs](DB* db, ColumnFamilyHandle* family) {
                        WriteBatch batch;
                        for (const auto& [key, value] : pairs) {
                          const Status status = batch.Put(family, key, value);
                          if (!status.ok()) return Failed(status);
                        }
                        return SayOk(db->Write(WriteOptions(), &batch));
                      });
}

int Scan(const Call&) {
  return ScanRange([](const Slice& key, const Slice& value) {
    Print(ShowKey(key) + (FLAGS_no_value ? "" : " : " + ShowValue(value)) +
          "\n");
  });
}

int Dump(const Call&) {
  uint64_t keys = 0;
  const int code = ScanRange([&keys](const Slice& key, const Slice& value) {
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

int CreateColumnFamily(const Call& call) {
  return WithDatabase(Access::kWrite, [&](DB* db, ColumnFamilyHandle*) {
    ColumnFamilyHandle* created = nullptr;
    const auto options = FamilyOptions("");
    if (!options.ok()) return Failed(options.status());
    const Status status =
        db->CreateColumnFamily(*options, call.words[0], &created);
    delete created;
    return SayOk(status);
  });
}

int DropColumnFamily(const Call& call) {
  FLAGS_column_family = call.words[0];
  return WithDatabase(Access::kWrite, [](DB* db, ColumnFamilyHandle* family) {
    return SayOk(db->DropColumnFamily(family));
  });
}

int MakeCheckpoint(const Call&) {
  return WithDatabase(Access::kWrite, [](DB* db, ColumnFamilyHandle*) {
    std::unique_ptr<Checkpoint> checkpoint;
    const Status status = Checkpoint::Create(db, &checkpoint);
    if (!status.ok()) return Failed(status);
    return SayOk(checkpoint->CreateCheckpoint(FLAGS_checkpoint_dir));
  });
}

int CheckConsistency(const Call&) {
  return WithDatabase(Access::kRead, [](DB*, ColumnFamilyHandle*) {
    return SayOk(Status::OK());
  });
}

}  // namespace tamis
