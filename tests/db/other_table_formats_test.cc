// SPDX-License-Identifier: Apache-2.0
//
// Databases whose new tables are plain or cuckoo tables.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"
#include "tamis/utilities/checkpoint.h"
#include "tamis/utilities/options_util.h"

#include "table/internal_key.h"
#include "tests/db/test_db.h"
#include "tests/support/databases.h"

namespace tamis {
namespace {

class OtherTableFormatsTest : public DBTest {
 protected:
  void UsePlain(const PlainTableOptions& plain = PlainTableOptions()) {
    options_.table_factory.reset(NewPlainTableFactory(plain));
  }
  void UseCuckoo(const CuckooTableOptions& cuckoo = CuckooTableOptions()) {
    options_.table_factory.reset(NewCuckooTableFactory(cuckoo));
  }
  void UseBlockBased() {
    options_.table_factory.reset(NewBlockBasedTableFactory());
  }

  // Puts n keys, then deletes and overwrites some, over several tables.
  void Fill(int n) {
    for (int i = 0; i < n; ++i) Set(i, 0);
    Flush();
    for (int i = 0; i < n; i += 3) Set(i, 1);
    Flush();
    for (int i = 0; i < n; i += 5) {
      Delete(Key(i));
      expected_.erase(Key(i));
    }
    Flush();
  }
  void Set(int i, int round) {
    const std::string value = Noise(40, static_cast<uint64_t>(i * 7 + round));
    Put(Key(i), value);
    expected_[Key(i)] = value;
  }
  void ExpectAll() {
    Status status;
    EXPECT_EQ(DifferenceFrom({expected_.begin(), expected_.end()}, db_.get(),
                             &status),
              "");
    EXPECT_TRUE(status.ok()) << status;
  }
  // What LOG says of the formats of the tables written so far.
  std::vector<std::string> Formats() {
    std::vector<std::string> formats;
    for (const std::string& line : LogLines("event=table_written")) {
      const std::string mark = " format=";
      const size_t begin = line.find(mark) + mark.size();
      const bool quoted = line[begin] == '"';
      const size_t end = line.find(quoted ? '"' : ' ', begin + 1);
      formats.push_back(line.substr(begin, end - begin));
    }
    return formats;
  }

  // Changes a byte of the only table, `distance` from where the key is.
  void CloseAndDamage(const std::string& key, int distance, char from,
                      char to) {
    const std::vector<LiveFileMetaData> files = LiveFiles();
    ASSERT_EQ(files.size(), 1u);
    const std::string path = files[0].db_path + files[0].name;
    db_.reset();
    std::string bytes;
    ASSERT_TRUE(ReadFileToString(fs_.get(), path, &bytes).ok());
    const size_t at = bytes.find(key) + static_cast<size_t>(distance);
    ASSERT_LT(at, bytes.size());
    ASSERT_EQ(bytes[at], from);
    bytes[at] = to;
    ASSERT_TRUE(WriteStringToFile(fs_.get(), bytes, path, true).ok());
  }

  std::map<std::string, std::string> expected_;
};

TEST_F(OtherTableFormatsTest, PlainTablesLiveThroughFlushCompactionAndReopen) {
  for (const EncodingType encoding : {kPlain, kPrefix}) {
    SCOPED_TRACE(int{encoding});
    expected_.clear();
    PlainTableOptions plain;
    plain.encoding_type = encoding;
    plain.store_index_in_file = true;
    UsePlain(plain);
    options_.prefix_extractor.reset(NewFixedPrefixTransform(6));
    Open();
    Fill(500);
    ExpectAll();
    Compact();
    ExpectAll();
    Reopen();
    ExpectAll();
    for (const std::string& format : Formats()) EXPECT_EQ(format, "plain");
    // Others follow; all are read, and merged into a table of the last format.
    UseBlockBased();
    Reopen();
    Fill(400);
    UseCuckoo();
    Reopen();
    Fill(300);
    ExpectAll();
    UsePlain(plain);
    Reopen();
    ExpectAll();
    Compact();
    ExpectAll();
    Destroy();
  }
}

TEST_F(OtherTableFormatsTest, IteratorsOfPlainTablesHaveBoundsAndPrefixes) {
  UsePlain();
  options_.prefix_extractor.reset(NewFixedPrefixTransform(7));
  Open();
  Fill(300);
  ReadOptions bounded;
  const std::string upper = Key(120);
  const Slice bound = upper;
  bounded.iterate_upper_bound = &bound;
  std::unique_ptr<Iterator> it(db_->NewIterator(bounded));
  size_t n = 0;
  for (it->Seek(Key(100)); it->Valid(); it->Next()) ++n;
  size_t expected = 0;
  for (int i = 100; i < 120; ++i) expected += expected_.count(Key(i));
  EXPECT_EQ(n, expected);
  ReadOptions of_prefix;
  of_prefix.prefix_same_as_start = true;
  it.reset(db_->NewIterator(of_prefix));
  n = 0;
  for (it->Seek(Key(110)); it->Valid(); it->Next()) ++n;
  expected = 0;  // the same seven bytes: "key0001"
  for (int i = 110; i < 200; ++i) expected += expected_.count(Key(i));
  EXPECT_EQ(n, expected);
}

TEST_F(OtherTableFormatsTest, PlainTablesAreSkippedByTheFilterOfTheirOpen) {
  PlainTableOptions plain;
  plain.bloom_bits_per_key = 20;
  UsePlain(plain);
  Open();
  for (int i = 0; i < 500; i += 2) Put(Key(i), "v");
  Flush();
  get_perf_context()->Reset();
  std::string value;
  for (int i = 1; i < 500; i += 2) {
    EXPECT_TRUE(db_->Get(ReadOptions(), Key(i), &value).IsNotFound());
  }
  EXPECT_GT(get_perf_context()->bloom_sst_miss_count, 240u);
}

TEST_F(OtherTableFormatsTest,
       DeleteRangeIsRefusedAndNothingOfItsBatchIsWritten) {
  for (const bool plain : {true, false}) {
    plain ? UsePlain() : UseCuckoo();
    Open();
    WriteBatch batch;
    ASSERT_TRUE(batch.Put("a", "1").ok());
    ASSERT_TRUE(batch.DeleteRange("b", "c").ok());
    const Status status = db_->Write(WriteOptions(), &batch);
    EXPECT_TRUE(status.IsNotSupported()) << status;
    std::string value;
    EXPECT_TRUE(db_->Get(ReadOptions(), "a", &value).IsNotFound());
    Put("a", "2");  // later writes succeed
    Destroy();
  }
}

TEST_F(OtherTableFormatsTest, AnotherExtractorFindsTheKeys) {
  options_.prefix_extractor.reset(NewFixedPrefixTransform(8));
  UsePlain();
  Open();
  Put("aaaabbbb1", "v");
  Flush();
  options_.prefix_extractor.reset(NewFixedPrefixTransform(4));
  Reopen();
  const Slice upper("aaaabbbc");
  ReadOptions read;
  read.iterate_upper_bound = &upper;
  const std::unique_ptr<Iterator> it(db_->NewIterator(read));
  it->Seek("aaaabbbb");
  ASSERT_TRUE(it->Valid()) << it->status();
  EXPECT_EQ(it->key(), Slice("aaaabbbb1"));
}

TEST_F(OtherTableFormatsTest, OlderRangeDeletionsAreKeptInBlockBasedTables) {
  for (const bool plain : {true, false}) {
    SCOPED_TRACE(plain);
    expected_.clear();
    UseBlockBased();
    Open();
    Fill(200);
    CompactRangeOptions down;
    down.change_level = true;
    down.target_level = 2;
    ASSERT_EQ(db_->CompactRange(down, nullptr, nullptr), Status::OK());
    DeleteRange(Key(50), Key(100));
    for (int i = 50; i < 100; ++i) expected_.erase(Key(i));
    plain ? UsePlain() : UseCuckoo();
    Reopen();  // the range deletion is in the log
    ExpectAll();
    Flush();
    ExpectAll();
    // Above older entries, a compaction keeps it.
    std::vector<std::string> above;
    for (const LiveFileMetaData& file : LiveFiles()) {
      if (file.level == 0) above.push_back(file.name);
    }
    ASSERT_EQ(db_->CompactFiles(CompactionOptions(), above, 1), Status::OK());
    ExpectAll();
    EXPECT_EQ(Formats().back(), "block-based");
    Compact(/*force=*/true);
    ExpectAll();
    Reopen();
    ExpectAll();
    Destroy();
  }
}

TEST_F(OtherTableFormatsTest, CuckooTablesAreWrittenIfTheEntriesFit) {
  UseCuckoo();
  Open();
  Fill(400);
  ExpectAll();
  EXPECT_EQ(Formats(), std::vector<std::string>(3, "cuckoo"));
  // With a snapshot, a flush keeps two versions of a key.
  const Snapshot* const snapshot = db_->GetSnapshot();
  std::string before;
  ASSERT_TRUE(db_->Get(ReadOptions(), Key(1), &before).ok());
  Set(1, 5);
  const Snapshot* const second = db_->GetSnapshot();
  Set(1, 6);
  Flush();
  EXPECT_NE(Formats().back().find("several versions of a key"),
            std::string::npos);
  ReadOptions old;
  old.snapshot = snapshot;
  std::string value;
  ASSERT_TRUE(db_->Get(old, Key(1), &value).ok());
  EXPECT_EQ(value, before);
  ExpectAll();
  db_->ReleaseSnapshot(snapshot);
  db_->ReleaseSnapshot(second);
  Compact(/*force=*/true);
  ExpectAll();
  EXPECT_EQ(Formats().back(), "cuckoo");
  Reopen();
  ExpectAll();
}

TEST_F(OtherTableFormatsTest, OptionsThatNoTableCouldHaveAreRefused) {
  PlainTableOptions prefix;
  prefix.encoding_type = kPrefix;
  UsePlain(prefix);
  EXPECT_TRUE(TryOpen().IsInvalidArgument());  // no extractor
  UsePlain();
  options_.write_buffer_size = size_t{2} << 30;
  EXPECT_TRUE(TryOpen().IsInvalidArgument());
  options_.write_buffer_size = size_t{600} << 20;
  options_.max_write_buffer_number = 4;
  options_.min_write_buffer_number_to_merge = 2;
  EXPECT_TRUE(TryOpen().IsInvalidArgument());
  options_ = Options(options_);
  options_.write_buffer_size = 64 << 20;
  CuckooTableOptions cuckoo;
  for (const double ratio : {0.0, 1.5, -1.0}) {
    cuckoo.hash_table_ratio = ratio;
    UseCuckoo(cuckoo);
    EXPECT_TRUE(TryOpen().IsInvalidArgument()) << ratio;
  }
}

TEST_F(OtherTableFormatsTest, FilesForIngestionCheckTheSame) {
  PlainTableOptions prefix;
  prefix.encoding_type = kPrefix;
  UsePlain(prefix);
  EXPECT_TRUE(
      SstFileWriter(options_).Open("/parent/new.sst").IsInvalidArgument());
  CuckooTableOptions cuckoo;
  cuckoo.hash_table_ratio = 2;
  UseCuckoo(cuckoo);
  EXPECT_TRUE(
      SstFileWriter(options_).Open("/parent/new.sst").IsInvalidArgument());
}

TEST_F(OtherTableFormatsTest, OptionsFilesKeepTheFactory) {
  PlainTableOptions plain;
  plain.user_key_len = 9;
  plain.store_index_in_file = true;
  plain.hash_table_ratio = 0.5;
  UsePlain(plain);
  Open();
  DBOptions database;
  std::vector<ColumnFamilyDescriptor> families;
  ConfigOptions config;
  config.file_system = fs_;
  Status status =
      LoadLatestOptions(config, kTestDirectory, &database, &families);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(families.size(), 1u);
  const TableFactory& loaded = *families[0].options.table_factory;
  EXPECT_STREQ(loaded.Name(), "PlainTable");
  EXPECT_EQ(loaded.GetOptions<BlockBasedTableOptions>(), nullptr);
  ASSERT_NE(loaded.plain_options(), nullptr);
  EXPECT_EQ(loaded.plain_options()->user_key_len, 9u);
  EXPECT_TRUE(loaded.plain_options()->store_index_in_file);
  EXPECT_EQ(loaded.plain_options()->hash_table_ratio, 0.5);
  EXPECT_TRUE(CheckOptionsCompatibility(config, kTestDirectory, options_,
                                        {{kDefaultColumnFamilyName, options_}})
                  .ok());
  UseBlockBased();
  status = CheckOptionsCompatibility(config, kTestDirectory, options_,
                                     {{kDefaultColumnFamilyName, options_}});
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  // The format of new tables cannot change while the database is open, the rest
  // can.
  status = db_->SetOptions({{"table_factory", "BlockBasedTable"}});
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  status = db_->SetOptions({{"plain_table_factory", "{user_key_len=0}"}});
  EXPECT_TRUE(status.ok()) << status;
  Put("another length", "v");
  Flush();
}

TEST_F(OtherTableFormatsTest, AWrongKeyLengthFailsTheFlush) {
  PlainTableOptions plain;
  plain.user_key_len = 9;
  UsePlain(plain);
  Open();
  Put(Key(1), "v");
  Put("longer than nine bytes", "v");
  const Status status = db_->Flush(FlushOptions());
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.ToString().find("user_key_len"), std::string::npos);
  EXPECT_EQ(Get(Key(1)), "v");
  db_.reset();
  EXPECT_TRUE(TryOpen().IsInvalidArgument());
  plain.user_key_len = kPlainTableVariableLength;
  UsePlain(plain);
  Open();
  EXPECT_EQ(Get(Key(1)), "v");
  EXPECT_EQ(Get("longer than nine bytes"), "v");
  Flush();
}

TEST_F(OtherTableFormatsTest, PlainTablesAreMadeForIngestionAndIngested) {
  UsePlain();
  Open();
  Put("b", "old");
  SstFileWriter writer(options_);
  ASSERT_TRUE(writer.Open("/parent/new.sst").ok());
  ASSERT_TRUE(writer.Put("a", "1").ok());
  ASSERT_TRUE(writer.Put("b", "2").ok());
  EXPECT_TRUE(writer.DeleteRange("c", "d").IsNotSupported());
  ASSERT_TRUE(writer.Open("/parent/new.sst").ok());
  ASSERT_TRUE(writer.Put("a", "1").ok());
  ASSERT_TRUE(writer.Put("b", "2").ok());
  ASSERT_TRUE(writer.Finish().ok());
  const Status status =
      db_->IngestExternalFile({"/parent/new.sst"}, IngestExternalFileOptions());
  ASSERT_TRUE(status.ok()) << status;
  expected_ = {{"a", "1"}, {"b", "2"}};
  ExpectAll();
  Compact();
  Reopen();
  ExpectAll();
}

TEST_F(OtherTableFormatsTest, RepairKeepsWhatADamagedPlainTableHasBeforeIt) {
  UsePlain();
  Open();
  for (int i = 0; i < 300; ++i) Set(i, 0);
  Flush();
  // The length of a key becomes too large.
  CloseAndDamage(Key(150), -1, static_cast<char>(Key(150).size()), '\x7f');
  const Status status = RepairDB(kTestDirectory, options_);
  ASSERT_TRUE(status.ok()) << status;
  Open();
  std::string value;
  for (int i = 0; i < 140; ++i) {
    ASSERT_TRUE(db_->Get(ReadOptions(), Key(i), &value).ok()) << i;
    EXPECT_EQ(value, expected_[Key(i)]);
  }
}

TEST_F(OtherTableFormatsTest, ADamagedTypeIsNoRangeDeletion) {
  UsePlain();
  Open();
  for (int i = 0; i < 30; ++i) Set(i, 0);
  ASSERT_TRUE(db_->SingleDelete(WriteOptions(), Key(30)).ok());
  Flush();
  CloseAndDamage(Key(30), static_cast<int>(Key(30).size()), kTypeSingleDeletion,
                 kTypeRangeDeletion);
  EXPECT_TRUE(TryOpen().IsCorruption());
  const Status status = RepairDB(kTestDirectory, options_);
  ASSERT_TRUE(status.ok()) << status;
  Open();
  ExpectAll();
}

TEST_F(OtherTableFormatsTest, CheckpointsAndChecksumsAreAsOfOtherTables) {
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  UsePlain();
  Open();
  Fill(100);
  EXPECT_TRUE(db_->VerifyChecksum().ok());
  EXPECT_TRUE(db_->VerifyFileChecksums(ReadOptions()).ok());
  Checkpoint* made = nullptr;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &made).ok());
  const std::unique_ptr<Checkpoint> checkpoint(made);
  ASSERT_TRUE(checkpoint->CreateCheckpoint("/parent/copy").ok());
  db_.reset();
  ASSERT_TRUE(DB::Open(options_, "/parent/copy", &db_).ok());
  ExpectAll();
}

}  // namespace
}  // namespace tamis
