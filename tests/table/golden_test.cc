// SPDX-License-Identifier: Apache-2.0
//
// Compares tables of other engines with the output of these engines' tools.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/directories.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

// "'KEY' seq:N, type:T => VALUE", as sst_dump --output_hex prints it.
std::string Line(const std::string& key, const std::string& value) {
  return InternalKeyToString(key) + " => " + Slice(value).ToString(true);
}

std::vector<std::string> Lines(const Entries& entries) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : entries) lines.push_back(Line(key, value));
  return lines;
}

std::vector<std::string> LinesOf(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TableContext ContextFor(const fs::path& path) {
  TableContext context = TestContext();
  context.file_name = path.string();
  return context;
}

// Opens `path` and compares it with the .scan beside it. nullopt: refused as
// not supported.
std::optional<bool> ScansLikeRecorded(const fs::path& path) {
  auto opened = OpenTable(ReadWholeFile(path), ContextFor(path));
  if (!opened.ok()) {
    EXPECT_TRUE(opened.status().IsNotSupported()) << opened.status();
    return std::nullopt;
  }
  Status status;
  auto it = (*opened)->NewIterator(ReadContext());
  const Entries forward = ScanForward(it.get(), &status);
  if (status.IsNotSupported()) return std::nullopt;
  EXPECT_TRUE(status.ok()) << status;
  fs::path scan = path;
  EXPECT_EQ(Lines(forward), LinesOf(scan.replace_extension(".scan"))) << path;
  EXPECT_EQ(ScanBackward(it.get(), &status), forward) << path;
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ((*opened)->VerifyChecksums(), Status::OK()) << path;
  return true;
}

// A key that has only puts and deletions in the table, and no tombstone over
// it, has its answer in the table. A filter never hides one.
void CheckGets(const fs::path& path) {
  auto opened = OpenTable(ReadWholeFile(path), ContextFor(path));
  if (!opened.ok()) return;
  Status status;
  auto it = (*opened)->NewIterator(ReadContext());
  for (const auto& [key, value] : ScanForward(it.get(), &status)) {
    if ((ExtractTail(key) & 0xff) != kTypeValue) continue;
    const Answer got =
        GetFrom(**opened, ExtractUserKey(key), ExtractSequence(key));
    ASSERT_TRUE(got.status.ok())
        << path << InternalKeyToString(key) << got.status;
    ASSERT_EQ(got.value, value) << path << InternalKeyToString(key);
  }
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(
        GetFrom(**opened, "absent" + std::to_string(i)).status.IsNotFound());
  }
}

struct Release {
  const char* name;
  int tables;
};

void PrintTo(const Release& release, std::ostream* out) {
  *out << release.name;
}

class GoldenTest : public testing::TestWithParam<Release> {};

TEST_P(GoldenTest, ScansAndGetsShowWhatWasRecorded) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  int read = 0;
  std::string refused;
  for (const auto& file :
       fs::directory_iterator(fs::path(root) / "golden" / GetParam().name)) {
    if (file.path().extension() != ".sst") continue;
    if (ScansLikeRecorded(file.path())) {
      CheckGets(file.path());
      ++read;
    } else {
      refused += " " + file.path().stem().string();
    }
  }
  EXPECT_EQ(read, GetParam().tables) << "refused:" << refused;
  RecordProperty("refused", refused);
}

INSTANTIATE_TEST_SUITE_P(Releases, GoldenTest,
                         testing::Values(Release{"rocksdb-6.29.5", 65},
                                         Release{"rocksdb-7.8.3", 59},
                                         Release{"rocksdb-11.9", 64}),
                         [](const testing::TestParamInfo<Release>& which) {
                           std::string name = which.param.name;
                           for (char& c : name) {
                             if (c == '-' || c == '.') c = '_';
                           }
                           return name;
                         });

TEST(GoldenFileTest, RangeTombstonesAreReadApartFromEntries) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  const std::string contents = ReadWholeFile(
      fs::path(root) / "golden" / "reference_dump" / "fv5_full_bloom.sst");
  const auto opened = OpenTable(contents);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const auto tombstones = (*opened)->ReadRangeTombstones();
  ASSERT_TRUE(tombstones.ok()) << tombstones.status();
  EXPECT_EQ(tombstones->size(), (*opened)->properties()->num_range_deletions);
  EXPECT_FALSE(tombstones->empty());
}

// LevelDB's tables: another footer, no properties, a block-based filter.
TEST(GoldenFileTest, EveryEntryOfLevelDBsTablesIsFound) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  int read = 0;
  for (const auto& file : fs::recursive_directory_iterator(
           fs::path(root) / "golden" / "leveldb-1.23")) {
    if (file.path().extension() != ".ldb") continue;
    auto opened =
        OpenTable(ReadWholeFile(file.path()), ContextFor(file.path()));
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_EQ((*opened)->VerifyChecksums(), Status::OK());
    Status status;
    auto it = (*opened)->NewIterator(ReadContext());
    const Entries entries = ScanForward(it.get(), &status);
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_FALSE(entries.empty());
    EXPECT_EQ(ScanBackward(it.get(), &status), entries);
    CheckGets(file.path());
    ++read;
  }
  EXPECT_GE(read, 3);
}

// The worked example of the format: data block, filter and index.
TEST(GoldenFileTest, WeWriteTheBlocksThatRocksDBWrites) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  const auto files = nlohmann::json::parse(
      ReadWholeFile(fs::path(root) / "vectors" / "small_sst_files.json"));
  const Entries entries = {{InternalKey("apple", 0), "1"},
                           {InternalKey("apricot", 0), "22"},
                           {InternalKey("banana", 0), "333"}};
  constexpr size_t kUpToProperties = 165;
  int compared = 0;
  for (const auto& file : files) {
    if (file["name"] != "small_fv5_ck4" ||
        file["writer"].get<std::string>().find("7.8.3") == std::string::npos) {
      continue;
    }
    TableBuildOptions options(Bytewise());
    options.compression = kNoCompression;
    const std::string theirs =
        FromHexDigits(file["file_hex"].get<std::string>());
    const std::string ours = BuildTable(options, entries);
    EXPECT_EQ(Slice(ours.data(), kUpToProperties).ToString(true),
              Slice(theirs.data(), kUpToProperties).ToString(true));
    ++compared;
  }
  EXPECT_EQ(compared, 1);
}

TEST(GoldenFileTest, SmallFilesHoldTheRecordedKeys) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  const auto files = nlohmann::json::parse(
      ReadWholeFile(fs::path(root) / "vectors" / "small_sst_files.json"));
  int read = 0;
  for (const auto& file : files) {
    const auto name = file["name"].get<std::string>();
    Entries expected;
    for (const auto& pair : file["kv_hex"]) {
      expected.emplace_back(FromHexDigits(pair[0].get<std::string>()),
                            FromHexDigits(pair[1].get<std::string>()));
    }
    auto opened = OpenTable(FromHexDigits(file["file_hex"].get<std::string>()));
    if (opened.status().IsNotSupported()) continue;
    ASSERT_TRUE(opened.ok()) << name << opened.status();
    Status status;
    auto it = (*opened)->NewIterator(ReadContext());
    Entries got;
    for (const auto& [key, value] : ScanForward(it.get(), &status)) {
      got.emplace_back(ExtractUserKey(key).ToString(), value);
      EXPECT_EQ(GetFrom(**opened, ExtractUserKey(key)).value, value) << name;
    }
    if (status.IsNotSupported()) continue;
    EXPECT_TRUE(status.ok()) << name << status;
    EXPECT_EQ(got, expected) << name;
    ++read;
  }
  EXPECT_GE(read, 32);
}

}  // namespace
}  // namespace tamis
