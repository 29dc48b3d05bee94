// SPDX-License-Identifier: Apache-2.0
//
// The filters inside tables that RocksDB wrote, rebuilt from the tables' keys
// and compared byte for byte.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "filter/filter_registry.h"
#include "tests/support/directories.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

// The user keys of a .scan: "'HEX' seq:N, type:T => VALUE", in their order,
// repeated where a key has several versions.
std::vector<std::string> UserKeysOf(const fs::path& scan) {
  std::vector<std::string> keys;
  std::ifstream in(scan);
  for (std::string line; std::getline(in, line);) {
    const std::string hex = line.substr(1, line.find('\'', 1) - 1);
    std::string& key = keys.emplace_back();
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
      key.push_back(
          static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    }
  }
  return keys;
}

// The bits per key that a table's name says, where its filter is of its keys
// alone.
std::optional<double> BitsPerKeyOf(const std::string& name) {
  static const std::regex bits("fv\\d_(bloom|ribbon)_bits(.+)");
  static const std::regex plain("fv\\d_full_bloom");
  std::smatch match;
  if (std::regex_match(name, match, bits)) return std::stod(match[2]);
  if (std::regex_match(name, plain)) return 10;
  return std::nullopt;
}

// The bytes of the table's full filter.
std::string FullFilterOf(const std::string& contents, const fs::path& path) {
  TableContext context = TestContext();
  context.file_name = path.string();
  const auto table = OpenTable(contents, context);
  EXPECT_TRUE(table.ok()) << table.status();
  if (!table.ok()) return "";
  const auto layout = (*table)->ReadLayout();
  EXPECT_TRUE(layout.ok()) << layout.status();
  if (!layout.ok()) return "";
  for (const auto& [name, handle] : layout->metaindex) {
    if (name != MetaindexKey(FilterPlacement::kFull, kBuiltinBloomFamily)) {
      continue;
    }
    return contents.substr(handle.offset, handle.size);
  }
  ADD_FAILURE() << "no full filter in " << path;
  return "";
}

std::string Rebuild(const FilterCodec& codec, double bits_per_key,
                    const std::vector<std::string>& keys) {
  const auto builder = codec.NewBuilder(bits_per_key);
  for (const std::string& key : keys) builder->Add(FilterKey(key));
  return *builder->Finish();
}

class GoldenFilterTest : public testing::TestWithParam<const char*> {};

TEST_P(GoldenFilterTest, FullFiltersAreRebuiltFromTheirKeys) {
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  const FilterLocator full{FilterPlacement::kFull,
                           std::string(kBuiltinBloomFamily)};
  int rebuilt = 0;
  for (const auto& file :
       fs::directory_iterator(fs::path(root) / "golden" / GetParam())) {
    fs::path path = file.path();
    if (path.extension() != ".sst") continue;
    const std::optional<double> bits = BitsPerKeyOf(path.stem().string());
    if (!bits) continue;
    const std::string theirs = FullFilterOf(ReadWholeFile(path), path);
    // Ribbon policies write Bloom filters when they flush, so the bytes, not
    // the name, say which codec it was.
    const FilterCodec* const codec = FindCodec(full, theirs);
    ASSERT_NE(codec, nullptr) << path;
    RecordProperty(path.stem().string(), std::string(codec->name()));
    const std::string ours =
        Rebuild(*codec, *bits, UserKeysOf(path.replace_extension(".scan")));
    EXPECT_EQ(Slice(ours).ToString(true), Slice(theirs).ToString(true)) << path;
    ++rebuilt;
  }
  EXPECT_GE(rebuilt, 20);
}

// Not 11.9, which fits the length of its filters to malloc's buckets.
INSTANTIATE_TEST_SUITE_P(Releases, GoldenFilterTest,
                         testing::Values("rocksdb-6.29.5", "rocksdb-7.8.3"),
                         [](const auto& which) {
                           std::string name = which.param;
                           for (char& c : name) {
                             if (c == '-' || c == '.') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace tamis
