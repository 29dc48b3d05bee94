// SPDX-License-Identifier: Apache-2.0
//
// Iterators over tables with prefix filters show what the model shows, with any
// filters; and a seek for an absent prefix reads no table.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/db/test_db.h"
#include "tests/support/prefixes.h"
#include "util/base/random.h"

namespace tamis {
namespace {

struct Later {
  const Comparator* order;
  bool operator()(const std::string& a, const std::string& b) const {
    return order->Compare(a, b) < 0;
  }
};
using Model = std::map<std::string, std::string, Later>;

// What an iterator with these options has to show.
class ModelIterator {
 public:
  ModelIterator(const Model& model, const ReadOptions& options,
                const SliceTransform* extractor)
      : order_(model.key_comp().order),
        options_(options),
        extractor_(options.prefix_same_as_start ? extractor : nullptr) {
    for (const auto& entry : model) {
      const Slice* const lower = options.iterate_lower_bound;
      const Slice* const upper = options.iterate_upper_bound;
      if ((lower == nullptr || order_->Compare(entry.first, *lower) >= 0) &&
          (upper == nullptr || order_->Compare(entry.first, *upper) < 0)) {
        within_bounds_.push_back(entry);
      }
    }
  }
  bool Valid() const { return at_ >= 0 && at_ < Size(); }
  void SeekToFirst() {
    Stay(options_.iterate_lower_bound);
    at_ = 0;
    if (options_.iterate_lower_bound == nullptr) StayWhereItIs();
  }
  void SeekToLast() {
    Stay(options_.iterate_upper_bound);
    at_ = Size() - 1;
    if (options_.iterate_upper_bound == nullptr) StayWhereItIs();
  }
  void Seek(const Slice& target) {
    Stay(&target);
    for (at_ = 0; Valid() && order_->Compare(Entry().first, target) < 0;) ++at_;
  }
  void SeekForPrev(const Slice& target) {
    Stay(&target);
    for (at_ = Size() - 1;
         Valid() && order_->Compare(Entry().first, target) > 0;) {
      --at_;
    }
  }
  void Next() { ++at_; }
  void Prev() { --at_; }
  const std::pair<std::string, std::string>& Entry() const {
    return shown_[static_cast<size_t>(at_)];
  }

 private:
  int Size() const { return static_cast<int>(shown_.size()); }
  // Shows only what has the prefix of the key, if it has one.
  void Stay(const Slice* key) {
    shown_ = within_bounds_;
    if (key == nullptr || extractor_ == nullptr ||
        !extractor_->InDomain(*key)) {
      return;
    }
    const std::string prefix = extractor_->Transform(*key).ToString();
    std::erase_if(shown_, [&](const auto& entry) {
      return !extractor_->InDomain(entry.first) ||
             extractor_->Transform(entry.first) != Slice(prefix);
    });
  }
  void StayWhereItIs() {
    if (!Valid()) return;
    const std::string key = Entry().first;
    const Slice start(key);
    Stay(&start);
    for (at_ = 0; Entry().first != key;) ++at_;
  }

  const Comparator* const order_;
  const ReadOptions options_;
  const SliceTransform* const extractor_;
  std::vector<std::pair<std::string, std::string>> within_bounds_;
  std::vector<std::pair<std::string, std::string>> shown_;
  int at_ = -1;
};

enum class Filter {
  kNone,
  kFull,
  kPrefixOnly,
  kPartitioned,
  kDecoupled,
  kDecoupledPrefixOnly,
  kBlockBased
};

struct Case {
  Filter filter;
  int extractor;  // 0, 1: fixed, capped of 2 bytes; 2: a user's own
  bool reverse;
};

class PrefixSeekTest : public DBTest, public testing::WithParamInterface<Case> {
 protected:
  void Configure(const Case& c) {
    options_.comparator =
        c.reverse ? ReverseBytewiseComparator() : BytewiseComparator();
    options_.prefix_extractor.reset(
        c.extractor == 0   ? NewFixedPrefixTransform(2)
        : c.extractor == 1 ? NewCappedPrefixTransform(2)
                           : new BeforeSlash);
    BlockBasedTableOptions table;
    table.block_size = 64;
    table.metadata_block_size = 64;
    table.no_block_cache = true;
    table.whole_key_filtering = c.filter != Filter::kPrefixOnly &&
                                c.filter != Filter::kDecoupledPrefixOnly;
    if (c.filter == Filter::kNone) {
      table.filter_policy = nullptr;
    } else {
      table.filter_policy.reset(
          NewBloomFilterPolicy(20, c.filter == Filter::kBlockBased));
    }
    table.decouple_partitioned_filters =
        c.filter == Filter::kDecoupled ||
        c.filter == Filter::kDecoupledPrefixOnly;
    if (c.filter == Filter::kPartitioned ||
        table.decouple_partitioned_filters) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    SetTable(table);
    options_.disable_auto_compactions = true;
    options_.target_file_size_base = 600;
  }

  // Prefixes are few, so that tables have some of them and lack others.
  std::string RandomKey() {
    constexpr char kBytes[] = {'a', 'b', '/', '\xff', '\0'};
    std::string key;
    for (size_t n = random_.Uniform(6); key.size() < n;) {
      key.push_back(kBytes[random_.Uniform(5)]);
    }
    return key;
  }

  void Fill(Model* model) {
    for (int table = 0; table < 8; ++table) {
      const std::string lead(random_.Uniform(2), 'a');
      for (int i = 0; i < 25; ++i) {
        const std::string key = lead + RandomKey();
        if (random_.OneIn(4)) {
          model->erase(key);
          Delete(key);
        } else {
          (*model)[key] = std::to_string(random_.Next());
          Put(key, (*model)[key]);
        }
      }
      if (table != 7) Flush();  // the last stays in memory
      if (table == 3) Compact();
    }
  }

  void CheckIterators(const Model& model) {
    const std::string low = RandomKey();
    const std::string high = RandomKey();
    const Slice lower(low);
    const Slice upper(high);
    ReadOptions options;
    if (random_.OneIn(2)) options.iterate_lower_bound = &lower;
    if (random_.OneIn(2)) options.iterate_upper_bound = &upper;
    options.prefix_same_as_start = random_.OneIn(2);
    options.total_order_seek = random_.OneIn(4);
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    ModelIterator expected(model, options, options_.prefix_extractor.get());
    std::string trace =
        "bounds [" + lower.ToString(true) + "? " + upper.ToString(true) + "?)";
    for (int step = 0; step < 40; ++step) {
      Step(it.get(), &expected, &trace);
      ASSERT_TRUE(it->status().ok()) << it->status() << trace;
      ASSERT_EQ(it->Valid(), expected.Valid()) << trace;
      if (!it->Valid()) continue;
      ASSERT_EQ(it->key().ToString(true),
                Slice(expected.Entry().first).ToString(true))
          << trace;
      ASSERT_EQ(it->value(), Slice(expected.Entry().second)) << trace;
    }
  }

  void Step(Iterator* it, ModelIterator* expected, std::string* trace) {
    const std::string target = RandomKey();
    const uint64_t what = random_.Uniform(it->Valid() ? 12 : 4);
    switch (what) {
      case 0:
        it->Seek(target);
        expected->Seek(target);
        break;
      case 1:
        it->SeekForPrev(target);
        expected->SeekForPrev(target);
        break;
      case 2:
        it->SeekToFirst();
        expected->SeekToFirst();
        break;
      case 3:
        it->SeekToLast();
        expected->SeekToLast();
        break;
      default:
        if (what % 2 == 0) {
          it->Next();
          expected->Next();
        } else {
          it->Prev();
          expected->Prev();
        }
    }
    constexpr const char* kNames[] = {"Seek", "SeekForPrev", "SeekToFirst",
                                      "SeekToLast"};
    *trace += what < 4 ? std::string(" ") + kNames[what] + " " +
                             Slice(target).ToString(true)
                       : (what % 2 == 0 ? " Next" : " Prev");
  }

  Random random_{20250301};
};

TEST_P(PrefixSeekTest, RandomMovesAgreeWithTheModel) {
  Configure(GetParam());
  Model model(Later{options_.comparator});
  for (int round = 0; round < 3; ++round) {
    Open();
    if (HasFatalFailure()) return;
    Fill(&model);
    for (int i = 0; i < 120; ++i) {
      CheckIterators(model);
      if (HasFatalFailure()) return;
    }
    Reopen();
  }
  const bool asked = GetParam().filter != Filter::kNone &&
                     GetParam().filter != Filter::kBlockBased;
  EXPECT_EQ(Tick(BLOOM_FILTER_PREFIX_USEFUL) > 100, asked)
      << Tick(BLOOM_FILTER_PREFIX_USEFUL);
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const Filter filter :
       {Filter::kNone, Filter::kFull, Filter::kPrefixOnly, Filter::kPartitioned,
        Filter::kDecoupled, Filter::kDecoupledPrefixOnly,
        Filter::kBlockBased}) {
    for (const int extractor : {0, 1, 2}) {
      for (const bool reverse : {false, true}) {
        cases.push_back({filter, extractor, reverse});
      }
    }
  }
  return cases;
}

std::string CaseName(const testing::TestParamInfo<Case>& info) {
  constexpr const char* kFilters[] = {"None",       "Full",
                                      "PrefixOnly", "Partitioned",
                                      "Decoupled",  "DecoupledPrefixOnly",
                                      "BlockBased"};
  constexpr const char* kExtractors[] = {"Fixed", "Capped", "Own"};
  return std::string(kFilters[static_cast<int>(info.param.filter)]) +
         kExtractors[info.param.extractor] +
         (info.param.reverse ? "Reverse" : "");
}

INSTANTIATE_TEST_SUITE_P(Layouts, PrefixSeekTest, testing::ValuesIn(AllCases()),
                         CaseName);

class PrefixFilterEffectTest : public PrefixSeekTest {
 protected:
  // Writes keys of three or four bytes with the prefixes k0, k2, k4, k6 and k8.
  void FillEvenPrefixes() {
    Configure(GetParam());
    Open();
    for (int i = 0; i < 10; i += 2) {
      for (int j = 0; j < 20; ++j) {
        Put("k" + std::to_string(i) + std::to_string(j), "value");
      }
    }
    Flush();
    Reopen();
    // What opening reads is not what seeks read.
    EXPECT_EQ(Get("k001"), "NOT_FOUND");
  }
  uint64_t BlocksReadBy(const ReadOptions& options, bool forward,
                        const Slice& target) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    get_perf_context()->Reset();
    if (forward) {
      it->Seek(target);
    } else {
      it->SeekForPrev(target);
    }
    EXPECT_TRUE(it->status().ok()) << it->status();
    return get_perf_context()->block_read_count;
  }
};

TEST_P(PrefixFilterEffectTest, ASeekForAnAbsentPrefixReadsNoTable) {
  FillEvenPrefixes();
  const Slice low("k3");
  const Slice high("k4");
  ReadOptions bounded;
  bounded.iterate_lower_bound = &low;
  bounded.iterate_upper_bound = &high;
  ReadOptions promised;
  promised.prefix_same_as_start = true;
  for (const bool forward : {true, false}) {
    EXPECT_EQ(BlocksReadBy(bounded, forward, "k35"), 0u) << forward;
    EXPECT_EQ(BlocksReadBy(promised, forward, "k35"), 0u) << forward;
    EXPECT_GT(BlocksReadBy(ReadOptions(), forward, "k35"), 0u) << forward;
    promised.total_order_seek = true;
    EXPECT_GT(BlocksReadBy(promised, forward, "k35"), 0u) << forward;
    promised.total_order_seek = false;
  }
  EXPECT_EQ(BlocksReadBy(bounded, false, "k9"), 0u);  // back from the bound
  // A promise about a prefix that is there is kept by a read.
  EXPECT_GT(BlocksReadBy(promised, true, "k45"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Layouts, PrefixFilterEffectTest,
                         testing::Values(Case{Filter::kFull, 0, false},
                                         Case{Filter::kFull, 1, false},
                                         Case{Filter::kPrefixOnly, 0, false}),
                         CaseName);

TEST_F(PrefixSeekTest, AFileSkippedByOneSeekIsReadByTheNext) {
  Configure({Filter::kFull, 0, false});
  Open();
  Put("aa1", "1");
  Put("cc1", "2");
  Flush();
  Put("aa0", "3");
  Put("bb1", "4");
  Put("cc0", "5");
  Flush();
  ReadOptions options;
  options.prefix_same_as_start = true;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->Seek("bb1");  // the older table has no bb
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "bb1");
  it->SeekForPrev("aa9");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "aa1");
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "aa0");
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "aa1");
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_GT(Tick(BLOOM_FILTER_PREFIX_USEFUL), 0u);
}

TEST_F(PrefixSeekTest, IteratorsDoNotProbeFiltersOfAnotherExtractor) {
  Configure({Filter::kPrefixOnly, 0, false});
  Open();
  Put("aa1", "1");
  Flush();
  options_.prefix_extractor.reset(NewFixedPrefixTransform(3));
  Reopen();
  ReadOptions options;
  options.prefix_same_as_start = true;
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->Seek("aa1");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), "aa1");
  EXPECT_EQ(Tick(BLOOM_FILTER_PREFIX_CHECKED), 0u);
  // Any prefix of a key tells whether the key may be there.
  EXPECT_EQ(Get("aa1"), "1");
  EXPECT_EQ(Tick(BLOOM_FILTER_PREFIX_CHECKED), 1u);
}

TEST_F(PrefixSeekTest, OptimizeFiltersForHitsOmitsThoseOfTheLastLevel) {
  Configure({Filter::kFull, 0, false});
  options_.optimize_filters_for_hits = true;
  Open();
  Put("aa1", "1");
  Flush();
  EXPECT_GT(OnlyTable().filter_size, 0u);
  Compact(/*force=*/true);
  EXPECT_EQ(OnlyTable().filter_size, 0u);
  EXPECT_EQ(Get("aa1"), "1");
  options_.optimize_filters_for_hits = false;
  Reopen();
  Compact(/*force=*/true);
  EXPECT_GT(OnlyTable().filter_size, 0u);
}

}  // namespace
}  // namespace tamis
