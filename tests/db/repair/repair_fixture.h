// SPDX-License-Identifier: Apache-2.0
//
// Databases to damage and repair, and the checks after a repair.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/utilities/merge_operators.h"

#include "db/base/file_names.h"
#include "db/repair/repair.h"
#include "tests/db/entry_model.h"
#include "tests/db/test_db.h"

namespace tamis {

class RepairTest : public DBTest {
 protected:
  static constexpr int kKeys = 600;
  const std::string kDir = kTestDirectory;

  RepairTest() {
    options_.merge_operator = MergeOperators::CreateStringAppendOperator();
    options_.level0_file_num_compaction_trigger = 3;
    options_.max_bytes_for_level_base = 4000;
    options_.max_bytes_for_level_multiplier = 2;
    options_.target_file_size_base = 500;
    BlockBasedTableOptions table;
    table.block_size = 128;
    SetTable(table);
  }

  // One of any kind, to a part of the keys: others age in deep levels.
  Status Change(Random* random, int number, WriteBatch* batch) {
    const int i = static_cast<int>(random->Uniform(kKeys / 4)) +
                  (number / 100 * 97) % (kKeys - kKeys / 4);
    const std::string key = Key(i);
    const std::string value = "v" + std::to_string(number);
    const uint64_t what = random->Uniform(20);
    if (what < 12) {
      model_.Put(key, value);
      return batch->Put(key, value);
    }
    if (what < 15) {
      model_.Merge(key, value);
      return batch->Merge(key, value);
    }
    if (what < 17) {
      model_.Delete(key);
      return batch->Delete(key);
    }
    if (what < 19 && model_.MaySingleDelete(key)) {
      model_.SingleDelete(key);
      return batch->SingleDelete(key);
    }
    const std::string end = Key(i + static_cast<int>(random->Uniform(10)));
    model_.DeleteRange(key, end);
    return batch->DeleteRange(key, end);
  }

  // A history of every kind of change, spread over levels and a log.
  void Fill(uint64_t seed, int steps = 1500) {
    Random random(seed);
    Open();
    for (int i = 0; i < steps; ++i) {
      WriteBatch batch;
      const uint64_t changes = 1 + random.Uniform(4);
      for (uint64_t c = 0; c < changes; ++c) {
        ASSERT_TRUE(Change(&random, i, &batch).ok());
      }
      ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
      if (random.OneIn(30)) Flush();
      if (random.OneIn(20)) RunJobs();
      if (random.OneIn(1000)) Compact();
      if (random.OneIn(150)) Reopen();
    }
    RunJobs();
    ASSERT_TRUE(db_->Close().ok());
    db_.reset();
    before_ = Keepsakes();
  }

  // Every key once, so that what is lost of one table is not hidden by another.
  void FillOnce(int keys, int per_table) {
    Open();
    for (int i = 0; i < keys; ++i) {
      const std::string key = Key((i * 37) % keys);
      Put(key, "value of " + key);
      model_.Put(key, "value of " + key);
      if (i % per_table == per_table - 1) Flush();
    }
    RunJobs();
    ASSERT_TRUE(db_->Close().ok());
    db_.reset();
    before_ = Keepsakes();
  }

  // Tables, logs and MANIFESTs, in place or set aside.
  std::set<std::string> Keepsakes() {
    std::set<std::string> all;
    for (const std::string& directory : {kDir, kDir + "/lost"}) {
      std::vector<std::string> names;
      if (!fs_->GetChildren(directory, &names).ok()) continue;
      for (const std::string& name : names) {
        const auto file = ParseFileName(name);
        if (!file) continue;
        if (file->type == FileKind::kTable || file->type == FileKind::kLog ||
            file->type == FileKind::kDescriptor) {
          all.insert(name);
        }
      }
    }
    return all;
  }
  void ExpectNothingVanished() {
    const std::set<std::string> after = Keepsakes();
    for (const std::string& name : before_) {
      EXPECT_TRUE(after.contains(name)) << name << " is gone";
    }
  }

  void Repair() {
    const Status status = RepairDB(kDir, options_);
    ASSERT_TRUE(status.ok()) << status;
    ExpectNothingVanished();
  }
  KeyValues Shown() {
    KeyValues shown;
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      shown[it->key().ToString()] = it->value().ToString();
    }
    EXPECT_TRUE(it->status().ok()) << it->status();
    return shown;
  }
  // Opens, and compares with the model in every way of reading.
  void ExpectAll() {
    options_.create_if_missing = false;
    Open();
    if (HasFatalFailure()) return;
    EXPECT_EQ(Shown(), model_.shown());
    for (const auto& [key, value] : model_.shown()) {
      EXPECT_EQ(Get(key), value) << key;
    }
    for (int i = 0; i < kKeys; ++i) {
      if (!model_.shown().contains(Key(i))) {
        EXPECT_EQ(Get(Key(i)), "NOT_FOUND") << i;
      }
    }
    // It works like any database.
    Put("zz", "new");
    Compact();
    EXPECT_EQ(Get("zz"), "new");
    KeyValues shown = Shown();
    shown.erase("zz");
    EXPECT_EQ(shown, model_.shown());
    Delete("zz");
    db_.reset();
  }
  // Of what is shown nothing is wrong. How many of the model's keys there are.
  size_t ExpectPart() {
    Open();
    if (HasFatalFailure()) return 0;
    const KeyValues shown = Shown();
    for (const auto& [key, value] : shown) {
      const auto at = model_.shown().find(key);
      EXPECT_TRUE(at != model_.shown().end() && at->second == value) << key;
    }
    db_.reset();
    return shown.size();
  }

  std::string ReadFile(const std::string& name) {
    std::string contents;
    EXPECT_TRUE(fs_->GetContents(kDir + "/" + name, &contents).ok()) << name;
    return contents;
  }
  void WriteFile(const std::string& name, const std::string& contents) {
    EXPECT_TRUE(fs_->SetContents(kDir + "/" + name, contents).ok()) << name;
  }
  void Remove(const std::string& name) {
    EXPECT_TRUE(fs_->RemoveFile(kDir + "/" + name).ok()) << name;
    before_.erase(name);
  }
  std::string ManifestName() {
    const auto name = ReadCurrentFile(fs_.get(), kDir);
    EXPECT_TRUE(name.ok()) << name.status();
    return name.ok() ? *name : "";
  }
  void FlipByte(const std::string& name, size_t at, int mask = 0x41) {
    std::string contents = ReadFile(name);
    ASSERT_LT(at, contents.size());
    contents[at] = static_cast<char>(contents[at] ^ mask);
    WriteFile(name, contents);
  }

  // Returns all files, for a restart from them.
  using Files = std::map<std::string, std::string>;
  Files Save() {
    Files files;
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kDir, &names).ok());
    for (const std::string& name : names) {
      if (name != "lost" && name != "LOCK") files[name] = ReadFile(name);
    }
    return files;
  }
  void Restore(const Files& files) {
    for (const std::string& directory : {kDir + "/lost", kDir}) {
      std::vector<std::string> names;
      if (!fs_->GetChildren(directory, &names).ok()) continue;
      for (const std::string& name : names) {
        if (name == "lost") continue;
        EXPECT_TRUE(fs_->RemoveFile(directory + "/" + name).ok());
      }
    }
    for (const auto& [name, contents] : files) {
      EXPECT_TRUE(
          WriteStringToFile(fs_.get(), contents, kDir + "/" + name, true).ok());
    }
    EXPECT_TRUE(fs_->SyncDirectory(kDir).ok());
    before_ = Keepsakes();
  }

  EntryModel model_;
  std::set<std::string> before_;
};

}  // namespace tamis
