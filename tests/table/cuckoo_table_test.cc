// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "table/cuckoo_table_layout.h"
#include "table/table_format.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

TableBuildOptions CuckooOptions(const CuckooTableOptions& cuckoo) {
  TableBuildOptions options(Bytewise());
  options.cuckoo = cuckoo;
  return options;
}

// Keys of 12 bytes and values of 20.
Entries UniformEntries(int n, SequenceNumber sequence, int deletion_every = 0) {
  Entries entries;
  for (int i = 0; i < n; ++i) {
    char key[16];
    std::snprintf(key, sizeof(key), "key%09d", i * 7);
    if (deletion_every != 0 && i % deletion_every == 0) {
      entries.emplace_back(InternalKey(key, sequence, kTypeDeletion), "");
    } else {
      entries.emplace_back(InternalKey(key, sequence),
                           std::string(19, 'v') + static_cast<char>(i));
    }
  }
  return entries;
}

std::vector<CuckooTableOptions> AllForms() {
  std::vector<CuckooTableOptions> forms;
  for (const double ratio : {0.3, 0.9, 1.0}) {
    for (const uint32_t block : {0u, 1u, 5u}) {
      for (const bool modulo : {false, true}) {
        for (const bool identity : {false, true}) {
          CuckooTableOptions form;
          form.hash_table_ratio = ratio;
          form.cuckoo_block_size = block;
          form.use_module_hash = modulo;
          form.identity_as_first_hash = identity;
          forms.push_back(form);
        }
      }
    }
  }
  return forms;
}

// The entry of a key as RocksDB finds it: in one of the buckets of its hashes,
// before any empty one.
bool IsFound(const CuckooLayout& layout, const std::string& data,
             const Slice& user_key) {
  for (uint32_t hash = 0; hash < layout.num_hashes; ++hash) {
    uint64_t bucket = layout.Hash(user_key, hash);
    for (uint32_t i = 0; i < layout.block_size; ++i, ++bucket) {
      const Slice at(data.data() + bucket * layout.bucket_bytes(),
                     static_cast<size_t>(layout.key_bytes));
      if (at == Slice(layout.empty_key)) return false;
      if (at.starts_with(user_key)) return true;
    }
  }
  return false;
}

TEST(CuckooTableTest, ReadsBackEveryForm) {
  for (const CuckooTableOptions& form : AllForms()) {
    for (const SequenceNumber sequence : {0u, 9u}) {
      SCOPED_TRACE(testing::Message()
                   << "ratio " << form.hash_table_ratio << " block "
                   << form.cuckoo_block_size << " modulo "
                   << form.use_module_hash << " identity "
                   << form.identity_as_first_hash << " sequence " << sequence);
      const Entries entries =
          UniformEntries(700, sequence, sequence == 0 ? 0 : 9);
      std::string bytes;
      StringWritableFile file(&bytes);
      TableBuilder builder(CuckooOptions(form), &file);
      for (const auto& [key, value] : entries) builder.Add(key, value);
      ASSERT_TRUE(builder.Finish().ok());
      EXPECT_EQ(builder.DescribeFormat(), "cuckoo");
      ASSERT_EQ(TableFormatOf(bytes), TableFormat::kCuckoo);
      const auto table = OpenTable(bytes);
      ASSERT_TRUE(table.ok()) << table.status();
      Status status;
      Entries read =
          ScanForward((*table)->NewIterator(ReadContext()).get(), &status);
      EXPECT_TRUE(status.ok()) << status;
      // A deletion has a value of some bytes in the file.
      for (auto& [key, value] : read) {
        if ((ExtractTail(key) & 0xff) == kTypeDeletion) value.clear();
      }
      EXPECT_TRUE(read == entries);
      const auto layout = CuckooLayout::From(
          *(*table)->properties(), builder.properties().data_size, "test.sst");
      ASSERT_TRUE(layout.ok()) << layout.status();
      EXPECT_EQ(layout->only_user_keys, sequence == 0);
      for (const auto& [key, value] : entries) {
        EXPECT_TRUE(IsFound(*layout, bytes, ExtractUserKey(key)));
      }
    }
  }
}

TEST(CuckooTableTest, AFullTableGetsMoreHashes) {
  CuckooTableOptions full;
  full.hash_table_ratio = 1;
  full.cuckoo_block_size = 1;
  full.max_search_depth = 3;
  const Entries entries = UniformEntries(4000, 5);
  TableProperties properties;
  const std::string bytes =
      BuildTable(CuckooOptions(full), entries, &properties);
  const auto layout =
      CuckooLayout::From(properties, properties.data_size, "test.sst");
  ASSERT_TRUE(layout.ok()) << layout.status();
  EXPECT_EQ(layout->num_buckets(), 4000u);
  EXPECT_GT(layout->num_hashes, 2u);
  for (const auto& [key, value] : entries) {
    ASSERT_TRUE(IsFound(*layout, bytes, ExtractUserKey(key)));
  }
}

TEST(CuckooTableTest, WhatTheFormatCannotHoldIsBlockBased) {
  const auto check = [](const Entries& entries, const std::string& why,
                        const CuckooTableOptions& cuckoo = {},
                        bool range_deletion = false) {
    SCOPED_TRACE(why);
    std::string bytes;
    StringWritableFile file(&bytes);
    TableBuilder builder(CuckooOptions(cuckoo), &file);
    for (const auto& [key, value] : entries) builder.Add(key, value);
    if (range_deletion) builder.AddRangeDeletion("a", "b", 3);
    const Status finished = builder.Finish();
    ASSERT_TRUE(finished.ok()) << finished;
    EXPECT_EQ(builder.DescribeFormat(),
              "block-based (no cuckoo table: " + why + ")");
    const auto table = OpenTable(bytes);
    ASSERT_TRUE(table.ok()) << table.status();
    Status status;
    EXPECT_TRUE(ScanForward((*table)->NewIterator(ReadContext()).get(),
                            &status) == entries);
    EXPECT_EQ((*table)->ReadRangeTombstones()->size(), range_deletion ? 1u : 0);
  };
  Entries entries = UniformEntries(50, 9);
  check(entries, "it has range deletions", {}, true);
  entries.emplace_back(InternalKey("key9", 9), std::string(20, 'v'));
  check(entries, "its keys differ in length");
  entries = UniformEntries(50, 9);
  entries.back().second.pop_back();
  check(entries, "its values differ in length");
  entries = UniformEntries(50, 9);
  entries.emplace_back(InternalKey(ExtractUserKey(entries.back().first), 8),
                       std::string(20, 'v'));
  check(entries, "it has several versions of a key");
  entries = UniformEntries(50, 9);
  entries.emplace_back(InternalKey("key999999999", 8, kTypeMerge),
                       std::string(20, 'v'));
  check(entries, "it has entries that are neither values nor deletions");
  CuckooTableOptions identity;
  identity.identity_as_first_hash = true;
  check({{InternalKey("1234567", 1), "v"}}, "its keys are shorter than 8 bytes",
        identity);
  Entries every_byte;
  for (int i = 0; i < 256; ++i) {
    every_byte.emplace_back(
        InternalKey(std::string(1, static_cast<char>(i)), 0), "v");
  }
  check(every_byte, "no key is left to mark empty buckets");
}

TEST(CuckooTableTest, MalformedPropertiesAreCorruption) {
  TableProperties good;
  BuildTable(CuckooOptions({}), UniformEntries(100, 5), &good);
  const uint64_t data = good.data_size;
  ASSERT_TRUE(CuckooLayout::From(good, data, "test.sst").ok());
  for (const auto& [name, value] : good.user_collected_properties) {
    if (!name.starts_with("rocksdb.cuckoo")) continue;
    TableProperties bad = good;
    bad.user_collected_properties.erase(name);
    const auto layout = CuckooLayout::From(bad, data, "test.sst");
    EXPECT_TRUE(layout.status().IsCorruption()) << name;
  }
  EXPECT_FALSE(CuckooLayout::From(good, data + 1000, "test.sst").ok());
  TableProperties bad = good;
  bad.fixed_key_len = 0;
  EXPECT_FALSE(CuckooLayout::From(bad, data, "test.sst").ok());
  bad = good;
  bad.num_entries = 0;
  EXPECT_FALSE(CuckooLayout::From(bad, data, "test.sst").ok());
  EXPECT_TRUE(CuckooLayout::From(bad, 0, "test.sst").ok());
}

TEST(CuckooTableTest, AnyDamagedByteIsAnErrorOrAnotherTable) {
  const std::string bytes =
      BuildTable(CuckooOptions({}), UniformEntries(60, 5));
  uint64_t errors = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
    const auto table = OpenTable(damaged);
    if (!table.ok()) {
      ++errors;
      continue;
    }
    Status status;
    ScanForward((*table)->NewIterator(ReadContext()).get(), &status);
  }
  EXPECT_GT(errors, 100u);
}

}  // namespace
}  // namespace tamis
