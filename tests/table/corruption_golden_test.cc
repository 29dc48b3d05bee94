// SPDX-License-Identifier: Apache-2.0
//
// Damage to tables of kinds that only other engines write, and to the block of
// range deletions: the right result, or a Status that names the file.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

TableContext Context() {
  TableContext context = TestContext();
  return context;
}

// All that a table shows.
struct Shown {
  Entries entries;
  std::vector<RangeTombstone> tombstones;
};

void ExpectNamed(const Status& status) {
  EXPECT_FALSE(status.ok() || status.IsNotFound()) << status;
  EXPECT_NE(status.message().find("test.sst"), std::string::npos) << status;
}

// Whether all of it is shown; false: something failed, by name.
bool ShowsAll(const std::string& contents, const Shown& right) {
  const auto opened = OpenTable(contents, Context());
  if (!opened.ok()) {
    ExpectNamed(opened.status());
    return false;
  }
  Status status;
  const auto it = (*opened)->NewIterator(ReadContext());
  const Entries entries = ScanForward(it.get(), &status);
  const auto tombstones = (*opened)->ReadRangeTombstones();
  if (status.ok()) {
    EXPECT_EQ(entries, right.entries);
  } else {
    ExpectNamed(status);
  }
  if (tombstones.ok()) {
    EXPECT_EQ(*tombstones, right.tombstones);
  } else {
    ExpectNamed(tombstones.status());
  }
  const Status verified = (*opened)->VerifyChecksums();
  if (!status.ok() || !tombstones.ok()) {
    EXPECT_FALSE(verified.ok());
  }
  return status.ok() && tombstones.ok() && verified.ok();
}

Shown Show(const std::string& contents) {
  Shown shown;
  const auto opened = OpenTable(contents, Context());
  EXPECT_TRUE(opened.ok()) << opened.status();
  if (!opened.ok()) return shown;
  Status status;
  const auto it = (*opened)->NewIterator(ReadContext());
  shown.entries = ScanForward(it.get(), &status);
  EXPECT_TRUE(status.ok()) << status;
  auto tombstones = (*opened)->ReadRangeTombstones();
  EXPECT_TRUE(tombstones.ok()) << tombstones.status();
  if (tombstones.ok()) shown.tombstones = *std::move(tombstones);
  EXPECT_FALSE(shown.entries.empty());
  return shown;
}

// Every `step`th byte flipped, and as many truncations. The footer's padding
// means nothing.
void Damage(const std::string& contents, size_t step) {
  const Shown right = Show(contents);
  for (size_t i = 0; i < contents.size(); i += step) {
    SCOPED_TRACE("byte " + std::to_string(i));
    std::string copy = contents;
    copy[i] = static_cast<char>(copy[i] ^ 0x41);
    const bool all = ShowsAll(copy, right);
    EXPECT_TRUE(!all || i + kFooterBytes >= contents.size());
    EXPECT_FALSE(ShowsAll(contents.substr(0, i), right));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(CorruptionOfRangeDeletionsTest, EachFlippedByteIsDetectedOrHarmless) {
  for (const uint32_t version : {0u, 2u, 5u, 7u}) {
    SCOPED_TRACE(version);
    TableBuildOptions options(Bytewise());
    options.table.format_version = version;
    options.table.checksum = kCRC32c;
    std::string contents;
    StringWritableFile file(&contents);
    TableBuilder builder(options, &file);
    builder.AddRangeDeletion("b", "d", 9);
    builder.AddRangeDeletion("m", "pp", 7);
    builder.Add(InternalKey("a", 3), "1");
    builder.Add(InternalKey("n", 8), "2");
    ASSERT_EQ(builder.Finish(), Status::OK());
    Damage(contents, 1);
  }
}

TEST(CorruptionOfGoldenTablesTest, FlipsAndTruncationsAreDetectedOrHarmless) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  constexpr size_t kPlaces = 150;
  for (const char* name :
       {"rocksdb-11.9/zstd_dict", "rocksdb-11.9/index_hash",
        "rocksdb-11.9/fv7_partitioned_ribbon", "rocksdb-11.9/fv6_full_bloom",
        "rocksdb-11.9/data_hash_index", "rocksdb-7.8.3/index_first_key",
        "rocksdb-7.8.3/fv5_ribbon_bits10", "rocksdb-7.8.3/compress_zlib",
        "rocksdb-7.8.3/compress_lz4hc", "rocksdb-6.29.5/zstd_dict",
        "rocksdb-6.29.5/fv2_blockbased_bloom",
        "rocksdb-6.29.5/fv0_full_bloom"}) {
    SCOPED_TRACE(name);
    const std::string contents =
        ReadWholeFile(fs::path(root) / "golden" / (std::string(name) + ".sst"));
    Damage(contents, contents.size() / kPlaces + 1);
  }
}

}  // namespace
}  // namespace tamis
