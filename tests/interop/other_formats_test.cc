// SPDX-License-Identifier: Apache-2.0
//
// Plain and cuckoo tables. RocksDB reads those of Tamis, and Tamis those of
// RocksDB; a plain table of the same entries has the same bytes.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include "table/plain_table_index.h"
#include "table/plain_table_records.h"
#include "table/table_format.h"
#include "tests/interop/peers.h"
#include "tests/support/databases.h"
#include "tests/support/tables.h"

namespace tamis {
namespace {

struct PlainForm {
  bool prefix_encoding;
  bool stored;
  bool one_length;
  size_t prefix_bytes;  // 0: no extractor
};

std::vector<PlainForm> PlainForms() {
  std::vector<PlainForm> forms;
  for (const size_t prefix_bytes : {size_t{0}, size_t{4}}) {
    for (const bool prefix_encoding : {false, true}) {
      if (prefix_encoding && prefix_bytes == 0) continue;
      for (const bool stored : {false, true}) {
        for (const bool one_length : {false, true}) {
          forms.push_back({prefix_encoding, stored, one_length, prefix_bytes});
        }
      }
    }
  }
  return forms;
}

std::string NameOfForm(const PlainForm& form) {
  return std::string(form.prefix_encoding ? "kPrefix" : "kPlain") +
         (form.stored ? " stored" : "") +
         (form.one_length ? " one length" : "") + " prefix " +
         std::to_string(form.prefix_bytes);
}

PlainTableOptions OurPlain(const PlainForm& form) {
  PlainTableOptions plain;
  plain.encoding_type = form.prefix_encoding ? kPrefix : kPlain;
  plain.store_index_in_file = form.stored;
  plain.user_key_len = form.one_length ? 10 : kPlainTableVariableLength;
  plain.hash_table_ratio = form.prefix_bytes == 0 ? 0 : 0.75;
  return plain;
}

rocksdb::Options TheirPlain(const PlainForm& form) {
  rocksdb::PlainTableOptions plain;
  plain.encoding_type =
      form.prefix_encoding ? rocksdb::kPrefix : rocksdb::kPlain;
  plain.store_index_in_file = form.stored;
  plain.user_key_len =
      form.one_length ? 10 : rocksdb::kPlainTableVariableLength;
  plain.hash_table_ratio = form.prefix_bytes == 0 ? 0 : 0.75;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.allow_mmap_reads = true;
  options.table_factory.reset(rocksdb::NewPlainTableFactory(plain));
  if (form.prefix_bytes > 0) {
    options.prefix_extractor.reset(
        rocksdb::NewFixedPrefixTransform(form.prefix_bytes));
  }
  return options;
}

Options OurPlainOptions(const PlainForm& form) {
  Options options;
  options.create_if_missing = true;
  options.table_factory.reset(NewPlainTableFactory(OurPlain(form)));
  if (form.prefix_bytes > 0) {
    options.prefix_extractor.reset(NewFixedPrefixTransform(form.prefix_bytes));
  }
  return options;
}

std::string KeyOf(int i, bool one_length) {
  char text[32];
  std::snprintf(text, sizeof(text), "%04d/%05d", i / 40, i * 3);
  std::string key = text;
  if (!one_length && i % 4 == 1) key += std::string(70, 'k');
  return key;
}

std::string ValueOf(int i) {
  return std::string(static_cast<size_t>(i * 13 % 300), 'v') +
         std::to_string(i);
}

using Model = std::map<std::string, std::string>;

// Writes in three flushes, with overwritten and deleted keys.
template <typename Database, typename WriteOptionsType, typename FlushType>
Model FillMixed(Database* db, const WriteOptionsType& write,
                const FlushType& flush, bool one_length) {
  Model model;
  for (int round = 0; round < 3; ++round) {
    for (int i = round * 100; i < 600; i += round + 1) {
      const std::string key = KeyOf(i, one_length);
      if (i % 7 == round) {
        EXPECT_TRUE(db->Delete(write, key).ok());
        model.erase(key);
      } else {
        const std::string value = ValueOf(i + round);
        EXPECT_TRUE(db->Put(write, key, value).ok());
        model[key] = value;
      }
    }
    EXPECT_TRUE(db->Flush(flush).ok());
  }
  return model;
}

KeyValues Listed(const Model& model) { return {model.begin(), model.end()}; }

// RocksDB reads a plain table forward from its first key, and by Get.
void ExpectReadByPeer(rocksdb::DB* db, const Model& model, bool one_length) {
  const std::unique_ptr<rocksdb::Iterator> it(
      db->NewIterator(rocksdb::ReadOptions()));
  KeyValues read;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    read.emplace_back(it->key().ToString(), it->value().ToString());
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  EXPECT_TRUE(read == Listed(model));
  for (int i = 0; i < 600; ++i) {
    const std::string key = KeyOf(i, one_length);
    std::string value;
    const rocksdb::Status status = db->Get(rocksdb::ReadOptions(), key, &value);
    const auto found = model.find(key);
    ASSERT_EQ(status.ok(), found != model.end()) << key << status.ToString();
    if (!status.ok()) continue;
    EXPECT_EQ(value, found->second);
  }
}

void ExpectReadByTamis(DB* db, const Model& model) {
  Status status;
  EXPECT_EQ(DifferenceFrom(Listed(model), db, &status), "");
  EXPECT_TRUE(status.ok()) << status;
}

TEST(OtherFormatsInteropTest, PeerReadsOurPlainTables) {
  for (const PlainForm& form : PlainForms()) {
    SCOPED_TRACE(NameOfForm(form));
    const TemporaryDirectory directory;
    Model model;
    {
      const auto db = OpenTamis(OurPlainOptions(form), directory.path());
      ASSERT_NE(db, nullptr);
      model =
          FillMixed(db.get(), WriteOptions(), FlushOptions(), form.one_length);
      ExpectReadByTamis(db.get(), model);
    }
    for (const bool mapped : {true, false}) {
      rocksdb::Options options = TheirPlain(form);
      options.allow_mmap_reads = mapped;
      const auto db = OpenPeer(options, directory.path());
      ASSERT_NE(db, nullptr);
      ExpectReadByPeer(db.get(), model, form.one_length);
    }
    // RocksDB merges our tables, and we read what it wrote.
    {
      const auto db = OpenPeer(TheirPlain(form), directory.path());
      ASSERT_NE(db, nullptr);
      const rocksdb::Status status = db->CompactRange({}, nullptr, nullptr);
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
    const auto db = OpenTamis(OurPlainOptions(form), directory.path());
    ASSERT_NE(db, nullptr);
    ExpectReadByTamis(db.get(), model);
  }
}

TEST(OtherFormatsInteropTest, WeReadPlainTablesOfThePeer) {
  for (const PlainForm& form : PlainForms()) {
    SCOPED_TRACE(NameOfForm(form));
    const TemporaryDirectory directory;
    Model model;
    {
      const auto db = OpenPeer(TheirPlain(form), directory.path());
      ASSERT_NE(db, nullptr);
      model = FillMixed(db.get(), rocksdb::WriteOptions(),
                        rocksdb::FlushOptions(), form.one_length);
    }
    {
      const auto db = OpenTamis(OurPlainOptions(form), directory.path());
      ASSERT_NE(db, nullptr);
      ExpectReadByTamis(db.get(), model);
      EXPECT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
      ExpectReadByTamis(db.get(), model);
    }
    const auto db = OpenPeer(TheirPlain(form), directory.path());
    ASSERT_NE(db, nullptr);
    ExpectReadByPeer(db.get(), model, form.one_length);
  }
}

// Records, Bloom filter and index; properties differ.
TEST(OtherFormatsInteropTest, PlainTablesHaveThePeersBytes) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("their.sst");
  for (const PlainForm& form : PlainForms()) {
    SCOPED_TRACE(NameOfForm(form));
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), TheirPlain(form));
    ASSERT_TRUE(writer.Open(path).ok());
    Entries entries;
    for (int i = 0; i < 600; ++i) {
      const std::string key = KeyOf(i, form.one_length);
      if (i % 7 == 0) {
        entries.emplace_back(InternalKey(key, 0, kTypeDeletion), "");
        ASSERT_TRUE(writer.Delete(key).ok());
      } else {
        entries.emplace_back(InternalKey(key, 0), ValueOf(i));
        ASSERT_TRUE(writer.Put(key, ValueOf(i)).ok());
      }
    }
    const rocksdb::Status finished = writer.Finish();
    ASSERT_TRUE(finished.ok()) << finished.ToString();
    const std::string theirs = ReadWholeFile(path);
    TableBuildOptions options(Bytewise());
    options.plain = OurPlain(form);
    options.is_external_file = true;
    if (form.prefix_bytes > 0) {
      options.prefix_extractor.reset(
          NewFixedPrefixTransform(form.prefix_bytes));
    }
    const std::string ours = BuildTable(options, entries);
    const auto tail_of = [](const std::string& bytes) {
      return *PlainTail::Read(StringRandomAccessFile(bytes), bytes.size(),
                              "test.sst");
    };
    const PlainTail their_tail = tail_of(theirs);
    const PlainTail our_tail = tail_of(ours);
    EXPECT_EQ(our_tail.properties.data_size, their_tail.properties.data_size);
    EXPECT_EQ(our_tail.properties.num_entries,
              their_tail.properties.num_entries);
    EXPECT_EQ(our_tail.properties.fixed_key_len,
              their_tail.properties.fixed_key_len);
    ASSERT_EQ(our_tail.blocks.size(), their_tail.blocks.size());
    uint64_t end = our_tail.properties.data_size;
    for (const auto& [name, handle] : our_tail.blocks) {
      ASSERT_EQ(their_tail.blocks.count(name), 1u) << name;
      EXPECT_EQ(handle, their_tail.blocks.at(name)) << name;
      end = std::max(end, handle.offset + handle.size);
    }
    EXPECT_TRUE(ours.substr(0, end) == theirs.substr(0, end));
  }
}

rocksdb::Options TheirCuckoo(bool modulo, bool identity) {
  rocksdb::CuckooTableOptions cuckoo;
  cuckoo.use_module_hash = modulo;
  cuckoo.identity_as_first_hash = identity;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.allow_mmap_reads = true;
  options.table_factory.reset(rocksdb::NewCuckooTableFactory(cuckoo));
  return options;
}

Options OurCuckoo(bool modulo, bool identity) {
  CuckooTableOptions cuckoo;
  cuckoo.use_module_hash = modulo;
  cuckoo.identity_as_first_hash = identity;
  Options options;
  options.create_if_missing = true;
  options.table_factory.reset(NewCuckooTableFactory(cuckoo));
  return options;
}

// Keys of ten bytes, values of 20.
template <typename Database, typename WriteOptionsType, typename FlushType>
Model FillUniform(Database* db, const WriteOptionsType& write,
                  const FlushType& flush) {
  Model model;
  for (int round = 0; round < 3; ++round) {
    for (int i = round; i < 900; i += round + 1) {
      const std::string key = KeyOf(i, true);
      if (i % 11 == round) {
        EXPECT_TRUE(db->Delete(write, key).ok());
        model.erase(key);
      } else {
        std::string value = std::to_string(i * 10 + round);
        value.resize(20, 'v');
        EXPECT_TRUE(db->Put(write, key, value).ok());
        model[key] = value;
      }
    }
    EXPECT_TRUE(db->Flush(flush).ok());
  }
  return model;
}

TEST(OtherFormatsInteropTest, CuckooTablesAreReadBothWays) {
  for (const bool modulo : {false, true}) {
    for (const bool identity : {false, true}) {
      SCOPED_TRACE(testing::Message()
                   << "modulo " << modulo << " identity " << identity);
      const TemporaryDirectory directory;
      Model model;
      {
        const auto db =
            OpenTamis(OurCuckoo(modulo, identity), directory.path());
        ASSERT_NE(db, nullptr);
        model = FillUniform(db.get(), WriteOptions(), FlushOptions());
        ExpectReadByTamis(db.get(), model);
      }
      {
        const auto db =
            OpenPeer(TheirCuckoo(modulo, identity), directory.path());
        ASSERT_NE(db, nullptr);
        for (const auto& [key, value] : model) {
          std::string read;
          ASSERT_TRUE(db->Get(rocksdb::ReadOptions(), key, &read).ok()) << key;
          EXPECT_EQ(read, value);
        }
        std::string read;
        EXPECT_TRUE(
            db->Get(rocksdb::ReadOptions(), "0000/00001", &read).IsNotFound());
      }
      const TemporaryDirectory theirs;
      {
        const auto db = OpenPeer(TheirCuckoo(modulo, identity), theirs.path());
        ASSERT_NE(db, nullptr);
        model = FillUniform(db.get(), rocksdb::WriteOptions(),
                            rocksdb::FlushOptions());
      }
      const auto db = OpenTamis(OurCuckoo(modulo, identity), theirs.path());
      ASSERT_NE(db, nullptr);
      ExpectReadByTamis(db.get(), model);
      EXPECT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
      ExpectReadByTamis(db.get(), model);
    }
  }
}

}  // namespace
}  // namespace tamis
