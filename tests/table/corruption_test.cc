// SPDX-License-Identifier: Apache-2.0
//
// A damaged table gives the right result or a Status that names file and place;
// no result is wrong, and no key missing. A filter with a damaged structure but
// a right checksum may cost time, but hides no key.
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "filter/filter_registry.h"
#include "table/block.h"
#include "tests/support/tables.h"
#include "util/coding/checksum.h"

namespace tamis {
namespace {

Entries SmallEntries() {
  Entries entries;
  for (int i = 0; i < 12; ++i) {
    const auto sequence = static_cast<uint64_t>(100 - i);
    entries.emplace_back(
        InternalKey("key" + std::string(1, static_cast<char>('a' + i)),
                    sequence),
        "value" + std::to_string(i));
  }
  return entries;
}

enum class Filter : uint8_t { kNone, kBlockBased, kFull, kPartitioned };

struct Shape {
  const char* name;
  Filter filter;
  bool two_level;
  ChecksumType checksum;
  // What else is special; nullptr: nothing.
  void (*choose)(TableBuildOptions* options);
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

void Uncompressed(TableBuildOptions* o) { o->compression = kNoCompression; }
void OneBlock(TableBuildOptions* o) { o->table.block_size = 4096; }
void RestartEach(TableBuildOptions* o) { o->table.block_restart_interval = 1; }
template <uint32_t version>
void Version(TableBuildOptions* o) {
  o->table.format_version = version;
}
// Of 12 keys RocksDB's rule makes a Bloom filter; at 1 bit a key, a Ribbon.
void Ribbon(TableBuildOptions* o) {
  o->table.filter_policy.reset(NewRibbonFilterPolicy(1, -1));
}
void RibbonOfVersion7(TableBuildOptions* o) {
  Ribbon(o);
  o->table.format_version = 7;
}
void HashIndex(TableBuildOptions* o) {
  o->compression = kNoCompression;
  o->table.block_size = 200;
  o->table.data_block_index_type =
      BlockBasedTableOptions::kDataBlockBinaryAndHash;
}
void FirstKeys(TableBuildOptions* o) {
  o->table.index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
}
void FirstKeysAligned(TableBuildOptions* o) {
  FirstKeys(o);
  o->compression = kNoCompression;
  o->table.block_align = true;
}
void IndexRestarts(TableBuildOptions* o) {
  o->table.index_block_restart_interval = 4;
  o->table.use_delta_encoding = false;
}
void Prefixes(TableBuildOptions* o) {
  o->prefix_extractor.reset(NewFixedPrefixTransform(3));
}
void Lz4(TableBuildOptions* o) { o->compression = kLZ4Compression; }
void Zstd(TableBuildOptions* o) { o->compression = kZSTD; }

// One row a kind of table.
const Shape kShapes[] = {
    {"NoFilter", Filter::kNone, false, kXXH3, nullptr},
    {"NoFilterTwoLevel", Filter::kNone, true, kCRC32c, nullptr},
    {"BlockBased", Filter::kBlockBased, false, kxxHash, nullptr},
    {"BlockBasedTwoLevel", Filter::kBlockBased, true, kxxHash64, nullptr},
    {"Full", Filter::kFull, false, kXXH3, nullptr},
    {"FullCrc", Filter::kFull, false, kCRC32c, Uncompressed},
    {"FullTwoLevel", Filter::kFull, true, kxxHash, nullptr},
    {"Partitioned", Filter::kPartitioned, true, kxxHash64, nullptr},
    {"PartitionedXXH3", Filter::kPartitioned, true, kXXH3, RestartEach},
    {"OneBlock", Filter::kFull, false, kXXH3, OneBlock},
    {"Version0", Filter::kFull, false, kCRC32c, Version<0>},
    {"Version0BlockBased", Filter::kBlockBased, false, kCRC32c, Version<0>},
    {"Version1", Filter::kFull, false, kxxHash, Version<1>},
    {"Version2Legacy", Filter::kFull, true, kCRC32c, Version<2>},
    {"Version4Partitioned", Filter::kPartitioned, true, kXXH3, Version<4>},
    {"Version6", Filter::kFull, false, kXXH3, Version<6>},
    {"Version6Partitioned", Filter::kPartitioned, true, kxxHash64, Version<6>},
    {"Version7", Filter::kFull, false, kCRC32c, Version<7>},
    {"Version7TwoLevel", Filter::kBlockBased, true, kXXH3, Version<7>},
    {"Ribbon", Filter::kFull, false, kXXH3, Ribbon},
    {"RibbonPartitioned", Filter::kPartitioned, true, kCRC32c, Ribbon},
    {"RibbonVersion7", Filter::kFull, false, kXXH3, RibbonOfVersion7},
    {"HashIndex", Filter::kFull, false, kXXH3, HashIndex},
    {"FirstKeys", Filter::kFull, false, kXXH3, FirstKeys},
    {"FirstKeysAligned", Filter::kNone, false, kxxHash, FirstKeysAligned},
    {"IndexRestarts", Filter::kFull, false, kXXH3, IndexRestarts},
    {"Prefixes", Filter::kFull, false, kXXH3, Prefixes},
    {"PrefixesPartitioned", Filter::kPartitioned, true, kXXH3, Prefixes},
    {"Lz4", Filter::kFull, false, kXXH3, Lz4},
    {"Zstd", Filter::kFull, false, kXXH3, Zstd},
};

TableBuildOptions OptionsOf(const Shape& shape) {
  TableBuildOptions options(Bytewise());
  options.table.block_size = 64;
  options.table.metadata_block_size = 64;
  options.table.checksum = shape.checksum;
  options.table.filter_policy.reset(
      shape.filter == Filter::kNone
          ? nullptr
          : NewBloomFilterPolicy(10, shape.filter == Filter::kBlockBased));
  options.table.partition_filters = shape.filter == Filter::kPartitioned;
  if (shape.two_level) {
    options.table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  }
  if (shape.choose != nullptr) shape.choose(&options);
  return options;
}

std::string Named(const testing::TestParamInfo<Shape>& info) {
  return info.param.name;
}

class CorruptionTest : public testing::TestWithParam<Shape> {
 protected:
  CorruptionTest() : contents_(BuildTable(OptionsOf(GetParam()), entries_)) {}

  // Whether damage was noticed anywhere.
  bool CheckDamaged(const std::string& contents) {
    auto opened = OpenTable(contents);
    if (!opened.ok()) {
      ExpectNamed(opened.status());
      return true;
    }
    bool noticed = false;
    for (const auto& [key, value] : entries_) {
      const Answer got = GetFrom(**opened, ExtractUserKey(key));
      if (got.status.ok()) {
        EXPECT_EQ(got.value, value);
      } else {
        ExpectNamed(got.status);
        noticed = true;
      }
    }
    const Answer absent = GetFrom(**opened, "key between");
    if (!absent.status.IsNotFound()) {
      ExpectNamed(absent.status);
      noticed = true;
    }
    noticed = !ScansAreRight(**opened) || noticed;
    if (noticed) {
      EXPECT_FALSE((*opened)->VerifyChecksums().ok());
    }
    return noticed || !(*opened)->VerifyChecksums().ok();
  }

  // Between aligned blocks, where nothing vouches for what means nothing.
  bool IsPadding(size_t i) const {
    if (!OptionsOf(GetParam()).table.block_align) return false;
    const auto opened = OpenTable(contents_);
    const auto layout = (*opened)->ReadLayout();
    for (const auto& [separator, handle] : layout->data_blocks) {
      const uint64_t page = (handle.end() + 63) / 64 * 64;
      if (i >= handle.end() && i < page) return true;
    }
    return false;
  }

  // False: one of them failed.
  bool ScansAreRight(const TableReader& table) {
    Status status;
    auto it = table.NewIterator(ReadContext());
    const Entries forward = ScanForward(it.get(), &status);
    const bool forward_ok = status.ok();
    if (forward_ok) {
      EXPECT_EQ(forward, entries_);
    } else {
      ExpectNamed(status);
    }
    const Entries backward = ScanBackward(it.get(), &status);
    if (status.ok()) {
      EXPECT_EQ(backward, entries_);
    } else {
      ExpectNamed(status);
    }
    return forward_ok && status.ok();
  }

  static void ExpectNamed(const Status& status) {
    EXPECT_FALSE(status.ok() || status.IsNotFound()) << status;
    const std::string message(status.message());
    EXPECT_NE(message.find("test.sst"), std::string::npos) << status;
    // Of a whole file: how large it is, or which of its versions it has.
    const bool placed = message.find("offset ") != std::string::npos ||
                        message.find("expected ") != std::string::npos ||
                        message.find("this release reads") != std::string::npos;
    EXPECT_TRUE(placed) << status;
  }

  const Entries entries_ = SmallEntries();
  const std::string contents_;
};

TEST_P(CorruptionTest, AFlippedByteIsDetectedOrHarmless) {
  // Behind the blocks: the footer, whose padding means nothing.
  const size_t footer_at = contents_.size() - kFooterBytes;
  for (size_t i = 0; i < contents_.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      SCOPED_TRACE("byte " + std::to_string(i));
      std::string copy = contents_;
      copy[i] = static_cast<char>(copy[i] ^ flip);
      const bool noticed = CheckDamaged(copy);
      EXPECT_TRUE(noticed || i >= footer_at || IsPadding(i));
      if (HasFailure()) return;
    }
  }
}

TEST_P(CorruptionTest, ATruncatedTableDoesNotOpen) {
  for (size_t n = 0; n < contents_.size(); ++n) {
    const auto opened = OpenTable(contents_.substr(0, n));
    ASSERT_FALSE(opened.ok()) << n;
    ExpectNamed(opened.status());
  }
}

// The file is as long as it was, but shorter than what was promised.
TEST_P(CorruptionTest, AShortReadIsCorruption) {
  auto opened =
      TableReader::Open(std::make_unique<StringRandomAccessFile>(contents_),
                        contents_.size() + 10, TestContext());
  ASSERT_TRUE(opened.status().IsCorruption()) << opened.status();
  ExpectNamed(opened.status());
}

INSTANTIATE_TEST_SUITE_P(Shapes, CorruptionTest, testing::ValuesIn(kShapes),
                         Named);

// Without checksums nothing says what is right; but everything ends.
TEST(UncheckedTableTest, AFlippedByteDoesNoMoreThanMislead) {
  for (Shape shape : kShapes) {
    if (OptionsOf(shape).table.format_version == 0) continue;
    shape.checksum = kNoChecksum;
    const std::string contents = BuildTable(OptionsOf(shape), SmallEntries());
    for (size_t i = 0; i < contents.size(); ++i) {
      SCOPED_TRACE(std::string(shape.name) + ": byte " + std::to_string(i));
      std::string copy = contents;
      copy[i] = static_cast<char>(copy[i] ^ 0x11);
      const auto opened = OpenTable(copy);
      if (!opened.ok()) continue;
      Status status;
      auto it = (*opened)->NewIterator(ReadContext());
      EXPECT_LT(ScanForward(it.get(), &status).size(), 1000u);
      EXPECT_LT(ScanBackward(it.get(), &status).size(), 1000u);
      for (const auto& [key, value] : SmallEntries()) {
        GetFrom(**opened, ExtractUserKey(key)).status.PermitUncheckedError();
      }
      (*opened)->VerifyChecksums().PermitUncheckedError();
    }
  }
}

// A table whose blocks can be replaced by others of the same size, with a
// checksum that fits. Format versions up to 5.
class PatchedTable {
 public:
  explicit PatchedTable(std::string contents) : contents_(std::move(contents)) {
    const auto opened = OpenTable(contents_);
    EXPECT_TRUE(opened.ok()) << opened.status();
    auto layout = (*opened)->ReadLayout();
    EXPECT_TRUE(layout.ok()) << layout.status();
    layout_ = std::move(layout).value();
  }

  const std::string& contents() const { return contents_; }
  std::string Payload(const BlockHandle& handle) const {
    return contents_.substr(static_cast<size_t>(handle.offset),
                            static_cast<size_t>(handle.size));
  }
  void Replace(const BlockHandle& handle, const std::string& payload) {
    ASSERT_EQ(payload.size(), handle.size);
    const auto end = static_cast<size_t>(handle.offset + handle.size);
    contents_.replace(static_cast<size_t>(handle.offset), payload.size(),
                      payload);
    const uint32_t checksum = BlockChecksum(
        layout_.footer.checksum, payload, static_cast<uint8_t>(contents_[end]));
    EncodeFixed32(contents_.data() + end + 1, checksum);
  }

  BlockHandle FirstDataBlock() const {
    return layout_.data_blocks.front().second;
  }
  // The block that the metaindex names as the filter.
  BlockHandle Filter() const {
    for (const auto& [key, handle] : layout_.metaindex) {
      if (ParseMetaindexKey(key)) return handle;
    }
    ADD_FAILURE() << "no filter";
    return {};
  }
  // Partitioned: where the partitions are, as their index says.
  std::vector<BlockHandle> Partitions() const {
    const std::string name = "index";
    BlockIterator it;
    it.Open(PinnedBytes::Own(Payload(Filter())),
            BlockFormat{.keys = BlockFormat::Keys::kUser,
                        .values = BlockFormat::Values::kHandle,
                        .order = &Bytewise()},
            {&name, 0});
    std::vector<BlockHandle> handles;
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      handles.push_back(it.handle());
    }
    EXPECT_TRUE(it.status().ok()) << it.status();
    EXPECT_FALSE(handles.empty());
    return handles;
  }

 private:
  std::string contents_;
  TableLayout layout_;
};

TEST(CorruptionRowsTest, HaveTheKindThatTheyName) {
  for (const Shape& shape : kShapes) {
    const std::string name = shape.name;
    if (name != "Ribbon" && name != "HashIndex") continue;
    const PatchedTable table(BuildTable(OptionsOf(shape), SmallEntries()));
    const std::string filter = table.Payload(table.Filter());
    EXPECT_EQ(filter[filter.size() - 5], name == "Ribbon" ? '\xfe' : '\xff');
    const std::string first = table.Payload(table.FirstDataBlock());
    EXPECT_EQ((first.back() & 0x80) != 0, name == "HashIndex");
  }
}

// What is written over the end of a filter, `from_end` bytes before it.
struct StructuralDamage {
  const char* name;
  size_t from_end;
  std::string bytes;
};

std::string Fixed32(uint32_t v) {
  std::string out;
  PutFixed32(&out, v);
  return out;
}

// The trailer of a full filter: marker, sub-kind, probes, two bytes of zero.
const std::vector<StructuralDamage> kTrailerDamage = {
    {"ReservedMarker", 5, "\x80"},  {"NoMarker", 5, std::string(1, 0)},
    {"ReservedSubKind", 4, "\x01"}, {"NoProbes", 3, std::string(1, 0)},
    {"TooManyProbes", 3, "\x1f"},   {"LargerLines", 3, "\x26"},
    {"ReservedByte", 2, "\x01"},    {"LastByte", 1, "\xff"},
};
// The end of a block-based one: offsets, where they start, log2 of 2 KiB.
const std::vector<StructuralDamage> kBlockBasedDamage = {
    {"StartBeyond", 5, Fixed32(0xffffffff)},
    {"StartAtEnd", 5, Fixed32(0x7fffffff)},
    {"LargeBase", 1, "\x40"},
    {"LargestBase", 1, "\xff"},
    {"ChunkBeyond", 9, Fixed32(0xfffffff0)},
};
// The end of an index of partitions: its restarts and their number.
const std::vector<StructuralDamage> kPartitionIndexDamage = {
    {"NoRestarts", 4, Fixed32(0)},
    {"TooManyRestarts", 4, Fixed32(0x0fffffff)},
    {"ReservedBit", 4, Fixed32(0x40000001)},
    {"RestartBeyond", 8, Fixed32(0xffffffff)},
};

// Every key is found, nothing else is, and scans do not care.
void ExpectAllFound(const std::string& contents) {
  const auto opened = OpenTable(contents);
  ASSERT_TRUE(opened.ok()) << opened.status();
  for (const auto& [key, value] : SmallEntries()) {
    const Answer got = GetFrom(**opened, ExtractUserKey(key));
    ASSERT_TRUE(got.status.ok()) << got.status;
    EXPECT_EQ(got.value, value);
  }
  EXPECT_TRUE(GetFrom(**opened, "key between").status.IsNotFound());
  Status status;
  auto it = (*opened)->NewIterator(ReadContext());
  EXPECT_EQ(ScanForward(it.get(), &status), SmallEntries());
  EXPECT_TRUE(status.ok()) << status;
}

PatchedTable TableWith(Filter filter) {
  for (const Shape& shape : kShapes) {
    if (shape.filter == filter) {
      return PatchedTable(BuildTable(OptionsOf(shape), SmallEntries()));
    }
  }
  ADD_FAILURE() << "no such shape";
  return PatchedTable("");
}

void Damage(PatchedTable* table, const BlockHandle& handle,
            const StructuralDamage& damage) {
  std::string payload = table->Payload(handle);
  ASSERT_GE(payload.size(), damage.from_end);
  payload.replace(payload.size() - damage.from_end, damage.bytes.size(),
                  damage.bytes);
  table->Replace(handle, payload);
}

TEST(DamagedFilterTest, AFullFilterMatches) {
  for (const StructuralDamage& damage : kTrailerDamage) {
    SCOPED_TRACE(damage.name);
    PatchedTable table = TableWith(Filter::kFull);
    Damage(&table, table.Filter(), damage);
    ExpectAllFound(table.contents());
  }
}

TEST(DamagedFilterTest, ABlockBasedFilterMatches) {
  for (const StructuralDamage& damage : kBlockBasedDamage) {
    SCOPED_TRACE(damage.name);
    PatchedTable table = TableWith(Filter::kBlockBased);
    Damage(&table, table.Filter(), damage);
    ExpectAllFound(table.contents());
  }
}

TEST(DamagedFilterTest, APartitionMatches) {
  for (const StructuralDamage& damage : kTrailerDamage) {
    SCOPED_TRACE(damage.name);
    PatchedTable table = TableWith(Filter::kPartitioned);
    for (const BlockHandle& partition : table.Partitions()) {
      Damage(&table, partition, damage);
    }
    ExpectAllFound(table.contents());
  }
}

TEST(DamagedFilterTest, AnIndexOfPartitionsMatches) {
  for (const StructuralDamage& damage : kPartitionIndexDamage) {
    SCOPED_TRACE(damage.name);
    PatchedTable table = TableWith(Filter::kPartitioned);
    Damage(&table, table.Filter(), damage);
    ExpectAllFound(table.contents());
  }
}

// Its handles lead out of the file, or are no handles.
TEST(DamagedFilterTest, AnIndexWithoutUsableHandlesMatches) {
  for (const char byte : {'\x7f', '\xff'}) {
    PatchedTable table = TableWith(Filter::kPartitioned);
    const BlockHandle index = table.Filter();
    std::string payload = table.Payload(index);
    for (const BlockHandle& partition : table.Partitions()) {
      std::string encoded;
      partition.EncodeTo(&encoded);
      const size_t at = payload.find(encoded);
      ASSERT_NE(at, std::string::npos);
      payload.replace(at, encoded.size(), std::string(encoded.size(), byte));
    }
    table.Replace(index, payload);
    ExpectAllFound(table.contents());
  }
}

// Another length than the trailer speaks of: the metaindex says so.
TEST(DamagedFilterTest, ATruncatedFilterMatches) {
  const PatchedTable whole = TableWith(Filter::kFull);
  const BlockHandle filter = whole.Filter();
  const std::string payload = whole.Payload(filter);
  for (size_t cut = 1; cut + 5 < payload.size(); ++cut) {
    SCOPED_TRACE(cut);
    const std::string shorter = payload.substr(0, payload.size() - 5 - cut) +
                                payload.substr(payload.size() - 5);
    const FilterLocator where{FilterPlacement::kFull,
                              std::string(kBuiltinBloomFamily)};
    const FilterView view = OpenFilter(where, shorter);
    const bool whole_lines = (shorter.size() - 5) % 64 == 0;
    ASSERT_FALSE(whole_lines);
    for (const auto& [key, value] : SmallEntries()) {
      EXPECT_TRUE(view.MayMatch(FilterKey(ExtractUserKey(key))));
    }
  }
}

}  // namespace
}  // namespace tamis
