// SPDX-License-Identifier: Apache-2.0
//
// Every file of a small database is damaged in every place: each byte changed,
// each length cut. What was damaged is refused by a Status that names a file,
// with every file left as it is, or the answers are right. Never wrong ones.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "db/file_names.h"
#include "tests/support/databases.h"
#include "util/file_system_memory.h"

namespace tamis {
namespace {

constexpr char kDirectory[] = "/db";

using Files = std::map<std::string, std::string>;  // name → bytes
using Model = std::map<std::string, std::string>;

KeyValues Listing(const Model& model) { return {model.begin(), model.end()}; }

Files FilesOf(MemoryFileSystem* fs) {
  std::vector<std::string> names;
  EXPECT_TRUE(fs->GetChildren(kDirectory, &names).ok());
  Files files;
  for (const std::string& name : names) {
    if (name == "LOG" || name == "LOCK") continue;
    EXPECT_TRUE(
        fs->GetContents(std::string(kDirectory) + "/" + name, &files[name])
            .ok());
  }
  return files;
}

std::shared_ptr<MemoryFileSystem> FileSystemWith(const Files& files) {
  auto fs = NewMemoryFileSystem();
  EXPECT_TRUE(fs->CreateDirIfMissing(kDirectory).ok());
  for (const auto& [name, bytes] : files) {
    const std::string path = std::string(kDirectory) + "/" + name;
    EXPECT_TRUE(WriteStringToFile(fs.get(), bytes, path, true).ok());
  }
  return fs;
}

Options OptionsOn(const std::shared_ptr<FileSystem>& fs) {
  Options options;
  options.file_system = fs;
  options.job_runner = NewDeterministicJobRunner(1);
  return options;
}

// A table in level 1, one in level 0 that overwrites and deletes, and a log.
struct Sample {
  Files files;
  // What shows after each record of the log; the last is what shows.
  std::vector<KeyValues> history;
  // Where each record of the log ends.
  std::vector<size_t> record_ends;

  const KeyValues& shown() const { return history.back(); }
  // The name of the only file of this type; of the newest where there are
  // more.
  std::string Name(FileType type) const {
    std::string found;
    for (const auto& [name, bytes] : files) {
      const auto parsed = ParseFileName(name);
      if (parsed && parsed->type == type) found = name;
    }
    EXPECT_NE(found, "");
    return found;
  }
};

Sample MakeSample() {
  const auto fs = NewMemoryFileSystem();
  Options options = OptionsOn(fs);
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  EXPECT_TRUE(DB::Open(options, kDirectory, &db).ok());
  Sample sample;
  Model model;
  const auto put = [&](const std::string& key, const std::string& value) {
    model[key] = value;
    EXPECT_TRUE(db->Put(WriteOptions(), key, value).ok());
  };
  const auto remove = [&](const std::string& key) {
    model.erase(key);
    EXPECT_TRUE(db->Delete(WriteOptions(), key).ok());
  };
  for (int i = 0; i < 10; ++i) put("key" + std::to_string(i), "first value");
  EXPECT_TRUE(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  put("key2", "second value");
  remove("key3");
  put("other", "");
  EXPECT_TRUE(db->Flush(FlushOptions()).ok());

  sample.history.push_back(Listing(model));
  const auto record = [&] {
    const Files files = FilesOf(fs.get());
    sample.files = files;
    sample.history.push_back(Listing(model));
    sample.record_ends.push_back(files.at(sample.Name(FileType::kLog)).size());
  };
  put("key4", "third value");
  record();
  remove("key5");
  record();
  put("last", "of all");
  record();
  EXPECT_TRUE(db->Close().ok());
  sample.files = FilesOf(fs.get());
  return sample;
}

bool NamesAFile(const Status& status) {
  return status.message().find(std::string(kDirectory) + "/") !=
         std::string::npos;
}

enum class Outcome { kRefused, kRight, kReadFailed };

// Opens a database of these files and compares it with what is expected.
Outcome Try(const Files& files, const KeyValues& expected) {
  const auto fs = FileSystemWith(files);
  std::unique_ptr<DB> db;
  Status status = DB::Open(OptionsOn(fs), kDirectory, &db);
  if (!status.ok()) {
    EXPECT_TRUE(NamesAFile(status)) << status;
    EXPECT_TRUE(FilesOf(fs.get()) == files)
        << "the refusal changed files: " << status;
    return Outcome::kRefused;
  }
  EXPECT_EQ(DifferenceFrom(expected, db.get(), &status), "");
  if (status.ok()) return Outcome::kRight;
  EXPECT_TRUE(NamesAFile(status)) << status;
  return Outcome::kReadFailed;
}

// How often each outcome came.
using Tally = std::map<Outcome, int>;

Tally FlipEachByte(const Sample& sample, const std::string& name) {
  Tally tally;
  for (size_t i = 0; i < sample.files.at(name).size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      SCOPED_TRACE(name + ": byte " + std::to_string(i) + " ^ " +
                   std::to_string(mask));
      Files files = sample.files;
      char& byte = files.at(name)[i];
      byte = static_cast<char>(byte ^ mask);
      ++tally[Try(files, sample.shown())];
    }
  }
  return tally;
}

Tally CutEachLength(const Sample& sample, const std::string& name) {
  Tally tally;
  for (size_t n = 0; n < sample.files.at(name).size(); ++n) {
    SCOPED_TRACE(name + ": cut to " + std::to_string(n) + " of " +
                 std::to_string(sample.files.at(name).size()));
    Files files = sample.files;
    files.at(name).resize(n);
    ++tally[Try(files, sample.shown())];
  }
  return tally;
}

TEST(DirectoryDamageTest, AnUndamagedSampleIsRight) {
  const Sample sample = MakeSample();
  EXPECT_EQ(Try(sample.files, sample.shown()), Outcome::kRight);
  EXPECT_EQ(sample.history.size(), 4u);
}

TEST(DirectoryDamageTest, DamagedTables) {
  const Sample sample = MakeSample();
  int tables = 0;
  for (const auto& [name, bytes] : sample.files) {
    const auto parsed = ParseFileName(name);
    if (!parsed || parsed->type != FileType::kTable) continue;
    ++tables;
    Tally tally = FlipEachByte(sample, name);
    EXPECT_GT(tally[Outcome::kRefused], 0);
    EXPECT_GT(tally[Outcome::kReadFailed], 0);
    tally = CutEachLength(sample, name);
    EXPECT_EQ(tally[Outcome::kRefused], static_cast<int>(bytes.size()));
  }
  EXPECT_EQ(tables, 2);
}

TEST(DirectoryDamageTest, DamagedManifest) {
  const Sample sample = MakeSample();
  const std::string name = sample.Name(FileType::kDescriptor);
  const auto size = static_cast<int>(sample.files.at(name).size());
  EXPECT_EQ(FlipEachByte(sample, name)[Outcome::kRefused], 3 * size);
  EXPECT_EQ(CutEachLength(sample, name)[Outcome::kRefused], size);
}

TEST(DirectoryDamageTest, DamagedCurrent) {
  const Sample sample = MakeSample();
  const auto size = static_cast<int>(sample.files.at("CURRENT").size());
  EXPECT_EQ(FlipEachByte(sample, "CURRENT")[Outcome::kRefused], 3 * size);
  EXPECT_EQ(CutEachLength(sample, "CURRENT")[Outcome::kRefused], size);
}

// It is no part of any answer.
TEST(DirectoryDamageTest, DamagedIdentity) {
  const Sample sample = MakeSample();
  const auto size = static_cast<int>(sample.files.at("IDENTITY").size());
  EXPECT_EQ(FlipEachByte(sample, "IDENTITY")[Outcome::kRight], 3 * size);
  EXPECT_EQ(CutEachLength(sample, "IDENTITY")[Outcome::kRight], size);
}

// A record that is not whole at the end of a log is what a crash leaves: it
// was not acknowledged as durable, and history ends before it.
TEST(DirectoryDamageTest, ACutLogIsAPrefixOfHistory) {
  const Sample sample = MakeSample();
  const std::string name = sample.Name(FileType::kLog);
  size_t whole = 0;
  for (size_t n = 0; n <= sample.files.at(name).size(); ++n) {
    SCOPED_TRACE("cut to " + std::to_string(n));
    if (whole < 3 && n == sample.record_ends[whole]) ++whole;
    Files files = sample.files;
    files.at(name).resize(n);
    EXPECT_EQ(Try(files, sample.history[whole]), Outcome::kRight);
  }
  EXPECT_EQ(whole, 3u);
}

TEST(DirectoryDamageTest, AFlippedByteInALogIsSeenUnlessAtItsEnd) {
  const Sample sample = MakeSample();
  const std::string name = sample.Name(FileType::kLog);
  for (size_t i = 0; i < sample.files.at(name).size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      SCOPED_TRACE("byte " + std::to_string(i) + " ^ " + std::to_string(mask));
      Files files = sample.files;
      char& byte = files.at(name)[i];
      byte = static_cast<char>(byte ^ mask);
      const bool in_last = i >= sample.record_ends[1];
      EXPECT_EQ(Try(files, sample.history[2]),
                in_last ? Outcome::kRight : Outcome::kRefused);
    }
  }
}

TEST(DirectoryDamageTest, MissingFiles) {
  const Sample sample = MakeSample();
  for (const auto& [name, bytes] : sample.files) {
    SCOPED_TRACE(name);
    Files files = sample.files;
    files.erase(name);
    const auto type = ParseFileName(name)->type;
    const bool needless = type == FileType::kIdentity;
    if (type == FileType::kLog) continue;  // no reader can know of it
    EXPECT_EQ(Try(files, sample.shown()),
              needless ? Outcome::kRight : Outcome::kRefused);
  }
}

}  // namespace
}  // namespace tamis
