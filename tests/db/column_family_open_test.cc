// SPDX-License-Identifier: Apache-2.0
//
// The families that an open names, and those of the database.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_families.h"

namespace tamis {
namespace {

class ColumnFamilyOpenTest : public FamiliesTest {
 protected:
  using Strings = std::vector<std::string>;

  Status OpenWith(const Strings& names) {
    CloseAll();
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) {
      families.emplace_back(name, OptionsOf(name));
    }
    std::vector<ColumnFamilyHandle*> handles{nullptr};
    const Status status =
        DB::Open(options_, kTestDirectory, families, &handles, &db_);
    EXPECT_EQ(handles.size(), status.ok() ? names.size() : 0);
    EXPECT_EQ(db_ != nullptr, status.ok());
    order_.clear();
    for (ColumnFamilyHandle* handle : handles) {
      order_.push_back(handle->GetName());
      handles_[handle->GetName()].reset(handle);
    }
    return status;
  }

  Strings order_;  // of the handles
};

TEST_F(ColumnFamilyOpenTest, ListsAllFamiliesDefaultFirst) {
  MakeFamilies({});
  Create("b");
  Create("a");
  EXPECT_EQ(Listed(), (Strings{"default", "b", "a"}));  // while it is open
  DropAndForget("b");
  CloseAll();
  const uint64_t calls = fs_->calls();
  EXPECT_EQ(Listed(), (Strings{"default", "a"}));
  EXPECT_EQ(fs_->calls(), calls);  // nothing was changed
}

TEST_F(ColumnFamilyOpenTest, ListsFamiliesWhileAWriterStartsANewManifest) {
  options_.max_manifest_file_size = 1;
  MakeFamilies({"a"});
  fs_->SetReadHook([this](const SimulatedFileSystem::Call& call) {
    if (call.operation == "open" &&
        call.path.find("MANIFEST") != std::string::npos) {
      fs_->SetReadHook(nullptr);
      for (int i = 0; i < 5; ++i) {
        Put("a", "k", "v");
        FlushFamily("a");
      }
      EXPECT_TRUE(fs_->FileExists(call.path).IsPathNotFound());
    }
    return Status::OK();
  });
  EXPECT_EQ(Listed(), (Strings{"default", "a"}));
}

TEST_F(ColumnFamilyOpenTest, ListingAMissingDatabaseFailsAndCreatesNone) {
  Strings names{"left over"};
  EXPECT_FALSE(DB::ListColumnFamilies(options_, kTestDirectory, &names).ok());
  EXPECT_TRUE(names.empty());
  EXPECT_TRUE(fs_->FileExists(kTestDirectory).IsPathNotFound());
}

TEST_F(ColumnFamilyOpenTest, RefusesMissingAndOmittedFamiliesByName) {
  MakeFamilies({"a", "b"});
  Put("a", "key", "value");
  CloseAll();
  const struct {
    Strings names;
    const char* message;
  } cases[] = {
      {{"default"}, "Column families not opened: a, b"},
      {{"default", "a"}, "Column families not opened: b"},
      {{"default", "x", "a", "b", "y"}, "Column family not found: x, y"},
      {{"default", "a", "b", "a"}, "Column family named twice: a"},
      {{"a", "b"}, "Default column family not specified"},
      {{}, "Default column family not specified"},
  };
  for (const auto& c : cases) {
    const Strings before = FilesEndingIn("");
    const Status status = OpenWith(c.names);
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_EQ(status.message(), c.message);
    // LOCK is what a refused open may leave; the lock itself is free again.
    EXPECT_EQ(FilesEndingIn(""), before);
  }
  Status status = TryOpen();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_EQ(status.message(), "Column families not opened: a, b");
  OpenFamilies({"a", "b"});
  EXPECT_EQ(GetIn("a", "key"), "value");
}

TEST_F(ColumnFamilyOpenTest, ReturnsHandlesInDescriptorOrder) {
  MakeFamilies({"a", "b"});
  ASSERT_TRUE(OpenWith({"b", "default", "a"}).ok());
  EXPECT_EQ(order_, (Strings{"b", "default", "a"}));
  EXPECT_EQ(Family("default")->GetID(), 0u);
  EXPECT_EQ(Family("a")->GetID(), 1u);
  EXPECT_EQ(Family("b")->GetID(), 2u);
}

TEST_F(ColumnFamilyOpenTest, MissingFamiliesAreCreatedOnlyOnRequest) {
  EXPECT_TRUE(OpenWith({"default", "a"}).IsInvalidArgument());
  options_.create_missing_column_families = true;
  ASSERT_TRUE(OpenWith({"default", "a"}).ok());
  Put("a", "key", "1");
  ASSERT_TRUE(OpenWith({"default", "z", "a", "b"}).ok());
  EXPECT_EQ(GetIn("a", "key"), "1");
  EXPECT_EQ(Family("z")->GetID(), 2u);
  EXPECT_EQ(Family("b")->GetID(), 3u);
  Put("b", "key", "2");
  Put("z", "key", "3");
  options_.create_missing_column_families = false;
  ASSERT_TRUE(OpenWith({"default", "a", "b", "z"}).ok());
  EXPECT_EQ(GetIn("b", "key"), "2");
  EXPECT_EQ(GetIn("z", "key"), "3");
  // The open may create families, but not omit any.
  options_.create_missing_column_families = true;
  EXPECT_TRUE(OpenWith({"default", "a"}).IsInvalidArgument());
}

TEST_F(ColumnFamilyOpenTest, EachFamilyKeepsItsComparator) {
  options_of_["a"].comparator = ReverseBytewiseComparator();
  MakeFamilies({"a", "b"});
  CloseAll();
  const Status status = [&] {
    options_of_.clear();
    return TryOpenFamilies({"a", "b"});
  }();
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  for (const char* part : {"family a", ReverseBytewiseComparator()->Name(),
                           BytewiseComparator()->Name()}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status;
  }
}

TEST_F(ColumnFamilyOpenTest, OptionsOfEveryFamilyAreChecked) {
  options_of_["a"].target_file_size_base = 0;
  MakeFamilies({"b"});
  EXPECT_TRUE(TryCreate("a").IsInvalidArgument());
  options_.create_missing_column_families = true;
  EXPECT_TRUE(TryOpenFamilies({"a", "b"}).IsInvalidArgument());
  OpenFamilies({"b"});
  EXPECT_EQ(Listed(), (Strings{"default", "b"}));
}

TEST_F(ColumnFamilyOpenTest, AFamilyNameIsCreatedOnce) {
  MakeFamilies({"a"});
  for (const char* name : {"a", "default"}) {
    const Status status = TryCreate(name);
    EXPECT_TRUE(status.IsInvalidArgument()) << status;
    EXPECT_NE(status.message().find(name), std::string::npos) << status;
  }
  EXPECT_EQ(Listed(), (Strings{"default", "a"}));
}

TEST_F(ColumnFamilyOpenTest, FamiliesAreCreatedInOrderUntilOneFails) {
  MakeFamilies({"a"});
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_TRUE(
      db_->CreateColumnFamilies(options_, Strings{"x", "y"}, &handles).ok());
  ASSERT_EQ(handles.size(), 2u);
  EXPECT_EQ(handles[0]->GetName(), "x");
  EXPECT_EQ(handles[1]->GetName(), "y");
  ASSERT_TRUE(db_->DropColumnFamilies(handles).ok());
  for (ColumnFamilyHandle* handle : handles) {
    ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
  }
  EXPECT_TRUE(
      db_->CreateColumnFamilies(
             {{"p", options_}, {"a", options_}, {"q", options_}}, &handles)
          .IsInvalidArgument());
  ASSERT_EQ(handles.size(), 1u);
  EXPECT_EQ(handles[0]->GetName(), "p");
  EXPECT_EQ(Listed(), (Strings{"default", "a", "p"}));
  ASSERT_TRUE(db_->DestroyColumnFamilyHandle(handles[0]).ok());
}

TEST_F(ColumnFamilyOpenTest, ANameMayHoldAnyBytes) {
  const Names names = {"",         " ",
                       "../up",    "line\nevent=\"x\"",
                       "DEFAULT",  std::string("\0\xff\x80", 3),
                       "default ", std::string(5000, 'n')};
  MakeFamilies(names);
  for (const std::string& name : names) Put(name, "name", name);
  for (int round = 0; round < 2; ++round) {
    for (const std::string& name : names) {
      EXPECT_EQ(Family(name)->GetName(), name);
      EXPECT_EQ(ContentsOf(name), "name=" + name);
      if (round == 0) FlushFamily(name);
    }
    const Strings listed = Listed();
    Names found(listed.begin(), listed.end());
    EXPECT_EQ(found.erase("default"), 1u);
    EXPECT_EQ(found, names);
    ReopenFamilies();
  }
  for (const LiveFileMetaData& file : LiveFiles()) {
    EXPECT_TRUE(names.contains(file.column_family_name));
  }
}

}  // namespace
}  // namespace tamis
