// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/database.h"

#include <algorithm>
#include <vector>

#include "tamis/utilities/merge_operators.h"

#include "tests/crash/forgetful_file_system.h"
#include "util/check.h"
#include "util/fake_clock.h"

namespace tamis::crash {

namespace {

using model::Change;
using model::ChangeKind;
using model::Shown;
using model::State;

constexpr char kDirectory[] = "/db";

Status AddTo(WriteBatch* batch, const Change& change) {
  switch (change.kind) {
    case ChangeKind::kPut:
      return batch->Put(change.key, change.value);
    case ChangeKind::kDelete:
      return batch->Delete(change.key);
    case ChangeKind::kSingleDelete:
      return batch->SingleDelete(change.key);
    case ChangeKind::kMerge:
      return batch->Merge(change.key, change.value);
    case ChangeKind::kDeleteRange:
      return batch->DeleteRange(change.key, change.value);
  }
  return Status::InvalidArgument("no such change");
}

std::shared_ptr<TableFactory> MakeTables(bool partitions) {
  BlockBasedTableOptions options;
  options.block_size = 512;
  options.metadata_block_size = 128;
  options.no_block_cache = true;
  options.filter_policy.reset(NewBloomFilterPolicy(10, false));
  if (partitions) {
    options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    options.partition_filters = true;
  }
  return std::shared_ptr<TableFactory>(NewBlockBasedTableFactory(options));
}

uint64_t Setting(const Script& script, const char* name, uint64_t otherwise) {
  const auto at = script.settings.find(name);
  return at != script.settings.end() ? at->second : otherwise;
}

}  // namespace

Database::Database(const Script& script, uint64_t seed)
    : script_(script),
      fs_(NewMemoryFileSystem()),
      clock_(std::make_shared<FakeClock>()),
      runner_(NewDeterministicJobRunner(seed)),
      tables_(MakeTables(Setting(script, "partitions", 0) != 0)),
      merge_(MergeOperators::CreateStringAppendOperator(",")) {}

Options Database::MakeOptions() const {
  const auto get = [this](const char* name, uint64_t otherwise) {
    return Setting(script_, name, otherwise);
  };
  Options o;
  o.file_system = std::make_shared<ForgetfulFileSystem>(
      fs_, Forgotten{static_cast<uint8_t>(get("forget", 0))});
  o.clock = clock_;
  o.job_runner = runner_;
  o.table_factory = tables_;
  o.merge_operator = merge_;
  o.compression = kNoCompression;
  o.write_buffer_size = get("write_buffer", 1 << 20);
  o.max_write_buffer_number = static_cast<int>(get("memtables", 2));
  o.level0_file_num_compaction_trigger = static_cast<int>(get("trigger", 4));
  o.max_bytes_for_level_base = get("level_base", 1 << 20);
  o.max_bytes_for_level_multiplier = static_cast<double>(get("multiplier", 10));
  o.target_file_size_base = get("file_size", 1 << 20);
  o.max_log_file_size = get("event_log", 1 << 20);
  o.keep_log_file_num = 2;
  return o;
}

bool Database::Stopped() {
  uint64_t errors = 0;
  return !db_->GetIntProperty(DB::Properties::kBackgroundErrors, &errors) ||
         errors != 0;
}

Status Database::Open(bool create_if_missing) {
  Options options = MakeOptions();
  options.create_if_missing = create_if_missing;
  return DB::Open(options, kDirectory, &db_);
}

Status Database::Close() {
  const Status status = db_->Close();
  Drop();
  return status;
}

void Database::Drop() {
  db_.reset();
  TAMIS_CHECK(runner_->pending() == 0 && "jobs outlive their database");
}

Status Database::Write(const model::Changes& changes, bool sync) {
  WriteBatch batch;
  for (const Change& change : changes) {
    const Status status = AddTo(&batch, change);
    TAMIS_CHECK(status.ok());
  }
  WriteOptions options;
  options.sync = sync;
  return db_->Write(options, &batch);
}

Status Database::Flush(bool wait) {
  FlushOptions options;
  options.wait = wait;
  return db_->Flush(options);
}

Status Database::Compact(bool force) {
  CompactRangeOptions options;
  if (force) {
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  }
  return db_->CompactRange(options, nullptr, nullptr);
}

void Database::RunJobs(uint64_t count) {
  for (uint64_t i = 0; i < count && runner_->RunOne(); ++i) {
  }
}

std::string Database::Read(const std::set<std::string>& keys, State* state,
                           Status* status) {
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (!state->emplace(it->key().ToString(), it->value().ToString()).second) {
      return "a walk shows key " + Shown(it->key().ToString()) + " twice";
    }
  }
  *status = it->status();
  if (!status->ok()) return "";
  auto expected = state->crbegin();
  for (it->SeekToLast(); it->Valid(); it->Prev(), ++expected) {
    if (expected == state->crend() || it->key() != Slice(expected->first) ||
        it->value() != Slice(expected->second)) {
      return "a walk backward shows " + Shown(it->key().ToString());
    }
  }
  *status = it->status();
  if (!status->ok()) return "";
  if (expected != state->crend()) {
    return "a walk backward lacks " + Shown(expected->first);
  }
  for (const std::string& key : keys) {
    const auto at = state->find(key);
    std::string got;
    const Status read = db_->Get(ReadOptions(), key, &got);
    const bool right =
        at == state->end() ? read.IsNotFound() : read.ok() && got == at->second;
    if (right) continue;
    if (!read.ok() && !read.IsNotFound()) {
      *status = read;
      return "";
    }
    return "Get(" + Shown(key) + ") is not what a walk shows";
  }
  return "";
}

std::string Database::CheckTables() {
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  std::vector<std::string> expected;
  for (size_t i = 0; i < live.size(); ++i) {
    const LiveFileMetaData& file = live[i];
    expected.push_back(file.name.substr(1));
    uint64_t size = 0;
    const Status status = fs_->GetFileSize(kDirectory + file.name, &size);
    if (!status.ok() || size != file.size) {
      return file.name + " is not what the MANIFEST says: " + status.ToString();
    }
    for (size_t j = 0; j < i; ++j) {
      if (live[j].level == file.level && file.level > 0 &&
          live[j].smallestkey < file.largestkey &&
          file.smallestkey < live[j].largestkey) {
        return file.name + " overlaps " + live[j].name;
      }
    }
  }
  std::vector<std::string> names;
  const Status status = fs_->GetChildren(kDirectory, &names);
  if (!status.ok()) return "GetChildren: " + status.ToString();
  std::erase_if(
      names, [](const std::string& name) { return !name.ends_with(".sst"); });
  std::sort(expected.begin(), expected.end());
  std::sort(names.begin(), names.end());
  if (names == expected) return "";
  std::string problem = "tables on disk:";
  for (const std::string& name : names) problem += " " + name;
  problem += "; live:";
  for (const std::string& name : expected) problem += " " + name;
  return problem;
}

}  // namespace tamis::crash
