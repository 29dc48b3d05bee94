// SPDX-License-Identifier: Apache-2.0
//
// The files of Tamis obey the rules whose violation makes some release of
// RocksDB delete live data, reject the directory or abort. Checks every record
// of the MANIFESTs and every batch of the logs of random databases, by reading
// the records themselves rather than through the engine.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "db/base/file_names.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_format.h"
#include "db/wal/log_reader.h"
#include "db/wal/write_batch_internal.h"
#include "tests/db/test_db.h"
#include "tests/support/tables.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Tables =
    std::map<FileNumber, std::pair<Level, FileMetaData>>;  // by number

struct Facts {
  size_t edits = 0;
  size_t tables = 0;
  size_t groups = 0;
  size_t moves_of_several = 0;
  size_t families = 0;
  size_t batches = 0;
};

// One MANIFEST from its first record to its last.
class ManifestRules {
 public:
  ManifestRules(const KeyOrder& order, Facts* facts)
      : order_(order), facts_(*facts) {}

  void Add(const VersionEdit& edit) {
    SCOPED_TRACE(edit.DebugString());
    ++facts_.edits;
    EXPECT_TRUE(edit.unsupported.empty());
    CheckCounters(edit);
    if (edit.column_family_add) {
      EXPECT_TRUE(edit.comparator);
      EXPECT_TRUE(ids_.insert(edit.column_family).second) << "id reused";
      ++facts_.families;
    }
    Tables& tables = families_[edit.column_family];
    CheckEpochs(edit, tables);
    for (const auto& [level, number] : edit.deleted_files) {
      ASSERT_TRUE(tables.contains(number)) << number;
      EXPECT_EQ(tables.at(number).first, level) << number;
      tables.erase(number);
    }
    for (const auto& [level, meta] : edit.new_files) {
      CheckTable(level, meta);
      EXPECT_TRUE(tables.emplace(meta.number, std::pair{level, meta}).second);
    }
    if (edit.column_family_drop) families_.erase(edit.column_family);
    if (edit.atomic_group_remaining.value_or(0) != 0) {
      ++facts_.groups;
      return;
    }
    for (const auto& [id, all] : families_) CheckTree(all);
  }

 private:
  // Traps 1 and 3, and 13.
  void CheckCounters(const VersionEdit& edit) {
    // Only a record that names a family, and no more, has none.
    if (!edit.new_files.empty() || !edit.deleted_files.empty() ||
        edit.log_number) {
      EXPECT_TRUE(edit.next_file_number);
      EXPECT_TRUE(edit.last_sequence);
    }
    const FileNumber next = edit.next_file_number.value_or(kFileNumberMax);
    for (const auto& [level, meta] : edit.new_files) {
      EXPECT_LT(meta.number, next);
      EXPECT_LE(meta.largest_seqno, edit.last_sequence.value_or(0));
    }
    EXPECT_LT(edit.log_number.value_or(kNoFile), next);
    EXPECT_LT(edit.min_log_number_to_keep.value_or(kNoFile), next);
    EXPECT_EQ(edit.prev_log_number.value_or(kNoFile), kNoFile);
    if (edit.last_sequence) {
      EXPECT_GE(*edit.last_sequence, last_sequence_);
      last_sequence_ = *edit.last_sequence;
    }
    if (edit.next_file_number) {
      EXPECT_GE(next, next_file_);
      next_file_ = next;
    }
  }

  // A compaction gives its outputs the least epoch of its inputs; what is moved
  // keeps its own; what is flushed gets one above all.
  void CheckEpochs(const VersionEdit& edit, const Tables& tables) {
    if (edit.deleted_files.empty()) {
      if (!edit.log_number || tables.empty()) return;
      EpochNumber newest;
      for (const auto& [number, table] : tables) {
        newest = std::max(newest, table.second.epoch_number);
      }
      for (const auto& [level, meta] : edit.new_files) {
        EXPECT_GT(meta.epoch_number, newest);
      }
      return;
    }
    EpochNumber least = kEpochNumberMax;
    std::map<FileNumber, EpochNumber> own;  // epochs by number
    for (const auto& [level, number] : edit.deleted_files) {
      const auto found = tables.find(number);
      if (found == tables.end()) return;  // said elsewhere
      own[number] = found->second.second.epoch_number;
      least = std::min(least, own[number]);
    }
    size_t moved = 0;
    for (const auto& [level, meta] : edit.new_files) {
      const auto found = own.find(meta.number);
      if (found != own.end()) ++moved;
      EXPECT_EQ(meta.epoch_number, found != own.end() ? found->second : least)
          << meta.number;
    }
    if (moved > 1) ++facts_.moves_of_several;
  }

  void CheckTable(Level level, const FileMetaData& meta) {
    ++facts_.tables;
    EXPECT_LT(level, Level(7));
    EXPECT_GT(meta.size, 0u);
    EXPECT_LE(order_.Compare(meta.smallest, meta.largest), 0);
    EXPECT_LE(meta.smallest_seqno, meta.largest_seqno);
    EXPECT_TRUE(meta.seqnos_known);
    EXPECT_GT(meta.epoch_number, kUnknownEpoch);
    EXPECT_EQ(meta.unique_id.size(), 16u);
    EXPECT_GT(meta.file_creation_time, 0u);
  }

  // Traps 2 and 4.
  void CheckTree(const Tables& tables) {
    std::map<Level, std::vector<const FileMetaData*>> levels;
    for (const auto& [number, table] : tables) {
      levels[table.first].push_back(&table.second);
    }
    for (auto& [level, files] : levels) {
      std::sort(files.begin(), files.end(), [&, l = level](auto* a, auto* b) {
        return l == kLevelZero ? a->epoch_number < b->epoch_number
                               : order_.Compare(a->smallest, b->smallest) < 0;
      });
      for (size_t i = 1; i < files.size(); ++i) {
        const FileMetaData& before = *files[i - 1];
        const FileMetaData& after = *files[i];
        SCOPED_TRACE(before.number.ToString() + ", " + after.number.ToString());
        if (level > kLevelZero) {
          EXPECT_LT(order_.Compare(before.largest, after.smallest), 0);
          continue;
        }
        EXPECT_LT(before.epoch_number, after.epoch_number);
        EXPECT_LT(before.smallest_seqno, after.smallest_seqno);
        EXPECT_LT(before.largest_seqno, after.largest_seqno);
        EXPECT_LT(before.number, after.number);
      }
    }
  }

  const KeyOrder& order_;
  Facts& facts_;
  std::map<FamilyId, Tables> families_;
  std::set<FamilyId> ids_;
  SequenceNumber last_sequence_ = 0;
  FileNumber next_file_;
};

class ManifestRulesTest : public DBTest,
                          public testing::WithParamInterface<uint64_t> {
 protected:
  std::unique_ptr<LogReader> Reader(const std::string& name, LogKind kind) {
    const std::string path = std::string(kTestDirectory) + "/" + name;
    auto reader =
        LogReader::Open(fs_.get(), path, ParseFileName(name)->number, kind);
    EXPECT_TRUE(reader.ok()) << reader.status();
    return std::move(reader).value();
  }

  // Trap 10: types 1 to 4 alone.
  void CheckFrame(const std::string& name) {
    std::string bytes;
    ASSERT_TRUE(
        fs_->GetContents(std::string(kTestDirectory) + "/" + name, &bytes)
            .ok());
    for (size_t at = 0; at + log::kHeaderBytes <= bytes.size();) {
      if (log::kBlockBytes - at % log::kBlockBytes < log::kHeaderBytes) {
        at += log::kBlockBytes - at % log::kBlockBytes;
        continue;
      }
      const int type = bytes[at + 6];
      EXPECT_TRUE(type >= log::kFull && type <= log::kLast)
          << name << ": type " << type << " at " << at;
      at += log::kHeaderBytes + DecodeFixed16(bytes.data() + at + 4);
    }
  }

  // Traps 17 and 19.
  void CheckLogs() {
    SequenceNumber next = 0;
    for (const std::string& name : FilesEndingIn(".log")) {
      CheckFrame(name);
      const auto reader = Reader(name, LogKind::kWal);
      std::string record;
      while (reader->ReadRecord(&record) == LogReader::Outcome::kRecord) {
        EXPECT_FALSE(reader->after_zeros()) << name;
        const WriteBatch batch(record);
        EXPECT_TRUE(WriteBatchInternal::Validate(batch).ok()) << name;
        EXPECT_GE(WriteBatchInternal::Sequence(batch), next) << name;
        next = WriteBatchInternal::Sequence(batch) +
               WriteBatchInternal::Count(batch);
        ++facts_.batches;
      }
    }
  }

  void CheckDirectory() {
    std::vector<std::string> names;
    ASSERT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    for (const std::string& name : names) {
      const auto parsed = ParseFileName(name);
      if (!parsed || parsed->type != FileKind::kDescriptor) continue;
      CheckFrame(name);
      ManifestRules rules(Bytewise(), &facts_);
      const auto reader = Reader(name, LogKind::kManifest);
      std::string record;
      while (reader->ReadRecord(&record) == LogReader::Outcome::kRecord) {
        const auto edit = VersionEdit::Decode(record);
        ASSERT_TRUE(edit.ok()) << edit.status();
        rules.Add(*edit);
      }
    }
    CheckLogs();
  }

  void OpenFamilies() {
    std::vector<std::string> names;
    if (!DB::ListColumnFamilies(options_, kTestDirectory, &names).ok()) {
      names = {"default"};
    }
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options_);
    const Status status =
        DB::Open(options_, kTestDirectory, families, &handles_, &db_);
    ASSERT_TRUE(status.ok()) << status;
  }
  void CloseFamilies() {
    for (ColumnFamilyHandle* handle : handles_) {
      EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
    }
    handles_.clear();
    db_.reset();
  }

  Status Change(Random* random) {
    ColumnFamilyHandle* const family =
        handles_[random->Uniform(handles_.size())];
    const auto key = [&] {
      return Key(static_cast<int>(random->Uniform(300)));
    };
    switch (random->Uniform(12)) {
      case 0:
        return db_->Delete(WriteOptions(), family, key());
      case 1: {
        std::string begin = key();
        std::string end = key();
        if (end < begin) std::swap(begin, end);
        return db_->DeleteRange(WriteOptions(), family, begin, end);
      }
      case 2: {
        WriteBatch batch;
        for (ColumnFamilyHandle* each : handles_) {
          EXPECT_TRUE(batch.Put(each, key(), "of a batch").ok());
        }
        return db_->Write(WriteOptions(), &batch);
      }
      default:
        return db_->Put(WriteOptions(), family, key(),
                        Noise(random->Uniform(300), random->Next()));
    }
  }

  void Step(Random* random) {
    const uint64_t dice = random->Uniform(400);
    ColumnFamilyHandle* const family =
        handles_[random->Uniform(handles_.size())];
    if (dice < 6) {
      EXPECT_TRUE(db_->Flush(FlushOptions(), family).ok());
    } else if (dice < 8) {
      const Status status =
          db_->CompactRange(CompactRangeOptions(), family, nullptr, nullptr);
      EXPECT_TRUE(status.ok()) << status;
    } else if (dice == 8 && handles_.size() < 4) {
      ColumnFamilyHandle* handle = nullptr;
      const std::string name = "family" + std::to_string(created_++);
      EXPECT_TRUE(db_->CreateColumnFamily(options_, name, &handle).ok());
      handles_.push_back(handle);
    } else if (dice == 9 && handles_.size() > 2) {
      EXPECT_TRUE(db_->DropColumnFamily(handles_.back()).ok());
      EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handles_.back()).ok());
      handles_.pop_back();
    } else if (dice == 10) {
      CloseFamilies();
      CheckDirectory();
      OpenFamilies();
    } else if (dice < 20) {
      RunJobs();
    } else {
      const Status status = Change(random);
      EXPECT_TRUE(status.ok()) << status;
    }
  }

  // Tables of ascending keys after all others, which move together.
  void Ascend() {
    for (ColumnFamilyHandle* handle : handles_) {
      EXPECT_TRUE(db_->Flush(FlushOptions(), handle).ok());
    }
    RunJobs();
    for (int i = 0; i < 2500; ++i) {
      const Status status =
          db_->Put(WriteOptions(), handles_[0], Key(1000 + i), Noise(250, 1));
      EXPECT_TRUE(status.ok()) << status;
    }
    RunJobs();
  }

  std::vector<ColumnFamilyHandle*> handles_;
  int created_ = 0;
  Facts facts_;
};

TEST_P(ManifestRulesTest, HoldInRandomDatabases) {
  Random random(GetParam());
  options_.write_buffer_size = 64 * 1024;
  options_.target_file_size_base = 16 * 1024;
  options_.max_bytes_for_level_base = 32 * 1024;
  options_.max_bytes_for_level_multiplier = 3;
  options_.atomic_flush = GetParam() % 2 == 1;
  options_.max_manifest_file_size = GetParam() % 3 == 0 ? 4000 : 1 << 20;
  ASSERT_NO_FATAL_FAILURE(OpenFamilies());
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "second", &handle).ok());
  handles_.push_back(handle);
  for (int i = 0; i < 6000 && !HasFailure(); ++i) Step(&random);
  Ascend();
  // As a kill would leave it, and as a close does.
  CheckDirectory();
  CloseFamilies();
  CheckDirectory();
  EXPECT_GT(facts_.edits, 100u);
  EXPECT_GT(facts_.tables, 100u);
  // A new MANIFEST lists the tables at their current levels.
  if (GetParam() % 3 != 0) {
    EXPECT_GT(facts_.moves_of_several, 0u);
  }
  EXPECT_GT(facts_.families, 2u);
  EXPECT_GT(facts_.batches, 100u);
  if (options_.atomic_flush) {
    EXPECT_GT(facts_.groups, 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManifestRulesTest,
                         testing::Range(uint64_t{1}, uint64_t{9}));

// Trap 6: 7.8.3 reads format versions up to 5, 11.9 from 2 on.
class FormatRulesTest : public DBTest {};
TEST_F(FormatRulesTest, TablesHaveAFormatThatAllReleasesRead) {
  Open();
  Put("key", "value");
  Flush();
  EXPECT_GE(OnlyTable().format_version, 2u);
  EXPECT_LE(OnlyTable().format_version, 5u);
}

}  // namespace
}  // namespace tamis
