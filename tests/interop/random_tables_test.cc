// SPDX-License-Identifier: Apache-2.0
//
// Tables of random layouts, each written by one engine and read by the other.
// Both show the same entries, their filters give the same answers for present
// and absent keys, and the filters have the same bytes.
//
//   TAMIS_SEED=n      only that seed
//   TAMIS_SEEDS=n     n seeds instead of 400
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/sst_file_writer.h>

#include "tamis/perf_context.h"

#include "tests/interop/random_layout.h"
#include "tests/support/effort.h"
#include "tests/support/table_filters.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

constexpr uint64_t kGroups = 8;
constexpr uint64_t kSeedsByDefault = 400;
constexpr size_t kAbsentKeys = 200;

// What came of a Get: the value, and what the filter said on the way.
struct Told {
  std::optional<std::string> value;
  uint64_t maybe = 0;
  uint64_t no = 0;

  friend bool operator==(const Told&, const Told&) = default;
};

void PrintTo(const Told& told, std::ostream* out) {
  *out << (told.value ? "found" : "not found") << ", filter: " << told.maybe
       << " maybe, " << told.no << " no";
}

using Answers = std::vector<Told>;

#define ASSERT_OK(expression)                \
  do {                                       \
    const auto ok_ = (expression);           \
    ASSERT_TRUE(ok_.ok()) << ok_.ToString(); \
  } while (false)

Entries EntriesOf(const RandomRows& rows) {
  Entries entries;
  for (const auto& [key, value] : rows) {
    entries.emplace_back(
        InternalKey(key, 0, value ? kTypeValue : kTypeDeletion),
        value.value_or(""));
  }
  return entries;
}

// RocksDB, on files in memory.
class Peer {
 public:
  Peer() : env_(rocksdb::NewMemEnv(rocksdb::Env::Default())) {
    rocksdb::SetPerfLevel(rocksdb::kEnableCount);
  }

  void Write(rocksdb::Options options, const RandomRows& rows,
             std::string* contents) {
    options.env = env_.get();
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    ASSERT_OK(writer.Open("/theirs.sst"));
    for (const auto& [key, value] : rows) {
      ASSERT_OK(value ? writer.Put(key, *value) : writer.Delete(key));
    }
    ASSERT_OK(writer.Finish());
    ASSERT_OK(rocksdb::ReadFileToString(env_.get(), "/theirs.sst", contents));
  }

  // Ingests the table and reads `keys` from it. Expects a scan to show `rows`.
  void Read(rocksdb::Options options, const std::string& contents,
            const RandomRows& rows, const std::vector<std::string>& keys,
            Answers* answers) {
    options.env = env_.get();
    ASSERT_OK(rocksdb::WriteStringToFile(env_.get(), contents, "/table.sst"));
    rocksdb::DB* raw = nullptr;
    ASSERT_OK(rocksdb::DB::Open(options, "/db", &raw));
    std::unique_ptr<rocksdb::DB> db(raw);
    rocksdb::IngestExternalFileOptions ingest;
    ingest.verify_checksums_before_ingest = true;
    ASSERT_OK(db->IngestExternalFile({"/table.sst"}, ingest));
    ASSERT_OK(db->VerifyChecksum());
    ExpectScanShows(db.get(), rows);
    for (const std::string& key : keys) {
      rocksdb::get_perf_context()->Reset();
      std::string value;
      const rocksdb::Status status =
          db->Get(rocksdb::ReadOptions(), key, &value);
      ASSERT_TRUE(status.ok() || status.IsNotFound()) << status.ToString();
      Told& told = answers->emplace_back();
      if (status.ok()) told.value = std::move(value);
      told.maybe = rocksdb::get_perf_context()->bloom_sst_hit_count;
      told.no = rocksdb::get_perf_context()->bloom_sst_miss_count;
    }
    db.reset();
    ASSERT_OK(rocksdb::DestroyDB("/db", options));
  }

 private:
  static void ExpectScanShows(rocksdb::DB* db, const RandomRows& rows) {
    rocksdb::ReadOptions all;
    all.total_order_seek = true;
    const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(all));
    it->SeekToFirst();
    for (const auto& [key, value] : rows) {
      if (!value) continue;
      ASSERT_TRUE(it->Valid()) << it->status().ToString();
      ASSERT_EQ(it->key().ToString(), key);
      ASSERT_EQ(it->value().ToString(), *value);
      it->Next();
    }
    ASSERT_FALSE(it->Valid());
    ASSERT_OK(it->status());
  }

  const std::unique_ptr<rocksdb::Env> env_;
};

// The same of ours. *filters, *name: as FiltersOf.
void ReadOurselves(const TableBuildOptions& options,
                   const std::string& contents, const RandomRows& rows,
                   const std::vector<std::string>& keys, Answers* answers,
                   TableFilters* filters, std::string* name) {
  TableContext context = TestContext();
  context.prefix_extractor = options.prefix_extractor;
  const auto opened = OpenTable(contents, context);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const TableReader& table = **opened;
  ASSERT_EQ(table.VerifyChecksums(), Status::OK());
  Status status;
  const auto it = table.NewIterator(ReadContext());
  const Entries entries = EntriesOf(rows);
  ASSERT_EQ(ScanForward(it.get(), &status), entries);
  ASSERT_EQ(ScanBackward(it.get(), &status), entries);
  ASSERT_TRUE(status.ok()) << status;
  for (const std::string& key : keys) {
    get_perf_context()->Reset();
    Answer answer = GetFrom(table, key);
    ASSERT_TRUE(answer.status.ok() || answer.status.IsNotFound())
        << answer.status;
    Told& told = answers->emplace_back();
    if (answer.status.ok()) told.value = std::move(answer.value);
    told.maybe = get_perf_context()->bloom_sst_hit_count;
    told.no = get_perf_context()->bloom_sst_miss_count;
    ASSERT_EQ(table.KeyMayMatch(key, ReadContext()), told.no == 0);
  }
  *filters = FiltersOf(table, contents, name);
}

// Where partitions end, and how large they are.
std::string Shown(const TableFilters& filters) {
  std::string text;
  for (const auto& [end, bytes] : filters) {
    text += " " + std::to_string(bytes.size()) + " to " +
            Slice(end).ToString(true) + ",";
  }
  return text;
}

void ExpectEqual(const TableFilters& ours, const TableFilters& theirs) {
  ASSERT_EQ(Shown(ours), Shown(theirs));
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_TRUE(ours[i].second == theirs[i].second) << "bytes of " << i;
  }
}

void ExpectEqual(const std::vector<std::string>& keys, const Answers& ours,
                 const Answers& theirs) {
  ASSERT_EQ(ours.size(), keys.size());
  ASSERT_EQ(theirs.size(), keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(ours[i], theirs[i]) << "key " << Slice(keys[i]).ToString(true);
  }
}

// Both tables, both readers.
void CompareSides(const RandomLayout& layout, const RandomRows& rows,
                  const std::vector<std::string>& absent, Peer* peer,
                  TableFilters* filters) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : rows) keys.push_back(key);
  keys.insert(keys.end(), absent.begin(), absent.end());

  const std::string ours = BuildTable(layout.Ours(), EntriesOf(rows));
  std::string theirs;
  ASSERT_NO_FATAL_FAILURE(peer->Write(layout.Theirs(), rows, &theirs));

  Answers we_of_ours;
  Answers we_of_theirs;
  Answers they_of_ours;
  Answers they_of_theirs;
  std::string our_name;
  std::string their_name;
  TableFilters their_filters;
  ASSERT_NO_FATAL_FAILURE(ReadOurselves(layout.Ours(), ours, rows, keys,
                                        &we_of_ours, filters, &our_name));
  ASSERT_NO_FATAL_FAILURE(ReadOurselves(layout.Ours(), theirs, rows, keys,
                                        &we_of_theirs, &their_filters,
                                        &their_name));
  EXPECT_EQ(our_name, their_name);
  ExpectEqual(*filters, their_filters);
  ASSERT_NO_FATAL_FAILURE(
      peer->Read(layout.Theirs(), ours, rows, keys, &they_of_ours));
  ASSERT_NO_FATAL_FAILURE(
      peer->Read(layout.Theirs(), theirs, rows, keys, &they_of_theirs));
  {
    SCOPED_TRACE("answers of our table");
    ExpectEqual(keys, we_of_ours, they_of_ours);
  }
  {
    SCOPED_TRACE("answers of their table");
    ExpectEqual(keys, we_of_theirs, they_of_theirs);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(we_of_ours[i].no, 0u) << "a false negative";
  }
}

class RandomTablesTest : public testing::TestWithParam<uint64_t> {
 protected:
  void Compare(uint64_t seed) {
    Random random(seed);
    const RandomLayout layout = RandomLayout::Draw(&random);
    SCOPED_TRACE("TAMIS_SEED=" + std::to_string(seed) + ": " + layout.Name());
    const RandomRows rows = DrawRows(&random);
    const std::vector<std::string> absent =
        DrawAbsentKeys(&random, rows, kAbsentKeys);
    TableFilters filters;
    CompareSides(layout, rows, absent, &peer_, &filters);
    if (HasFailure()) {
      std::printf("TAMIS_SEED=%llu\n", static_cast<unsigned long long>(seed));
    }
  }

  Peer peer_;
};

TEST_P(RandomTablesTest, BothEnginesWriteAndAnswerTheSame) {
  if (std::getenv("TAMIS_SEED") != nullptr) {
    if (GetParam() == 0) Compare(FromEnvironment("TAMIS_SEED", 0));
    return;
  }
  const uint64_t count = SeedCount(kSeedsByDefault);
  for (uint64_t seed = GetParam(); seed < count && !HasFailure();
       seed += kGroups) {
    Compare(seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTablesTest,
                         testing::Range(uint64_t{0}, kGroups));

// The seeds above are enough to meet each choice with each kind of filter.
TEST(RandomLayoutTest, SeedsReachEveryChoice) {
  std::set<std::string> met;
  for (uint64_t seed = 0; seed < kSeedsByDefault; ++seed) {
    Random random(seed);
    const RandomLayout layout = RandomLayout::Draw(&random);
    const std::string filter =
        " with filter " + std::to_string(static_cast<int>(layout.filter));
    const auto meet = [&](const char* what, int choice) {
      met.insert(what + std::to_string(choice) + filter);
    };
    meet("version ", static_cast<int>(layout.version));
    meet("checksum ", layout.checksum);
    meet("codec ", layout.codec);
    meet("index ", static_cast<int>(layout.index));
    meet("prefix ", static_cast<int>(layout.prefix));
    meet("whole keys ", layout.whole_keys);
    meet("hash index ", layout.hashed_data);
    meet("aligned ", layout.align);
    if (layout.filter != RandomLayout::Filter::kNone) {
      meet("partitioned ", layout.partitioned);
      meet("their hashed index ", layout.their_index_is_hashed);
    }
  }
  constexpr size_t kChoices = 6 + 5 + 3 + 3 + 3 * 2;
  constexpr size_t kOfFilters = 2 * 2;
  const size_t codecs = SupportedCompressions().size();
  EXPECT_EQ(met.size(), 3 * (kChoices + codecs) + 2 * kOfFilters);
}

// Many keys in few large data blocks. The index alone would not be cut for
// long, so the filter requests the cuts.
struct Cut {
  const char* name;
  bool ribbon;
  double bits_per_key;
  RandomLayout::Prefix prefix;
  bool whole_keys;
  uint32_t version;
  bool long_separators;  // and index partitions fill up, too
};

void PrintTo(const Cut& cut, std::ostream* out) { *out << cut.name; }

class FilterCutTest : public testing::TestWithParam<Cut> {};

TEST_P(FilterCutTest, PartitionsEndWhereTheFilterRequests) {
  const Cut& cut = GetParam();
  Random random(7);
  RandomRows rows;
  for (int i = 0; i < (kSanitizer ? 15000 : 30000); ++i) {
    char key[32];
    std::snprintf(key, sizeof(key), "key%08d%s", i * 3,
                  cut.long_separators ? "with more of it" : "");
    rows[key] = i % 11 == 5
                    ? std::nullopt
                    : std::optional(std::string(random.Uniform(20), 'v'));
  }
  RandomLayout layout;
  layout.version = cut.version;
  layout.index = BlockBasedTableOptions::kTwoLevelIndexSearch;
  layout.partitioned = true;
  layout.filter =
      cut.ribbon ? RandomLayout::Filter::kRibbon : RandomLayout::Filter::kBloom;
  layout.bloom_before_level = -1;
  layout.bits_per_key = cut.bits_per_key;
  layout.prefix = cut.prefix;
  layout.prefix_bytes = 9;  // ten or so keys share one
  layout.whole_keys = cut.whole_keys;
  layout.block_size = cut.long_separators ? 512 : 16384;
  layout.metadata_block_size = 4096;
  layout.codec = kSnappyCompression;
  const std::vector<std::string> absent = DrawAbsentKeys(&random, rows, 3000);
  Peer peer;
  TableFilters filters;
  CompareSides(layout, rows, absent, &peer, &filters);
  RecordProperty("partitions", std::to_string(filters.size()));
  EXPECT_GE(filters.size(), 3u);
  if (cut.long_separators) return;
  // The index alone would be one partition.
  EXPECT_LT(rows.size() * 32 / layout.block_size * 24,
            2 * layout.metadata_block_size);
}

constexpr auto kNoPrefix = RandomLayout::Prefix::kNone;
constexpr auto kFixed = RandomLayout::Prefix::kFixed;
constexpr auto kCapped = RandomLayout::Prefix::kCapped;

constexpr Cut kCuts[] = {
    {"Bloom", false, 10, kNoPrefix, true, 5, false},
    {"BloomFraction", false, 13.37, kNoPrefix, true, 5, false},
    {"BloomPrefixToo", false, 10, kFixed, true, 5, false},
    {"BloomPrefixOnly", false, 30, kCapped, false, 5, false},
    {"BloomLongKeys", false, 10, kFixed, true, 5, true},
    {"LegacyBloom", false, 10, kNoPrefix, true, 4, false},
    {"LegacyBloomPrefixToo", false, 12, kCapped, true, 2, false},
    {"Ribbon", true, 10, kNoPrefix, true, 5, false},
    {"RibbonFraction", true, 7.77, kNoPrefix, true, 5, false},
    {"RibbonPrefixToo", true, 10, kFixed, true, 5, false},
    {"RibbonLongKeys", true, 10, kCapped, true, 4, true},
};

INSTANTIATE_TEST_SUITE_P(Filters, FilterCutTest, testing::ValuesIn(kCuts),
                         [](const testing::TestParamInfo<Cut>& cut) {
                           return std::string(cut.param.name);
                         });

}  // namespace
}  // namespace tamis
