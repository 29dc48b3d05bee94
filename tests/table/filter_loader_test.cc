// SPDX-License-Identifier: Apache-2.0
#include "table/filter_loader.h"

#include <gtest/gtest.h>

#include "table/block_writer.h"
#include "table/filter_collector.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

// Partitions are found by the index of theirs alone: whatever the main index
// is, they read alike. RocksDB asks for a two-level one.
TEST(FilterLoaderTest, PartitionsAreFoundBesideEveryKindOfIndex) {
  for (bool user_keys : {true, false}) {
    for (bool delta_handles : {true, false}) {
      std::string contents;
      StringWritableFile file(&contents);
      const Footer footer;
      BlockWriter writer(&file, kNoCompression, footer, nullptr);
      IndexEntries partitions;
      for (const char* key : {"b", "d", "f"}) {
        const Result<BlockHandle> handle =
            writer.Write(std::string("filter up to ") + key);
        ASSERT_TRUE(handle.ok());
        partitions.Add(InternalKey(key, 5), *handle);
      }
      IndexEncoding encoding;
      encoding.user_keys = user_keys;
      encoding.delta_handles = delta_handles;
      const std::string index = partitions.EncodeBlock(0, 3, encoding);

      for (uint32_t index_type : {0u, 1u, 2u, 3u}) {
        TableProperties properties;
        properties.index_type = index_type;
        properties.index_key_is_user_key = user_keys;
        properties.index_value_is_delta_encoded = delta_handles;
        const IndexFormat format(properties, &Bytewise());
        const StringRandomAccessFile stored(contents);
        const std::string name = "test.sst";
        const BlockFetcher fetcher(&stored, &name, contents.size(), footer);
        const FilterLoader loader(FilterPlacement::kPartitioned,
                                  ByteBuffer(index), {0, index.size()}, &format,
                                  &fetcher, MetadataPins(), ReadContext());
        EXPECT_EQ(loader.Partitions()->size(), 3u);
        const struct {
          const char* key;
          const char* partition;
        } cases[] = {{"", "b"},  {"a", "b"}, {"b", "b"}, {"b0", "d"},
                     {"d", "d"}, {"e", "f"}, {"f", "f"}, {"g", "f"}};
        for (const auto& c : cases) {
          const auto filter = loader.LoadFor(c.key, ReadContext());
          ASSERT_TRUE(filter.ok()) << filter.status();
          EXPECT_EQ(filter->bytes().ToString(),
                    std::string("filter up to ") + c.partition)
              << c.key << ", index type " << index_type;
          FilterPosition at;
          ASSERT_TRUE(loader.Find(c.key, ReadContext(), &at).ok());
          KeyBuffer buffer;
          EXPECT_EQ(loader.SeparatorOf(at, &buffer), c.partition);
        }
      }
    }
  }
}

// A probe of a filter that is as long as a cache line touches one, not two.
TEST(FilterLoaderTest, AKeptFilterBeginsWithACacheLine) {
  const std::string contents;
  const StringRandomAccessFile stored(contents);
  const std::string name = "test.sst";
  const BlockFetcher fetcher(&stored, &name, contents.size(), Footer());
  const IndexFormat format(TableProperties(), &Bytewise());
  for (const size_t size : {100u, 1000u, 300'000u}) {
    const std::string bytes(size, 'f');
    const FilterLoader loader(FilterPlacement::kFull, ByteBuffer(bytes),
                              {0, size}, &format, &fetcher, MetadataPins(),
                              ReadContext());
    ASSERT_TRUE(loader.Whole().has_value());
    EXPECT_EQ(*loader.Whole(), Slice(bytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(loader.Whole()->data()) % 64, 0u);
  }
}

}  // namespace
}  // namespace tamis
