// SPDX-License-Identifier: Apache-2.0
//
// A DBTest with column families, called by their names.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/db/test_db.h"
#include "util/base/result.h"

namespace tamis {

class FamiliesTest : public DBTest {
 protected:
  using Names = std::set<std::string>;

  ~FamiliesTest() override { CloseAll(); }

  // "default" need not be named.
  Status TryOpenFamilies(const Names& names) {
    CloseAll();
    names_ = names;
    names_.erase(kDefaultColumnFamilyName);
    std::vector<ColumnFamilyHandle*> handles;
    const Status status =
        DB::Open(options_, kTestDirectory, Descriptors(names), &handles, &db_);
    EXPECT_EQ(handles.empty(), !status.ok());
    for (ColumnFamilyHandle* handle : handles) {
      handles_[handle->GetName()].reset(handle);
    }
    return status;
  }
  void OpenFamilies(const Names& names) {
    const Status status = TryOpenFamilies(names);
    ASSERT_TRUE(status.ok()) << status;
  }
  // With those that were open last.
  void ReopenFamilies() { OpenFamilies(Names(names_)); }
  // A new database with these.
  void MakeFamilies(const Names& names) {
    OpenFamilies({});
    for (const std::string& name : names) Create(name);
  }
  void CloseAll() {
    handles_.clear();
    db_.reset();
  }
  // The machine loses its power and starts again; nothing is open then.
  void PowerCut(uint64_t seed = 1, CrashStyle style = CrashStyle::kMixed) {
    fs_->CutPower();
    CloseAll();
    fs_->SetFaultHook(nullptr);
    fs_->Restart(seed, style);
  }

  // A database that is opened beside that of the test, and its handles.
  struct Beside {
    std::unique_ptr<DB> db;
    std::map<std::string, std::unique_ptr<ColumnFamilyHandle>> handles;
    ~Beside() { handles.clear(); }

    ColumnFamilyHandle* Family(const std::string& name) const {
      return handles.at(name).get();
    }
    std::string Contents(const std::string& family = kDefaultColumnFamilyName,
                         const Snapshot* snapshot = nullptr) const {
      ReadOptions options;
      options.snapshot = snapshot;
      return ContentsIn(db.get(), Family(family), options);
    }
  };
  // After an open that returned `status`.
  static void TakeHandles(const Status& status,
                          const std::vector<ColumnFamilyHandle*>& handles,
                          Beside* beside) {
    EXPECT_EQ(beside->db != nullptr, status.ok());
    EXPECT_EQ(handles.empty(), !status.ok());
    for (ColumnFamilyHandle* handle : handles) {
      beside->handles[handle->GetName()].reset(handle);
    }
  }
  // The files of the directory, by name.
  std::map<std::string, std::string> Directory() {
    std::map<std::string, std::string> files;
    for (const std::string& name : FilesEndingIn("")) {
      EXPECT_TRUE(fs_->GetContents(std::string(kTestDirectory) + "/" + name,
                                   &files[name])
                      .ok());
    }
    return files;
  }

  ColumnFamilyOptions OptionsOf(const std::string& name) const {
    const auto found = options_of_.find(name);
    return found != options_of_.end() ? found->second : options_;
  }
  std::vector<ColumnFamilyDescriptor> Descriptors(const Names& names) const {
    std::vector<ColumnFamilyDescriptor> families{
        {kDefaultColumnFamilyName, OptionsOf(kDefaultColumnFamilyName)}};
    for (const std::string& name : names) {
      if (name != kDefaultColumnFamilyName) {
        families.emplace_back(name, OptionsOf(name));
      }
    }
    return families;
  }

  Status TryCreate(const std::string& name) {
    ColumnFamilyHandle* handle = nullptr;
    const Status status =
        db_->CreateColumnFamily(OptionsOf(name), name, &handle);
    EXPECT_EQ(handle != nullptr, status.ok());
    if (!status.ok()) return status;
    handles_[name].reset(handle);
    names_.insert(name);
    return status;
  }
  void Create(const std::string& name) {
    const Status status = TryCreate(name);
    ASSERT_TRUE(status.ok()) << status;
  }
  // Its handle stays.
  void Drop(const std::string& name) {
    const Status status = db_->DropColumnFamily(Family(name));
    ASSERT_TRUE(status.ok()) << status;
    names_.erase(name);
  }
  void DropAndForget(const std::string& name) {
    Drop(name);
    handles_.erase(name);
  }
  ColumnFamilyHandle* Family(const std::string& name) const {
    const auto found = handles_.find(name);
    EXPECT_NE(found, handles_.end()) << name;
    return found != handles_.end() ? found->second.get() : nullptr;
  }

  using DBTest::Put;
  void Put(const std::string& family, const Slice& key, const Slice& value) {
    const Status status = db_->Put(WriteOptions(), Family(family), key, value);
    ASSERT_TRUE(status.ok()) << status;
  }
  // One batch that gives the key this value in all of them.
  Status PutInAll(const Names& families, const Slice& key, const Slice& value,
                  const WriteOptions& options = WriteOptions()) {
    WriteBatch batch;
    for (const std::string& family : families) {
      TAMIS_RETURN_IF_ERROR(batch.Put(Family(family), key, value));
    }
    return db_->Write(options, &batch);
  }
  std::string GetIn(const std::string& family, const Slice& key,
                    const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    std::string value;
    const Status status = db_->Get(options, Family(family), key, &value);
    if (status.ok()) return value;
    return status.IsNotFound() ? "NOT_FOUND" : status.ToString();
  }
  // "a=1 b=2", or the error.
  static std::string Scan(Iterator* it) {
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      text += (text.empty() ? "" : " ") + it->key().ToString() + "=" +
              it->value().ToString();
    }
    return it->status().ok() ? text : it->status().ToString();
  }
  static std::string ContentsIn(DB* db, ColumnFamilyHandle* family,
                                const ReadOptions& options = ReadOptions()) {
    const std::unique_ptr<Iterator> it(db->NewIterator(options, family));
    return Scan(it.get());
  }
  std::string ContentsOf(const std::string& family,
                         const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    return ContentsIn(db_.get(), Family(family), options);
  }
  // "default: a=1 | x: b=2"
  std::string AllContents() {
    std::string text = "default: " + ContentsOf(kDefaultColumnFamilyName);
    for (const std::string& name : names_) {
      text += " | " + name + ": " + ContentsOf(name);
    }
    return text;
  }
  void FlushFamily(const std::string& family) {
    const Status status = db_->Flush(FlushOptions(), Family(family));
    ASSERT_TRUE(status.ok()) << status;
  }
  uint64_t PropertyOf(const std::string& family, const std::string& property) {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty(Family(family), property, &value));
    return value;
  }
  size_t TablesOf(const std::string& family) {
    size_t count = 0;
    for (const LiveFileMetaData& file : LiveFiles()) {
      if (file.column_family_name == family) ++count;
    }
    return count;
  }
  std::vector<std::string> Logs() { return FilesEndingIn(".log"); }
  uint64_t SizeOf(const std::string& name) {
    uint64_t size = 0;
    EXPECT_TRUE(
        fs_->GetFileSize(std::string(kTestDirectory) + "/" + name, &size).ok());
    return size;
  }
  std::vector<std::string> Listed() {
    std::vector<std::string> names;
    const Status status =
        DB::ListColumnFamilies(options_, kTestDirectory, &names);
    EXPECT_TRUE(status.ok()) << status;
    return names;
  }

  std::map<std::string, ColumnFamilyOptions> options_of_;  // otherwise options_
  std::map<std::string, std::unique_ptr<ColumnFamilyHandle>> handles_;
  Names names_;  // besides "default"
};

}  // namespace tamis
