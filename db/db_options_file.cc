// SPDX-License-Identifier: Apache-2.0
//
// The database's OPTIONS file follows its options and families: Open,
// CreateColumnFamily, DropColumnFamily, SetOptions and SetDBOptions store it.
// No data depends on it; an open looks for forgotten logs in the wal_dir that
// it names. If it cannot be written, LOG says so, and the call succeeds, as in
// RocksDB; but Open fails if there is a wal_dir to record, or to forget.
#include <set>
#include <string>

#include "db/base/file_names.h"
#include "db/base/lost_files.h"
#include "db/db_impl.h"
#include "db/options/options_file.h"
#include "util/base/exceptions.h"

namespace tamis {

namespace {

// Returns which of the files is the newest OPTIONS file that names the wal_dir
// in use, the only record of where the logs are; empty if there is none.
std::string RecordOfWalDir(const DBContext& context,
                           const std::vector<std::string>& names) {
  std::string record;
  if (context.wal_dir.empty()) return record;
  FileNumber newest = kNoFile;
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || file->type != FileKind::kOptions || name.ends_with("tmp") ||
        file->number < newest) {
      continue;
    }
    const auto text =
        ReadStoredOptions(context.fs(), context.directory + "/" + name);
    if (!text.ok() || SeparateDirectory(context.directory, WalDirOf(*text)) !=
                          context.wal_dir) {
      continue;
    }
    newest = file->number;
    record = name;
  }
  return record;
}

}  // namespace

std::string DBImpl::OptionsText(OptionsOf whose) const {
  std::vector<NamedFamilyOptions> families;
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    families.push_back({family->name(), family->options()});
  }
  DBOptions options = GetDBOptions();
  if (whose == OptionsOf::kCheckpoint) options.wal_dir.clear();
  return PrintOptionsFile(options, families);
}

Result<std::string> DBImpl::RecordedWalDir(const DirectoryListing& listing) {
  MutexLock one_at_a_time(&options_file_mutex_);
  options_files_.Found(listing.names);
  const auto text = options_files_.Newest();
  if (text.ok()) return WalDirOf(*text);
  if (text.status().IsNotFound()) return std::string();
  return text.status();
}

bool DBImpl::OptionsFileIsStale() {
  bool stale = true;
  CatchExceptions([&] {
    MutexLock one_at_a_time(&options_file_mutex_);
    const auto text = options_files_.Newest();
    MutexLock lock(&mutex_);
    std::set<std::string> families;
    for (const ColumnFamilyPtr& family : *versions_.families().view()) {
      families.insert(family->name());
    }
    const std::string recorded =
        SeparateDirectory(context_.directory, text.ok() ? WalDirOf(*text) : "");
    stale = recorded != context_.wal_dir ||
            (text.ok() ? !ListsFamilies(*text, families)
                       : !text.status().IsNotFound());
    return Status::OK();
  }).PermitUncheckedError();
  return stale;
}

// RocksDB's tools load the OPTIONS file by default, and reject the directory if
// its families differ from the MANIFEST's. If the file cannot be replaced after
// such a change, all of them are moved away, except for the record of wal_dir.
void DBImpl::SetAsideOptionsFiles() {
  std::vector<std::string> names;
  if (!context_.fs()->GetChildren(context_.directory, &names).ok()) return;
  const std::string record = RecordOfWalDir(context_, names);
  for (const std::string& name : names) {
    const auto file = ParseFileName(name);
    if (!file || file->type != FileKind::kOptions || name == record) continue;
    MoveToLost(context_, context_.directory, name).PermitUncheckedError();
  }
  options_files_.Forget();
}

Status DBImpl::WriteOptionsFile(OptionsChange change) {
  const bool families = change == OptionsChange::kFamilies;
  // The text is printed in the order of the files.
  MutexLock one_at_a_time(&options_file_mutex_);
  const Status status = CatchExceptions([&] {
    options_file_mutex_.AssertHeld();
    std::string text;
    FileNumber at_least;
    {
      MutexLock lock(&mutex_);
      text = OptionsText();
      at_least = versions_.next_file_number();
    }
    return options_files_.Store(text, at_least, /*sync_directory=*/families);
  });
  if (status.ok()) return status;
  CatchExceptions([&] {
    options_file_mutex_.AssertHeld();
    context_.event_log->Event("options_not_written").Add("status", status);
    if (families) SetAsideOptionsFiles();
    return Status::OK();
  }).PermitUncheckedError();
  return status;
}

// Close waits for it: without LOCK, another process may own the directory.
Status DBImpl::StoreOptions(OptionsChange change) {
  Status status;
  ++options_stores_;
  {
    MutexUnlock unlock(&mutex_);
    status = WriteOptionsFile(change);
  }
  --options_stores_;
  scheduler_.changed().notify_all();
  return status;
}

}  // namespace tamis
