// SPDX-License-Identifier: Apache-2.0
//
// A scan over a cold table reads ahead: fewer and larger reads of the file, and
// the same results in every case, including errors of the file.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/tables.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Reads = std::vector<std::pair<uint64_t, size_t>>;

// A table in memory that tells of its reads and fails those it is told to.
class WatchedFile final : public RandomAccessFile {
 public:
  struct Watch {
    Reads reads;
    // Of the number of the read and its range; nullptr: all succeed.
    std::function<bool(size_t, uint64_t, uint64_t)> fails;
    // A failing read gives what stands before this offset; 0: half of what it
    // was to give.
    bool short_instead = false;
    uint64_t short_at = 0;
  };
  WatchedFile(const std::string* contents, Watch* watch)
      : contents_(*contents), watch_(watch) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    const size_t number = watch_->reads.size();
    watch_->reads.emplace_back(offset, n);
    EXPECT_LE(offset + n, contents_.size()) << "beyond the end of the file";
    if (watch_->fails && watch_->fails(number, offset, offset + n)) {
      if (!watch_->short_instead) return Status::IOError("watched", "fails");
      const uint64_t end = std::max(offset, watch_->short_at);
      n = watch_->short_at == 0 ? n / 2 : static_cast<size_t>(end - offset);
    }
    std::memcpy(scratch, contents_.data() + offset, n);
    *result = Slice(scratch, n);
    return Status::OK();
  }

 private:
  const std::string& contents_;
  Watch* const watch_;
};

std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

class TableReadaheadTest : public testing::Test {
 protected:
  // 4000 entries in some 120 blocks of 4 KiB.
  TableReadaheadTest() {
    TableBuildOptions options(Bytewise());
    options.compression = kNoCompression;
    Random random(17);
    for (int i = 0; i < 4000; ++i) {
      entries_.emplace_back(InternalKey(Key(2 * i), 7),
                            std::string(100 + random.Uniform(50),
                                        static_cast<char>('a' + i % 26)));
    }
    contents_ = BuildTable(options, entries_);
  }
  void Open(std::shared_ptr<BlockCache> cache = nullptr) {
    watch_ = WatchedFile::Watch();
    TableContext context = TestContext();
    context.block_cache = std::move(cache);
    auto table =
        TableReader::Open(std::make_unique<WatchedFile>(&contents_, &watch_),
                          contents_.size(), context);
    ASSERT_TRUE(table.ok()) << table.status();
    table_ = *std::move(table);
    const auto layout = table_->ReadLayout();
    ASSERT_TRUE(layout.ok()) << layout.status();
    blocks_.clear();
    for (const auto& [separator, handle] : layout->data_blocks) {
      blocks_.push_back(handle);
    }
    ASSERT_GT(blocks_.size(), 100u);
    watch_.reads.clear();
  }
  static ReadContext ScanContext(size_t readahead_size) {
    ReadOptions options;
    options.readahead_size = readahead_size;
    return ReadContext::ForScan(options, nullptr, nullptr);
  }
  uint64_t EndOf(size_t block) const { return blocks_[block].end(); }
  std::pair<uint64_t, size_t> Alone(size_t block) const {
    return {blocks_[block].offset,
            static_cast<size_t>(blocks_[block].end() - blocks_[block].offset)};
  }
  std::unique_ptr<InternalIterator> Iterator(const ReadContext& context) const {
    return table_->NewIterator(context);
  }
  // Blocks read by themselves, one by one.
  Reads OneByOne() const {
    Reads reads;
    for (size_t i = 0; i < blocks_.size(); ++i) reads.push_back(Alone(i));
    return reads;
  }

  Entries entries_;
  std::string contents_;
  WatchedFile::Watch watch_;
  std::unique_ptr<TableReader> table_;
  std::vector<BlockHandle> blocks_;
};

TEST_F(TableReadaheadTest, AFullScanTakesFarFewerReadsAndShowsTheSame) {
  Status status;
  Open();
  EXPECT_EQ(ScanForward(Iterator(ReadContext()).get(), &status), entries_);
  EXPECT_EQ(watch_.reads, OneByOne()) << "who does not ask gets none";

  Open();
  EXPECT_EQ(ScanForward(Iterator(ScanContext(0)).get(), &status), entries_);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_LE(watch_.reads.size(), 10u) << blocks_.size() << " blocks";
  // Two alone, then 8 KiB behind the block, and twice as much each time. What
  // the window holds of the next block is not read again.
  ASSERT_GE(watch_.reads.size(), 6u);
  EXPECT_EQ(watch_.reads[0], Alone(0));
  EXPECT_EQ(watch_.reads[1], Alone(1));
  EXPECT_EQ(watch_.reads[2],
            std::make_pair(Alone(2).first, Alone(2).second + (8 << 10)));
  uint64_t ahead = 8 << 10;
  for (size_t i = 3; i < watch_.reads.size(); ++i) {
    const auto& [offset, n] = watch_.reads[i];
    EXPECT_EQ(offset, watch_.reads[i - 1].first + watch_.reads[i - 1].second);
    ahead *= 2;
    const uint64_t end = offset + n;
    if (end == contents_.size()) continue;
    const auto block = std::find_if(
        blocks_.begin(), blocks_.end(),
        [&](const BlockHandle& handle) { return handle.end() + ahead == end; });
    EXPECT_NE(block, blocks_.end()) << "read " << i;
  }
}

TEST_F(TableReadaheadTest, StopsGrowingAt256KiB) {
  TableBuildOptions options(Bytewise());
  options.compression = kNoCompression;
  entries_.clear();
  for (int i = 0; i < 20'000; ++i) {
    entries_.emplace_back(InternalKey(Key(i), 7), std::string(100, 'v'));
  }
  contents_ = BuildTable(options, entries_);
  Open();
  Status status;
  EXPECT_EQ(ScanForward(Iterator(ScanContext(0)).get(), &status), entries_);
  size_t largest = 0;
  for (const auto& read : watch_.reads) {
    largest = std::max(largest, read.second);
  }
  EXPECT_GT(largest, 250u << 10);
  EXPECT_LE(largest, (256u << 10) + Alone(0).second);
}

TEST_F(TableReadaheadTest, AFixedSizeIsReadFromTheFirstBlockOn) {
  for (const size_t size : {size_t{1}, size_t{10'000}, size_t{100'000},
                            size_t{1} << 40, SIZE_MAX}) {
    Open();
    Status status;
    EXPECT_EQ(ScanForward(Iterator(ScanContext(size)).get(), &status),
              entries_);
    EXPECT_TRUE(status.ok()) << status;
    const uint64_t left = contents_.size() - EndOf(0);
    EXPECT_EQ(watch_.reads[0].first, 0u);
    EXPECT_EQ(watch_.reads[0].second,
              EndOf(0) + std::min<uint64_t>(size, left));
    const size_t most = EndOf(blocks_.size() - 1) / size + 1;
    EXPECT_LE(watch_.reads.size(), std::min(blocks_.size(), most)) << size;
  }
}

TEST_F(TableReadaheadTest, ASeekAndAFewStepsReadNoMoreThanTheirBlocks) {
  Open();
  const auto it = Iterator(ScanContext(0));
  Random random(18);
  const auto is_alone = [this](const std::pair<uint64_t, size_t>& read) {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (read == Alone(i)) return true;
    }
    return false;
  };
  uint64_t last = UINT64_MAX;
  for (int i = 0; i < 500; ++i) {
    const auto at = random.Uniform(entries_.size() - 100);
    watch_.reads.clear();
    it->Seek(entries_[at].first);
    for (size_t step = 0; step < 10; ++step) {
      ASSERT_EQ(it->key().ToString(), entries_[at + step].first);
      it->Next();
    }
    ASSERT_FALSE(watch_.reads.empty());
    ASSERT_LE(watch_.reads.size(), 2u);
    // A scan that happens to start where the last one ended continues it.
    if (watch_.reads[0].first == last) break;
    for (const auto& read : watch_.reads) ASSERT_TRUE(is_alone(read));
    last = watch_.reads.back().first + watch_.reads.back().second;
  }
}

TEST_F(TableReadaheadTest, ASeekElsewhereResetsTheWindow) {
  Open();
  const auto it = Iterator(ScanContext(0));
  it->SeekToFirst();
  for (int i = 0; i < 1000; ++i) it->Next();
  watch_.reads.clear();
  it->Seek(entries_[3500].first);
  for (int i = 0; i < 10; ++i) it->Next();
  ASSERT_FALSE(watch_.reads.empty());
  for (const auto& read : watch_.reads) EXPECT_LT(read.second, 5000u);
  // The place of before is read anew.
  watch_.reads.clear();
  it->Seek(entries_[1000].first);
  EXPECT_EQ(watch_.reads.size(), 1u);
  EXPECT_EQ(it->value().ToString(), entries_[1000].second);
}

TEST_F(TableReadaheadTest, ABackwardScanReadsNothingAhead) {
  for (const size_t size : {size_t{0}, size_t{50'000}}) {
    Open();
    Status status;
    EXPECT_EQ(ScanBackward(Iterator(ScanContext(size)).get(), &status),
              entries_);
    Reads expected = OneByOne();
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(watch_.reads, expected);

    watch_.reads.clear();
    const auto it = Iterator(ScanContext(size));
    it->SeekForPrev(entries_[2000].first);
    for (int i = 0; i < 500; ++i) it->Prev();
    EXPECT_EQ(it->value().ToString(), entries_[1500].second);
    for (const auto& read : watch_.reads) EXPECT_LT(read.second, 5000u);
  }
}

TEST_F(TableReadaheadTest, ChangingDirectionShowsTheSame) {
  for (const size_t size : {size_t{0}, size_t{9'000}, size_t{70'000}}) {
    Open();
    const auto it = Iterator(ScanContext(size));
    Random random(19);
    size_t at = 0;
    it->SeekToFirst();
    for (int i = 0; i < 300; ++i) {
      const bool forward = random.Uniform(3) != 0;
      for (uint64_t steps = random.Uniform(300); steps > 0; --steps) {
        if (forward ? at + 1 == entries_.size() : at == 0) break;
        forward ? it->Next() : it->Prev();
        at = forward ? at + 1 : at - 1;
        ASSERT_TRUE(it->Valid()) << it->status();
        ASSERT_EQ(it->key().ToString(), entries_[at].first);
        ASSERT_EQ(it->value().ToString(), entries_[at].second);
      }
      if (random.Uniform(10) == 0) {
        at = random.Uniform(entries_.size());
        random.Uniform(2) == 0 ? it->Seek(entries_[at].first)
                               : it->SeekForPrev(entries_[at].first);
        ASSERT_EQ(it->value().ToString(), entries_[at].second);
      }
    }
  }
}

TEST_F(TableReadaheadTest, ResidentBlocksAreNotReadAgain) {
  const auto cache = std::make_shared<BlockCache>(8 << 20);
  Open(cache);
  Status status;
  EXPECT_EQ(ScanForward(Iterator(ScanContext(0)).get(), &status), entries_);
  EXPECT_LE(watch_.reads.size(), 10u);
  watch_.reads.clear();
  for (const size_t size : {size_t{0}, size_t{100'000}}) {
    EXPECT_EQ(ScanForward(Iterator(ScanContext(size)).get(), &status),
              entries_);
  }
  EXPECT_EQ(watch_.reads, Reads());
  // A scan that must not read shows only resident blocks.
  cache->EraseUnRefEntries();
  ReadContext memory = ScanContext(100'000);
  memory.tier = kBlockCacheTier;
  const auto it = Iterator(memory);
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status();
  EXPECT_EQ(watch_.reads, Reads());
}

// Bytes of the file that cannot be read end a scan at the block that holds
// them, with the words that a reader of single blocks would find.
TEST_F(TableReadaheadTest, DamagedRegionsGiveTheSameResult) {
  for (const bool short_instead : {false, true}) {
    for (size_t bad = 0; bad < 120; bad += bad < 20 ? 1 : 9) {
      std::pair<Entries, std::string> expected;
      const std::vector<ReadContext> contexts = {ReadContext(), ScanContext(0),
                                                 ScanContext(10'000),
                                                 ScanContext(200'000)};
      for (size_t i = 0; i < contexts.size(); ++i) {
        Open();
        const uint64_t place = blocks_[bad].offset + 100;
        watch_.short_instead = short_instead;
        watch_.short_at = place;
        watch_.fails = [place](size_t, uint64_t begin, uint64_t end) {
          return begin <= place && place < end;
        };
        Status status;
        Entries shown = ScanForward(Iterator(contexts[i]).get(), &status);
        EXPECT_FALSE(status.ok());
        std::pair<Entries, std::string> got(std::move(shown),
                                            status.ToString());
        if (i == 0) {
          expected = std::move(got);
          continue;
        }
        ASSERT_EQ(got.first, expected.first) << "block " << bad;
        ASSERT_EQ(got.second, expected.second) << "block " << bad;
      }
    }
  }
}

// A read that fails once: the scan continues if the failed bytes were read
// ahead, and ends if they were the block's.
TEST_F(TableReadaheadTest, EveryReadMayFailOnce) {
  for (const bool short_instead : {false, true}) {
    for (const size_t size : {size_t{0}, size_t{10'000}}) {
      bool failed = true;
      size_t survived = 0;
      for (size_t fault = 0; failed; ++fault) {
        Open();
        failed = false;
        watch_.short_instead = short_instead;
        watch_.fails = [&, fault](size_t number, uint64_t, uint64_t) {
          failed = failed || number == fault;
          return number == fault;
        };
        Status status;
        const Entries shown =
            ScanForward(Iterator(ScanContext(size)).get(), &status);
        ASSERT_LE(shown.size(), entries_.size());
        ASSERT_TRUE(std::equal(shown.begin(), shown.end(), entries_.begin()));
        ASSERT_EQ(status.ok(), shown.size() == entries_.size()) << status;
        if (failed && status.ok()) ++survived;
      }
      EXPECT_GT(survived, 0u);
    }
  }
}

TEST_F(TableReadaheadTest, AWrongChecksumNamesTheSameBlock) {
  Open();
  contents_[blocks_[60].offset + 10] ^= 1;
  Status alone;
  const Entries expected = ScanForward(Iterator(ReadContext()).get(), &alone);
  ASSERT_TRUE(alone.IsCorruption()) << alone;
  for (const size_t size : {size_t{0}, size_t{10'000}, size_t{1'000'000}}) {
    Status status;
    EXPECT_EQ(ScanForward(Iterator(ScanContext(size)).get(), &status),
              expected);
    EXPECT_EQ(status.ToString(), alone.ToString());
  }
}

TEST_F(TableReadaheadTest, AWrongBlockIsReadAgainByTheNextSeek) {
  for (const size_t size : {size_t{0}, size_t{1'000'000}}) {
    Open();
    const auto it = Iterator(ScanContext(size));
    char& byte = contents_[blocks_[60].offset + 10];
    byte = static_cast<char>(byte ^ 1);
    it->SeekToFirst();
    while (it->Valid()) it->Next();
    ASSERT_TRUE(it->status().IsCorruption()) << it->status();
    byte = static_cast<char>(byte ^ 1);
    Status status;
    EXPECT_EQ(ScanForward(it.get(), &status), entries_);
    EXPECT_TRUE(status.ok()) << status;
  }
}

}  // namespace
}  // namespace tamis
