// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's results for keys of the recorded tables, present and absent. The
// filter matches every key that was found, rejects others at the rate that the
// formula of its kind gives, and Get gives the same result if the table alone
// decides it.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/bloom_math.h"
#include "tests/support/directories.h"
#include "tests/support/table_filters.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;

constexpr int kMadeAbsentKeys = 2000;  // beside those recorded

// Of all tables whose filters are of one kind.
struct Tally {
  int tables = 0;
  double asked = 0;
  double passed = 0;
  double predicted = 0;  // to pass
};

struct Recorded {
  std::string key;
  bool found;
  std::string value;
};

// key-hex TAB found|notfound TAB value-hex, a line each.
std::vector<Recorded> ReadRecorded(const fs::path& path) {
  std::vector<Recorded> all;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find('\t');
    const size_t second = line.find('\t', first + 1);
    all.push_back({FromHexDigits(line.substr(0, first)),
                   line.substr(first + 1, second - first - 1) == "found",
                   FromHexDigits(line.substr(second + 1))});
  }
  return all;
}

std::shared_ptr<const SliceTransform> ExtractorNamed(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (name.find("rocksdb.") != 0) return nullptr;
  const auto bytes = static_cast<size_t>(std::stoul(name.substr(dot + 1)));
  return std::shared_ptr<const SliceTransform>(
      name.find("Fixed") != std::string::npos
          ? NewFixedPrefixTransform(bytes)
          : NewCappedPrefixTransform(bytes));
}

// A table that was recorded, and what is in it.
class GoldenTable {
 public:
  explicit GoldenTable(const fs::path& path)
      : path_(path), contents_(ReadWholeFile(path)) {
    TableContext context = TestContext();
    context.file_name = path.string();
    Open(context);
    if (table_ == nullptr) return;
    context.prefix_extractor =
        ExtractorNamed(table_->properties()->prefix_extractor_name);
    Open(context);
    Status status;
    const auto it = table_->NewIterator(ReadContext());
    for (auto& [key, value] : ScanForward(it.get(), &status)) {
      newest_.try_emplace(ExtractUserKey(key).ToString(), key);
    }
    EXPECT_TRUE(status.ok()) << status;
    auto tombstones = table_->ReadRangeTombstones();
    EXPECT_TRUE(tombstones.ok()) << tombstones.status();
    if (tombstones.ok()) tombstones_ = *std::move(tombstones);
    filters_ = FiltersOf(*table_, contents_, &filter_name_);
  }

  bool ok() const { return table_ != nullptr; }

  // Counts the keys whose answer the table alone decides.
  void CheckAnswers(int* decided) const {
    for (const Recorded& recorded : Gets()) {
      SCOPED_TRACE(path_.string() + " key " + ToHex(recorded.key));
      if (recorded.found) {
        ASSERT_TRUE(table_->KeyMayMatch(recorded.key, ReadContext()));
      }
      const auto newest = newest_.find(recorded.key);
      if (newest == newest_.end()) {
        ASSERT_FALSE(recorded.found);
        ASSERT_TRUE(GetFrom(*table_, recorded.key).status.IsNotFound());
        continue;
      }
      const auto type =
          static_cast<uint8_t>(ExtractTail(newest->second) & 0xff);
      if (type == kTypeMerge || IsCovered(newest->second)) continue;
      const Answer got = GetFrom(*table_, recorded.key);
      ASSERT_TRUE(got.status.ok() || got.status.IsNotFound()) << got.status;
      ASSERT_EQ(got.status.ok(), recorded.found);
      ASSERT_EQ(got.value, recorded.value);
      ++*decided;
    }
  }

  // Asks the filter, if it holds whole keys, for keys that are not there:
  // those recorded, and more between those that are.
  void CountAbsent(std::map<std::string, Tally>* tallies) const {
    if (filters_.empty() || !table_->properties()->whole_key_filtering) return;
    std::string kind;
    const double rate = PredictedRate(&kind);
    Tally& tally = (*tallies)[kind];
    ++tally.tables;
    const auto ask = [&](const std::string& key) {
      if (newest_.count(key) != 0) return;
      ++tally.asked;
      tally.passed += table_->KeyMayMatch(key, ReadContext());
      tally.predicted += rate;
    };
    for (const Recorded& recorded : Gets()) {
      if (!recorded.found) ask(recorded.key);
    }
    auto at = newest_.begin();
    for (int i = 0; i < kMadeAbsentKeys; ++i) {
      ask(at->first + "absent" + std::to_string(i));
      // The last one has nothing behind it.
      if (++at == newest_.end() || std::next(at) == newest_.end()) {
        at = newest_.begin();
      }
    }
  }

 private:
  void Open(const TableContext& context) {
    auto opened = OpenTable(contents_, context);
    EXPECT_TRUE(opened.ok()) << opened.status();
    table_ = opened.ok() ? std::move(*opened) : nullptr;
  }
  std::vector<Recorded> Gets() const {
    fs::path path = path_;
    return ReadRecorded(path.replace_extension(".gets.tsv"));
  }
  bool IsCovered(const Slice& newest) const {
    const std::string key = ExtractUserKey(newest).ToString();
    for (const RangeTombstone& tombstone : tombstones_) {
      if (tombstone.begin <= key && key < tombstone.end &&
          tombstone.sequence > ExtractSequence(newest)) {
        return true;
      }
    }
    return false;
  }
  // *kind: the codec and its bits a key.
  double PredictedRate(std::string* kind) const {
    const auto where = ParseMetaindexKey(filter_name_);
    const TableProperties& p = *table_->properties();
    if (where->placement == FilterPlacement::kBlockBased) {
      constexpr uint32_t kBits = 10;  // of all that have whole keys alone
      *kind = "block-based";
      return PlainBloomFalsePositiveRate(kBits, PlainBloomProbes(kBits));
    }
    // 6.29 does not tell how many entries there are.
    const double keys = p.num_filter_entries != 0
                            ? static_cast<double>(p.num_filter_entries)
                            : static_cast<double>(newest_.size());
    size_t bytes = 0;
    for (const auto& [end, filter] : filters_) bytes += filter.size();
    double rate = 0;
    const FilterCodec* codec = nullptr;
    for (const auto& [end, filter] : filters_) {
      const double share =
          static_cast<double>(filter.size()) / static_cast<double>(bytes);
      codec = FindCodec(*where, filter);
      EXPECT_NE(codec, nullptr) << path_;
      if (codec == nullptr) return 1;
      rate += share * codec->PredictedFalsePositiveRate(
                          filter, static_cast<size_t>(keys * share));
    }
    const double bits = static_cast<double>(8 * bytes) / keys;
    *kind = std::string(codec->name()) + " of about " +
            std::to_string(bits > 6 ? std::lround(bits / 4) * 4
                                    : std::lround(bits)) +
            " bits";
    return rate;
  }

  const fs::path path_;
  const std::string contents_;
  std::unique_ptr<TableReader> table_;
  std::map<std::string, std::string> newest_;  // user key to internal key
  std::vector<RangeTombstone> tombstones_;
  TableFilters filters_;
  std::string filter_name_;
};

std::vector<fs::path> GoldenTables() {
  std::vector<fs::path> tables;
  const fs::path root = fs::path(std::getenv("TAMIS_GOLDEN_DIR")) / "golden";
  for (const char* writer :
       {"rocksdb-6.29.5", "rocksdb-7.8.3", "rocksdb-11.9"}) {
    for (const auto& file : fs::directory_iterator(root / writer)) {
      if (file.path().extension() == ".sst") tables.push_back(file.path());
    }
  }
  return tables;
}

TEST(GoldenGetsTest, FiltersMatchAndGetsFindEveryRecordedKey) {
  if (std::getenv("TAMIS_GOLDEN_DIR") == nullptr) {
    GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  }
  int tables = 0;
  int decided = 0;
  for (const fs::path& path : GoldenTables()) {
    const GoldenTable table(path);
    ASSERT_TRUE(table.ok());
    int of_this = 0;
    table.CheckAnswers(&of_this);
    if (HasFatalFailure()) return;
    EXPECT_GT(of_this, 0) << path;
    decided += of_this;
    ++tables;
  }
  EXPECT_EQ(tables, 65 + 59 + 64);
  RecordProperty("decided", decided);
  std::cout << tables << " tables, " << decided << " answers\n";
}

TEST(GoldenGetsTest, FalsePositiveRatesFollowTheirFormula) {
  if (std::getenv("TAMIS_GOLDEN_DIR") == nullptr) {
    GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set";
  }
  std::map<std::string, Tally> tallies;
  for (const fs::path& path : GoldenTables()) {
    const GoldenTable table(path);
    ASSERT_TRUE(table.ok());
    table.CountAbsent(&tallies);
  }
  EXPECT_GE(tallies.size(), 10u);
  for (const auto& [kind, tally] : tallies) {
    std::cout << kind << ": " << tally.tables << " tables, passed "
              << tally.passed << " of " << tally.asked << ", predicted "
              << tally.predicted << "\n";
    // The tables of a kind hold nearly the same few keys, and so nearly one
    // filter: its luck does not even out. Beside that, chance.
    const double chance = 4 * std::sqrt(tally.predicted) + 4;
    EXPECT_LE(tally.passed, 1.3 * tally.predicted + chance) << kind;
    EXPECT_GE(tally.passed, 0.7 * tally.predicted - chance) << kind;
  }
}

}  // namespace
}  // namespace tamis
