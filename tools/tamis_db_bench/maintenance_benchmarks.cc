// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/maintenance_benchmarks.h"

#include <memory>
#include <string>
#include <vector>

#include "tamis/utilities/backup_engine.h"

#include "tools/tamis_db_bench/bench_thread.h"
#include "util/coding/printable.h"

namespace tamis::bench {

namespace {

// Counts one operation, unless it failed.
void Did(const ThreadContext& t, const Status& status) {
  if (Ok(t, status)) t.stats->Done(1, 0);
}

Status CompactLevel(DB* db, size_t level) {
  ColumnFamilyMetaData family;
  db->GetColumnFamilyMetaData(&family);
  if (level + 1 >= family.levels.size()) return Status::OK();
  std::vector<std::string> names;
  for (const SstFileMetaData& file : family.levels[level].files) {
    names.push_back(file.name);
  }
  if (names.empty()) return Status::OK();
  return db->CompactFiles(CompactionOptions(), names,
                          static_cast<int>(level) + 1);
}

std::string BackupDirOf(const ThreadContext& t) {
  const std::string& given = t.settings->backup_dir;
  return given.empty() ? *t.directory + "_backup" : given;
}

// Returns what is wrong with the entry of `found` at the place of `truth`'s; ""
// if nothing is.
std::string Difference(const Iterator& truth, const Iterator& found) {
  if (!truth.Valid() && !found.Valid()) return "";
  const Iterator& there = truth.Valid() ? truth : found;
  const std::string key = Printable(there.key());
  if (!found.Valid()) return "key " + key + " is missing";
  if (!truth.Valid()) return "key " + key + " should not be there";
  if (truth.key() != found.key()) {
    return "key " + Printable(found.key()) + " is where " + key + " should be";
  }
  if (truth.value() != found.value())
    return "key " + key + " has another value";
  return "";
}

}  // namespace

void Flush(const ThreadContext& t) { Did(t, t.db->Flush(FlushOptions())); }

void Compact(const ThreadContext& t) {
  Did(t, t.db->CompactRange(CompactRangeOptions(), nullptr, nullptr));
}

void CompactLevel0(const ThreadContext& t) { Did(t, CompactLevel(t.db, 0)); }
void CompactLevel1(const ThreadContext& t) { Did(t, CompactLevel(t.db, 1)); }

void WaitForCompaction(const ThreadContext& t) {
  Did(t, t.db->WaitForCompact(WaitForCompactOptions()));
}

void VerifyChecksums(const ThreadContext& t) { Did(t, t.db->VerifyChecksum()); }

void VerifyFileChecksums(const ThreadContext& t) {
  Did(t, t.db->VerifyFileChecksums(ReadOptions()));
}

void ResetStats(const ThreadContext& t) { Did(t, t.db->ResetStats()); }

void Backup(const ThreadContext& t) {
  std::unique_ptr<BackupEngine> engine;
  if (!Ok(t, BackupEngine::Open(BackupEngineOptions(BackupDirOf(t)), nullptr,
                                &engine))) {
    return;
  }
  BackupID id = 0;
  if (!Ok(t, engine->CreateNewBackup(CreateBackupOptions(), t.db, &id))) return;
  Did(t, engine->VerifyBackup(id));
}

void Restore(const ThreadContext& t) {
  const std::string& given = t.settings->restore_dir;
  const std::string to = given.empty() ? *t.directory + "_restored" : given;
  std::unique_ptr<BackupEngine> engine;
  if (Ok(t, BackupEngine::Open(BackupEngineOptions(BackupDirOf(t)), nullptr,
                               &engine))) {
    Did(t, engine->RestoreDBFromLatestBackup(RestoreOptions(), to, to));
  }
}

void Verify(const ThreadContext& t) {
  const std::string& directory = t.settings->truth_db;
  if (directory.empty()) {
    t.stats->Fail("verify: --truth_db names the database to compare with");
    return;
  }
  std::unique_ptr<DB> truth;
  if (!Ok(t, DB::OpenForReadOnly(t.db->GetOptions(), directory, &truth))) {
    return;
  }
  const std::unique_ptr<Iterator> right(truth->NewIterator(ReadOptions()));
  const std::unique_ptr<Iterator> found(t.db->NewIterator(ReadOptions()));
  std::string value;
  right->SeekToFirst();
  found->SeekToFirst();
  for (;; right->Next(), found->Next()) {
    if (!Ok(t, right->status()) || !Ok(t, found->status())) return;
    const std::string difference = Difference(*right, *found);
    if (!difference.empty()) return t.stats->Fail("verify: " + difference);
    if (!right->Valid()) return;
    if (!Ok(t, t.db->Get(ReadOptions(), right->key(), &value))) return;
    if (right->value() != Slice(value)) {
      return t.stats->Fail("verify: a Get of key " + Printable(right->key()) +
                           " has another value");
    }
    t.stats->Done(1, right->key().size() + value.size());
  }
}

}  // namespace tamis::bench
