// SPDX-License-Identifier: Apache-2.0
//
// Readers of a directory whose writer ingests a file, and then writes more,
// between two steps of an open or a look. What is shown is a point of the
// writer's history: what was written after the ingestion is shown with the
// ingested file, or not at all.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"

#include "tests/db/test_families.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

constexpr char kExternal[] = "/parent/external.sst";
constexpr char kSecondary[] = "/parent/secondary";

// Calls a function before the n-th call from now on that reads the directory.
class Interrupted final : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;

  void Interrupt(int call, std::function<void()> with) {
    calls_ = 0;
    call_ = call;
    with_ = std::move(with);
  }
  // Whether there were that many calls.
  bool came() const { return with_ == nullptr; }

  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    Count();
    return WrappedFileSystem::GetChildren(directory, names);
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    Count();
    return WrappedFileSystem::GetFileSize(path, size);
  }
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    Count();
    return WrappedFileSystem::NewSequentialFile(path, file);
  }

 private:
  void Count() {
    if (with_ != nullptr && ++calls_ == call_) std::exchange(with_, nullptr)();
  }

  int calls_ = 0;
  int call_ = 0;
  std::function<void()> with_;
};

class BesideIngestionTest : public FamiliesTest {
 protected:
  BesideIngestionTest() : between_(std::make_shared<Interrupted>(fs_)) {
    Open();
    beside_ = options_;
    beside_.file_system = between_;
  }

  // Puts `before`, ingests `ingested`, puts `after`, all of value n.
  void Write(int n) {
    const std::string value = std::to_string(n);
    EXPECT_TRUE(db_->Put(WriteOptions(), "before", value).ok());
    SstFileWriter writer(options_);
    EXPECT_TRUE(writer.Open(kExternal).ok());
    EXPECT_TRUE(writer.Put("ingested", value).ok());
    EXPECT_TRUE(writer.Finish().ok());
    EXPECT_TRUE(db_->IngestExternalFile({kExternal}, {}).ok());
    EXPECT_TRUE(db_->Put(WriteOptions(), "after", value).ok());
  }
  // A point of the history, n or n - 1.
  static void ExpectPoint(DB* db, int n) {
    std::string values;
    for (const char* const key : {"before", "ingested", "after"}) {
      std::string value;
      const Status status = db->Get({}, key, &value);
      EXPECT_TRUE(status.ok()) << status;
      values += (values.empty() ? "" : " ") + value;
    }
    const std::string to = std::to_string(n);
    const std::string from = std::to_string(n - 1);
    EXPECT_TRUE(values == from + " " + from + " " + from ||
                values == to + " " + from + " " + from ||
                values == to + " " + to + " " + from ||
                values == to + " " + to + " " + to)
        << values;
  }

  Options beside_;
  const std::shared_ptr<Interrupted> between_;
};

TEST_F(BesideIngestionTest, ALookShowsAPointOfTheHistory) {
  Write(0);
  std::unique_ptr<DB> secondary;
  ASSERT_TRUE(
      DB::OpenAsSecondary(beside_, kTestDirectory, kSecondary, &secondary)
          .ok());
  int n = 0;
  do {
    ++n;
    between_->Interrupt(n, [&] { Write(n); });
    const Status status = secondary->TryCatchUpWithPrimary();
    ASSERT_TRUE(status.ok()) << status;
    ExpectPoint(secondary.get(), n);
    if (!between_->came()) break;
    ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
    ExpectPoint(secondary.get(), n);
  } while (n < 100);
  EXPECT_GT(n, 5);
  EXPECT_LT(n, 100);
}

TEST_F(BesideIngestionTest, AnOpenShowsAPointOfTheHistory) {
  Write(0);
  int n = 0;
  do {
    ++n;
    between_->Interrupt(n, [&] { Write(n); });
    std::unique_ptr<DB> reader;
    const Status status = DB::OpenForReadOnly(beside_, kTestDirectory, &reader);
    ASSERT_TRUE(status.ok()) << status;
    ExpectPoint(reader.get(), n);
  } while (between_->came() && n < 100);
  EXPECT_GT(n, 5);
  EXPECT_LT(n, 100);
}

}  // namespace
}  // namespace tamis
