// SPDX-License-Identifier: Apache-2.0
//
// Opens a directory with all its families and reads it: scans in both
// directions, point reads, seeks. If the caller knows everything ever written,
// reads must show nothing else, and point reads and scans must agree, unless
// there is an error.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/fuzz/fuzz_database.h"

namespace tamis {

// Family, key and value of everything ever written.
using FuzzHistory = std::set<std::tuple<std::string, std::string, std::string>>;

// The modes in which a directory is opened, by number.
inline constexpr WALRecoveryMode kFuzzRecoveryModes[] = {
    WALRecoveryMode::kPointInTimeRecovery,
    WALRecoveryMode::kAbsoluteConsistency,
    WALRecoveryMode::kTolerateCorruptedTailRecords,
    WALRecoveryMode::kSkipAnyCorruptedRecords,
};

class FuzzOpened {
 public:
  using Rows = std::vector<std::pair<std::string, std::string>>;
  // A compressed block may have too many entries to scan.
  static constexpr size_t kRowsMax = 10000;

  Status Open(const Options& options, bool read_only, bool default_alone) {
    std::vector<std::string> names;
    if (default_alone ||
        !DB::ListColumnFamilies(options, kFuzzDirectory, &names).ok()) {
      names = {kDefaultColumnFamilyName};
    }
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options);
    return read_only
               ? DB::OpenForReadOnly(options, kFuzzDirectory, families,
                                     &handles_, &db_)
               : DB::Open(options, kFuzzDirectory, families, &handles_, &db_);
  }
  FuzzOpened() = default;
  FuzzOpened(const FuzzOpened&) = delete;
  FuzzOpened& operator=(const FuzzOpened&) = delete;
  ~FuzzOpened() {
    for (ColumnFamilyHandle* const handle : handles_) delete handle;
  }

  // A repair may have lost the families of changes.
  void SetFamiliesAreLost() { families_are_lost_ = true; }

  // history nullptr: the right contents are unknown. False: not everything
  // could be read.
  bool ReadAll(const FuzzHistory* history) {
    bool all = true;
    for (ColumnFamilyHandle* const family : handles_) {
      all = ReadFamily(family, history) && all;
    }
    return all;
  }

  // Calls that make new tables of the old ones. They may fail.
  void Rewrite() {
    for (ColumnFamilyHandle* const family : handles_) {
      db_->Put(WriteOptions(), family, "rewritten", "x").PermitUncheckedError();
      db_->Flush(FlushOptions(), family).PermitUncheckedError();
      db_->CompactRange(CompactRangeOptions(), family, nullptr, nullptr)
          .PermitUncheckedError();
    }
  }

 private:
  // nullopt: an error, or too many.
  std::optional<Rows> Scan(ColumnFamilyHandle* family, bool forward) {
    Rows rows;
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), family));
    for (forward ? it->SeekToFirst() : it->SeekToLast(); it->Valid();
         forward ? it->Next() : it->Prev()) {
      if (rows.size() == kRowsMax) return std::nullopt;
      rows.emplace_back(it->key().ToString(), it->value().ToString());
    }
    if (!it->status().ok()) return std::nullopt;
    return rows;
  }

  bool ReadFamily(ColumnFamilyHandle* family, const FuzzHistory* history) {
    const auto rows = Scan(family, true);
    auto back = Scan(family, false);
    if (back) std::reverse(back->begin(), back->end());
    if (history == nullptr) {
      AskAnything(family, rows ? *rows : Rows());
      return rows.has_value();
    }
    if (rows && back) Claim(*rows == *back);
    if (rows) ClaimPointReads(family, *rows, *history);
    return rows && back;
  }

  void AskAnything(ColumnFamilyHandle* family, const Rows& rows) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), family));
    for (size_t i = 0; i < 16; ++i) {
      const std::string key =
          i < rows.size() ? rows[i].first : std::string(1 + i % 3, 'c');
      std::string value;
      db_->Get(ReadOptions(), family, key, &value).PermitUncheckedError();
      it->Seek(key);
      if (it->Valid()) it->Prev();
      it->SeekForPrev(key);
      if (it->Valid()) it->Next();
    }
  }

  void ClaimPointReads(ColumnFamilyHandle* family, const Rows& rows,
                       const FuzzHistory& history) {
    const auto is_here = [&](const std::string& name) {
      return families_are_lost_ || name == family->GetName();
    };
    for (const auto& row : rows) {
      Claim(std::any_of(history.begin(), history.end(), [&](const auto& each) {
        const auto& [name, key, value] = each;
        return is_here(name) && key == row.first && value == row.second;
      }));
    }
    for (const auto& [name, key, written] : history) {
      if (!is_here(name)) continue;
      const auto row = std::find_if(
          rows.begin(), rows.end(),
          [&key = key](const auto& each) { return each.first == key; });
      std::string value;
      const Status status = db_->Get(ReadOptions(), family, key, &value);
      if (row == rows.end()) {
        Claim(!status.ok());
      } else {
        Claim(status.ok() ? value == row->second : !status.IsNotFound());
      }
    }
  }

  std::unique_ptr<DB> db_;
  std::vector<ColumnFamilyHandle*> handles_;
  bool families_are_lost_ = false;
};

// One of the ways to open or destroy a directory:
//   0-3 Open, under each WALRecoveryMode; 4 OpenForReadOnly;
//   5 ListColumnFamilies; 6 RepairDB, then Open; 7 DestroyDB
//
//   flags  bit 0: upgrade_leveldb; 1: an open for writing makes new tables;
//          2: create_if_missing; 3: names only the default family
inline void OpenFuzzFiles(const FuzzFiles& files, unsigned way, unsigned flags,
                          const FuzzHistory* history) {
  const auto fs = FuzzFileSystem(files);
  Options options = FuzzOptions(fs);
  options.upgrade_leveldb = (flags & 1) != 0;
  options.create_if_missing = (flags & 4) != 0;
  const bool rewrite = (flags & 2) != 0;
  const bool default_alone = (flags & 8) != 0;
  const uint64_t calls = fs->calls();
  const auto open = [&](bool read_only) {
    FuzzOpened opened;
    if (way == 6) opened.SetFamiliesAreLost();
    const Status status = opened.Open(options, read_only, default_alone);
    if (!status.ok()) {
      Claim(!status.message().empty());
      return false;
    }
    const bool all = opened.ReadAll(history);
    if (all && rewrite && !read_only) {
      opened.Rewrite();
      if (history == nullptr) opened.ReadAll(nullptr);
    }
    return true;
  };
  switch (way) {
    case 4:
      open(true);
      Claim(fs->calls() == calls);
      return;
    case 5: {
      std::vector<std::string> names;
      DB::ListColumnFamilies(options, kFuzzDirectory, &names)
          .PermitUncheckedError();
      Claim(fs->calls() == calls);
      return;
    }
    case 6: {
      const Status status = RepairDB(kFuzzDirectory, options);
      if (!status.ok()) {
        Claim(!status.message().empty());
        Claim(FuzzFilesOf(fs.get()) == files);
        return;
      }
      Claim(open(false) || default_alone);
      return;
    }
    case 7: {
      if (!DestroyDB(kFuzzDirectory, options).ok()) return;
      std::vector<std::string> names;
      Claim(!DB::ListColumnFamilies(options, kFuzzDirectory, &names).ok());
      for (const auto& [name, bytes] : files) {
        Claim(fs->FileExists(std::string(kFuzzDirectory) + "/" + name)
                  .IsPathNotFound());
      }
      return;
    }
    default:
      options.wal_recovery_mode = kFuzzRecoveryModes[way % 4];
      if (!open(false)) Claim(FuzzFilesOf(fs.get()) == files);
  }
}

}  // namespace tamis
