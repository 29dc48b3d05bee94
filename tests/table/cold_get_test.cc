// SPDX-License-Identifier: Apache-2.0
//
// Point reads of tables whose blocks are never resident: their blocks are
// searched as they are stored, where that is possible.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/perf_context.h"
#include "tamis/statistics.h"
#include "tamis/utilities/merge_operators.h"

#include "table/thread_scratch.h"
#include "tests/support/tables.h"
#include "util/base/random.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

constexpr SequenceNumber kSequences[] = {0, 1, 2, 3, 30, 31, 64, 121};

std::string Key(int i) { return "key" + std::to_string(100000 + i); }

ValueType RandomType(Random* random) {
  switch (random->Uniform(6)) {
    case 0:
      return kTypeDeletion;
    case 1:
      return kTypeSingleDeletion;
    case 2:
      return kTypeMerge;
    default:
      return kTypeValue;
  }
}

// Bytes that compress a little, so that a block of them is stored compressed.
std::string HalfNoise(size_t n, Random* random) {
  std::string bytes(n, '\0');
  for (size_t i = 0; i < n * 3 / 4; ++i) {
    bytes[i] = static_cast<char>(random->Next());
  }
  return bytes;
}

// Keys with one version, and keys whose versions fill several blocks.
Entries VersionedEntries(int keys, size_t noise_bytes) {
  Random random(3);
  Entries entries;
  for (int i = 0; i < keys; ++i) {
    SequenceNumber versions = random.OneIn(4) ? 1 + random.Uniform(60) : 1;
    for (; versions > 0; --versions) {
      std::string value = std::to_string(i) + ":" + std::to_string(versions);
      if (random.OneIn(20)) value.append(random.Uniform(1500), 'l');
      if (noise_bytes > 0) value += HalfNoise(noise_bytes, &random);
      entries.emplace_back(
          InternalKey(Key(2 * i), 2 * versions, RandomType(&random)), value);
    }
  }
  return entries;
}

struct Case {
  const char* name;
  CompressionType compression;
  BlockBasedTableOptions::DataBlockIndexType data_index =
      BlockBasedTableOptions::kDataBlockBinarySearch;
  uint32_t format_version = 5;
  size_t block_size = 400;
  size_t noise_bytes = 0;  // of each value
};

class ColdGetTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (GetParam().compression != kNoCompression &&
        !CompressionSupported(GetParam().compression)) {
      GTEST_SKIP() << "this build lacks the codec";
    }
    TableBuildOptions options(Bytewise());
    options.table.block_size = GetParam().block_size;
    options.table.format_version = GetParam().format_version;
    if (GetParam().format_version == 0) options.table.checksum = kCRC32c;
    options.table.data_block_index_type = GetParam().data_index;
    options.compression = GetParam().compression;
    auto opened = OpenTable(BuildTable(options, entries_));
    ASSERT_TRUE(opened.ok()) << opened.status();
    table_ = std::move(*opened);
  }

  // What the versions say that are visible at `sequence`.
  Answer Expected(const std::string& user_key, SequenceNumber sequence) const {
    PinnableSlice value;
    GetContext get(&value, append_.get(), user_key);
    for (const auto& [key, stored] : entries_) {
      ParsedInternalKey parsed;
      EXPECT_TRUE(ParseInternalKey(key, &parsed));
      if (parsed.user_key != Slice(user_key) || parsed.sequence > sequence) {
        continue;
      }
      if (!get.Consume(parsed, stored, /*pin=*/nullptr)) break;
    }
    return AnswerOf(&get, value);
  }
  static Answer AnswerOf(GetContext* get, const PinnableSlice& value) {
    Answer answer;
    answer.status = get->Finish();
    if (answer.status.ok()) answer.value = value.ToString();
    return answer;
  }

  const Entries entries_ = VersionedEntries(300, GetParam().noise_bytes);
  const std::shared_ptr<MergeOperator> append_ =
      MergeOperators::CreateStringAppendOperator(",");
  std::unique_ptr<TableReader> table_;
};

TEST_P(ColdGetTest, EachVersionIsSeenAtItsSequenceNumber) {
  for (int i = -1; i < 601; ++i) {
    const std::string key = Key(i);
    for (const SequenceNumber sequence : kSequences) {
      PinnableSlice value;
      PointRead read(key, sequence, append_.get(), &value);
      table_->Get(&read, ReadContext());
      const Answer got = AnswerOf(&read.get, value);
      const Answer expected = Expected(key, sequence);
      ASSERT_EQ(got.status, expected.status) << key << " " << sequence;
      ASSERT_EQ(got.value, expected.value) << key << " " << sequence;
    }
  }
}

TEST_P(ColdGetTest, ABatchSeesTheSame) {
  for (const SequenceNumber sequence : kSequences) {
    for (int from = 0; from < 600; from += 20) {
      std::vector<std::string> keys;
      for (int i = from; i < from + 20; ++i) keys.push_back(Key(i));
      std::vector<PinnableSlice> values(keys.size());
      std::vector<std::unique_ptr<PointRead>> reads;
      std::vector<TableProbe> probes;
      for (size_t i = 0; i < keys.size(); ++i) {
        reads.push_back(std::make_unique<PointRead>(keys[i], sequence,
                                                    append_.get(), &values[i]));
        probes.push_back({table_.get(), reads.back().get()});
      }
      TableReader::MultiGet(probes, ReadContext());
      for (size_t i = 0; i < keys.size(); ++i) {
        const Answer got = AnswerOf(&reads[i]->get, values[i]);
        const Answer expected = Expected(keys[i], sequence);
        ASSERT_EQ(got.status, expected.status) << keys[i] << " " << sequence;
        ASSERT_EQ(got.value, expected.value) << keys[i] << " " << sequence;
      }
    }
  }
}

TEST_P(ColdGetTest, EachBlockReadIsCountedOnce) {
  SetPerfLevel(kEnableCount);
  const auto statistics = CreateDBStatistics();
  ReadContext context;
  context.statistics = statistics.get();
  uint64_t blocks = 0;
  for (int i = 0; i < 600; i += 7) {
    get_perf_context()->Reset();
    GetFrom(*table_, Key(i), kMaxSequenceNumber, context);
    blocks += get_perf_context()->block_read_count;
  }
  EXPECT_GT(blocks, 40u);
  const uint64_t decompressed =
      statistics->getTickerCount(NUMBER_BLOCK_DECOMPRESSED);
  if (GetParam().compression == kNoCompression) {
    EXPECT_EQ(decompressed, 0u);
  } else {
    // A block that does not compress is stored as it is.
    EXPECT_LE(decompressed, blocks);
    EXPECT_GT(decompressed, blocks / 2);
  }
}

// A seek decodes a block up to its target, and a step after it the rest.
TEST_P(ColdGetTest, AnIteratorMovesAsOverAList) {
  const auto it = table_->NewIterator(ReadContext());
  const auto at_or_after = [this](const std::string& target) {
    size_t i = 0;
    while (i < entries_.size() &&
           Bytewise().Compare(entries_[i].first, target) < 0) {
      ++i;
    }
    return i;
  };
  Random random(11);
  size_t at = entries_.size();  // none
  for (int step = 0; step < 4000; ++step) {
    const std::string target =
        InternalKey(Key(static_cast<int>(random.Uniform(602))),
                    kSequences[random.Uniform(std::size(kSequences))]);
    const uint64_t move = random.Uniform(5);
    if (move == 0) {
      it->Seek(target);
      at = at_or_after(target);
    } else if (move == 1) {
      it->SeekForPrev(target);
      at = at_or_after(target);
      if (at == entries_.size() || entries_[at].first != target) --at;
    } else if (at >= entries_.size()) {
      continue;
    } else if (move < 4) {
      it->Next();
      ++at;
    } else {
      it->Prev();
      --at;  // before the first, it is not an index
    }
    ASSERT_TRUE(it->status().ok()) << it->status();
    ASSERT_EQ(it->Valid(), at < entries_.size()) << "step " << step;
    if (!it->Valid()) continue;
    ASSERT_EQ(it->key(), Slice(entries_[at].first)) << "step " << step;
    ASSERT_EQ(it->value(), Slice(entries_[at].second)) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Forms, ColdGetTest,
    testing::Values(
        Case{"None", kNoCompression}, Case{"Snappy", kSnappyCompression},
        Case{"Lz4", kLZ4Compression}, Case{"Zstd", kZSTD},
        Case{"SnappyVersion0", kSnappyCompression,
             BlockBasedTableOptions::kDataBlockBinarySearch, 0},
        Case{"Lz4Version1", kLZ4Compression,
             BlockBasedTableOptions::kDataBlockBinarySearch, 1},
        Case{"SnappyHashIndex", kSnappyCompression,
             BlockBasedTableOptions::kDataBlockBinaryAndHash},
        Case{"Lz4HashIndex", kLZ4Compression,
             BlockBasedTableOptions::kDataBlockBinaryAndHash},
        // Several steps of the decoder in each block.
        Case{"SnappyLargeBlocks", kSnappyCompression,
             BlockBasedTableOptions::kDataBlockBinarySearch, 5, 4096, 300},
        Case{"Lz4LargeBlocks", kLZ4Compression,
             BlockBasedTableOptions::kDataBlockBinarySearch, 5, 4096, 300}),
    [](const auto& of) { return std::string(of.param.name); });

// A table of few entries, all of which are in one block, and whose block can be
// damaged near its end. Checksums are not verified.
class DamagedEndTest : public testing::TestWithParam<CompressionType> {
 protected:
  void SetUp() override {
    if (!CompressionSupported(GetParam())) {
      GTEST_SKIP() << "this build lacks the codec";
    }
    Random random(17);
    for (int i = 0; i < 4; ++i) {
      entries_.emplace_back(InternalKey(Key(i), 7), HalfNoise(1000, &random));
    }
    TableBuildOptions options(Bytewise());
    options.table.block_size = 8192;
    options.compression = GetParam();
    bytes_ = BuildTable(options, entries_);
    const auto layout = (*OpenTable(bytes_))->ReadLayout();
    ASSERT_TRUE(layout.ok()) << layout.status();
    ASSERT_EQ(layout->data_blocks.size(), 1U);
    const BlockHandle& block = layout->data_blocks.front().second;
    end_ = block.offset + block.size;
    context_.verify_checksums = false;
  }

  // Seeks entry `from` of a table whose block has `byte` at this distance from
  // its end, and moves on. Returns the error, or OK if the moves showed the
  // same as they do in a block that was opened as a whole.
  Status Move(size_t distance, int byte, size_t from, bool forward) {
    std::string damaged = bytes_;
    damaged[end_ - distance] = static_cast<char>(byte);
    const auto table = OpenTable(damaged);
    EXPECT_TRUE(table.ok()) << table.status();
    const auto it = (*table)->NewIterator(context_);
    it->Seek(entries_[from].first);
    EXPECT_TRUE(it->Valid()) << it->status();
    if (!it->Valid()) return Status::OK();
    EXPECT_EQ(it->key(), Slice(entries_[from].first));
    EXPECT_EQ(it->value(), Slice(entries_[from].second));
    Entries seen;
    do {
      seen.emplace_back(it->key().ToString(), it->value().ToString());
      forward ? it->Next() : it->Prev();
      EXPECT_LT(seen.size(), 100U);
    } while (it->Valid() && seen.size() < 100);
    const Status status = it->status();
    if (!status.ok()) {
      EXPECT_TRUE(status.IsCorruption()) << status;
      return status;
    }
    Status scanned;
    Entries whole =
        ScanForward((*table)->NewIterator(context_).get(), &scanned);
    if (forward) {
      EXPECT_TRUE(scanned.ok()) << scanned;
      whole.erase(whole.begin(),
                  whole.begin() + static_cast<std::ptrdiff_t>(from));
    } else {
      whole.resize(std::min(whole.size(), from + 1));
      std::reverse(whole.begin(), whole.end());
    }
    EXPECT_EQ(seen, whole);
    return status;
  }

  Entries entries_;
  std::string bytes_;
  size_t end_ = 0;  // of the block
  ReadContext context_;
};

// The last word of the block, which is the last of its payload and is stored as
// it is, says how many restart points there are, and has flags.
TEST_P(DamagedEndTest, AStepFromASeekReportsAWrongLastWord) {
  for (const bool forward : {true, false}) {
    for (size_t from = 0; from < 2; ++from) {
      SCOPED_TRACE(testing::Message() << forward << " " << from);
      // More restarts than there is room for. Then a number that places their
      // begin in the first entry, at one of the zeros that end its value.
      EXPECT_TRUE(Move(2, 1, from, forward).IsCorruption());
      EXPECT_TRUE(Move(3, 3, from, forward).IsCorruption());
      // No restarts; separate values; the reserved bit.
      EXPECT_TRUE(Move(4, 0, from, forward).IsCorruption());
      EXPECT_TRUE(Move(1, 0x10, from, forward).IsCorruption());
      EXPECT_TRUE(Move(1, 0x40, from, forward).IsCorruption());
    }
  }
}

TEST_P(DamagedEndTest, AnyDamageIsAnErrorOrWhatTheWholeBlockShows) {
  int errors = 0;
  for (size_t distance = 1; distance <= 60; ++distance) {
    for (const int byte : {0, 1, 0x7f, 0xf0, 0xff}) {
      SCOPED_TRACE(testing::Message() << distance << " " << byte);
      for (size_t from = 0; from < 2; ++from) {
        errors += Move(distance, byte, from, true).IsCorruption();
        errors += Move(distance, byte, from, false).IsCorruption();
      }
    }
  }
  EXPECT_GT(errors, 100);
}

INSTANTIATE_TEST_SUITE_P(Codecs, DamagedEndTest,
                         testing::Values(kSnappyCompression, kLZ4Compression),
                         [](const auto& of) {
                           return std::string(CompressionTypeName(of.param));
                         });

TEST(ThreadScratchTest, IsBorrowedFromTheThreadOnceAtATime) {
  BlockScratch* of_thread = nullptr;
  {
    ThreadScratch outer;
    of_thread = outer.get();
    EXPECT_EQ(outer.get(), of_thread);
    of_thread->stored.Clear();  // of a read before
    of_thread->stored.Append("outer");
    ThreadScratch inner;
    EXPECT_NE(inner.get(), of_thread);
    inner.get()->stored.Append("inner");
    EXPECT_EQ(of_thread->stored.bytes(), Slice("outer"));
  }
  ThreadScratch again;
  EXPECT_EQ(again.get(), of_thread);
}

TEST(ThreadScratchTest, LargeMemoryIsNotKept) {
  {
    ThreadScratch scratch;
    scratch.get()->uncompressed.Room(1 << 20);
    scratch.get()->stored.Room(1 << 12);
  }
  ThreadScratch scratch;
  EXPECT_LT(scratch.get()->uncompressed.capacity(), size_t{1} << 20);
  EXPECT_GE(scratch.get()->stored.capacity(), size_t{1} << 12);
}

TEST(SpareScratchTest, AnIteratorLeavesItsMemoryToTheNextOfTheThread) {
  const size_t before = SpareScratch::bytes_of_this_thread();
  BlockScratch* first = nullptr;
  {
    SpareScratch a;
    SpareScratch b;
    first = a.get();
    EXPECT_EQ(a.get(), first);
    EXPECT_NE(b.get(), first);
    first->stored.Room(4096);
  }
  EXPECT_GE(SpareScratch::bytes_of_this_thread(), before);
  SpareScratch again;
  EXPECT_EQ(again.get(), first);
  EXPECT_GE(again.get()->stored.capacity(), size_t{4096});
}

TEST(SpareScratchTest, AThreadKeepsLittle) {
  {
    std::vector<std::unique_ptr<SpareScratch>> many;
    for (int i = 0; i < 100; ++i) {
      many.push_back(std::make_unique<SpareScratch>());
      many.back()->get()->stored.Room(size_t{1} << (10 + i % 12));
      many.back()->get()->uncompressed.Room(8192);
    }
  }
  EXPECT_LE(SpareScratch::bytes_of_this_thread(), size_t{16} * 33 * 1024);
}

}  // namespace
}  // namespace tamis
