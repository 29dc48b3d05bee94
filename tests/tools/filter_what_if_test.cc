// SPDX-License-Identifier: Apache-2.0
//
// tamis_sst_dump --command=filter --what_if: the shares that it prints, and the
// limits of filters of cut keys.
#include "tools/filter_what_if.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"

#include "filter/filter_registry.h"
#include "tests/support/directories.h"
#include "tests/support/key_shapes.h"
#include "tests/tools/program.h"
#include "tools/truncated_bound.h"

namespace tamis {
namespace {

using Keys = std::vector<std::string>;

Keys YcsbKeys(size_t n) {
  Random random(301);
  return DrawKeys({"", YcsbKey, /*prefix_bytes=*/0}, n, &random);
}

// Files of folders with long random names.
Keys FolderKeys() {
  Random random(301);
  Keys keys;
  for (int folder = 0; folder < 400; ++folder) {
    std::string name = "/";
    for (int i = 0; i < 14; ++i) {
      name.push_back(static_cast<char>('a' + random.Uniform(26)));
    }
    for (int file = 0; file < 50; ++file) {
      keys.push_back(name + "/" + std::to_string(random.Uniform(1000)) + ".h");
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// The lines that PrintWhatIf prints.
std::vector<std::string> WhatIf(const Keys& keys) {
  std::string text;
  const Status status =
      PrintWhatIf(keys, 10, [&text](std::string_view part) { text += part; });
  EXPECT_TRUE(status.ok()) << status;
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The words of the line that begins with `name`, after that.
std::vector<std::string> RowOf(const std::vector<std::string>& lines,
                               const std::string& name) {
  for (const std::string& line : lines) {
    if (!line.starts_with("  " + name + " ")) continue;
    std::istringstream words(line.substr(name.size() + 2));
    std::vector<std::string> row;
    for (std::string word; words >> word;) {
      if (word != "%" && word != "ns" && word != "~") row.push_back(word);
    }
    return row;
  }
  ADD_FAILURE() << "no line " << name;
  return std::vector<std::string>(6, "0");
}

TEST(FilterWhatIfTest, YcsbKeysAreExcludedAsEachFormatPromises) {
  const auto lines = WhatIf(YcsbKeys(60000));
  for (const FilterCodec* codec : BuiltinCodecs()) {
    const std::string name(codec->name());
    if (name.starts_with("LevelDB")) continue;
    const auto row = RowOf(lines, name);
    ASSERT_GE(row.size(), 4u);
    EXPECT_GE(std::stod(row[3]), 98.5) << name;
    EXPECT_LE(std::stod(row[3]), 99.9) << name;
  }
  for (const RangeFilterCodec* codec : RangeFilterCodecs()) {
    RowOf(lines, std::string(codec->name()) + ", 16 bits");
  }
  const auto fence = RowOf(lines, "Fence, 12 bits");
  EXPECT_NEAR(std::stod(fence[0]), 11.7, 0.3);
  EXPECT_GE(std::stod(fence[3]), 99);
  EXPECT_GE(std::stod(fence[4]), 99);
  EXPECT_LE(std::stod(fence[5]), 1);
  const auto cut = RowOf(lines, "cut 1 bytes later");
  EXPECT_NEAR(std::stod(cut[0]), 10.5, 0.5);
  EXPECT_NEAR(std::stod(cut[4]), 96, 1);
}

// Where range filters are not worth their memory.
TEST(FilterWhatIfTest, FoldersOfFilesGetNoneOrALargeOne) {
  const auto lines = WhatIf(FolderKeys());
  EXPECT_EQ(RowOf(lines, "Grafite, 16 bits")[0], "none");
  const std::string fence = RowOf(lines, "Fence, 16 bits")[0];
  EXPECT_TRUE(fence == "none" || std::stod(fence) > 25) << fence;
  const auto cut = RowOf(lines, "cut 0 bytes later");
  EXPECT_LE(std::stod(cut[4]), 70);
}

TEST(FilterWhatIfTest, FewKeysAreRefused) {
  const Status status =
      PrintWhatIf(YcsbKeys(1000), 10, [](std::string_view) {});
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
}

TEST(TruncatedKeysTest, RangesWithKeysMatchAndLongerStartsExcludeMore) {
  for (const KeyShape& shape : kKeyShapes) {
    Random random(301);
    const Keys all = DrawKeys(shape, 3000, &random);
    Keys keys;
    for (const std::string& key : all) {
      if (random.OneIn(4)) keys.push_back(key);
    }
    size_t before = all.size();
    double bits = 0;
    for (const size_t extra : {0u, 1u, 3u, 100u}) {
      const TruncatedKeys cut(keys, extra);
      size_t matches = 0;
      for (size_t i = 0; i + 1 < all.size(); ++i) {
        const std::string& end = all[i + 1];
        const auto at = std::lower_bound(keys.begin(), keys.end(), all[i]);
        const bool holds = at != keys.end() && *at < end;
        const bool may = cut.MayMatch(all[i], end);
        EXPECT_TRUE(may || !holds) << shape.name;
        matches += may;
        // Whole keys are exact.
        EXPECT_TRUE(may == holds || extra < 100) << shape.name;
      }
      EXPECT_LE(matches, before) << shape.name;
      EXPECT_GE(cut.bits_per_key(), bits) << shape.name;
      before = matches;
      bits = cut.bits_per_key();
    }
  }
}

TEST(FilterWhatIfTest, ExitCodesSayWhatWentWrong) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("table.sst");
  SstFileWriter writer{Options()};
  ASSERT_TRUE(writer.Open(path).ok());
  for (const std::string& key : YcsbKeys(5000)) {
    ASSERT_TRUE(writer.Put(key, "value").ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  const auto run = [&path](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"--file=" + path, "--command=filter"});
    return RunOurs("tamis_sst_dump", flags);
  };
  const Outcome shown = run({"--what_if"});
  EXPECT_EQ(shown.exit_code, 0) << shown.text;
  EXPECT_NE(shown.text.find("\n  BumpedRibbon "), std::string::npos)
      << shown.text;
  EXPECT_EQ(run({"--what_if", "--what_if_stored=1"}).exit_code, 1);
  EXPECT_EQ(run({"--what_if", "--what_if_stored=0"}).exit_code, 2);
  EXPECT_EQ(run({"--what_if", "--what_if_stored=100"}).exit_code, 2);
  EXPECT_EQ(run({"--what_if", "--probe_file=" + path}).exit_code, 2);
}

}  // namespace
}  // namespace tamis
