// SPDX-License-Identifier: Apache-2.0
//
// Limits: the largest, smallest and most keys, values, batches, families in a
// batch, files in a directory, tables in a tree.
//
// TAMIS_BIG_TESTS=1 also stores values of 1.2 and 3 GiB, the limit of an entry,
// and a batch of 3 GiB that refuses to grow above 4. This takes about 10 GiB of
// memory and disk, and minutes.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/wal/log_writer.h"
#include "db/wal/write_batch_internal.h"
#include "tests/db/test_db.h"
#include "tests/support/databases.h"
#include "tests/support/effort.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

// Zeros that take no memory until they are read.
class Region {
 public:
  explicit Region(size_t bytes)
      : bytes_(bytes),
        start_(::mmap(nullptr, bytes, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Region() {
    if (ok()) ::munmap(start_, bytes_);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  bool ok() const { return start_ != MAP_FAILED; }
  Slice Take(size_t n) const { return {static_cast<const char*>(start_), n}; }

 private:
  const size_t bytes_;
  void* const start_;
};

void ExpectRefusal(const Status& status, const char* limit) {
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.message().find(limit), std::string::npos) << status;
}

class LimitsTest : public DBTest {
 protected:
  // Bytes of all logs.
  uint64_t LogBytes() {
    uint64_t bytes = 0;
    for (const std::string& name : FilesEndingIn(".log")) {
      uint64_t size = 0;
      EXPECT_TRUE(
          fs_->GetFileSize(std::string(kTestDirectory) + "/" + name, &size)
              .ok());
      bytes += size;
    }
    return bytes;
  }
  void ExpectEverywhere(
      const std::vector<std::pair<std::string, std::string>>& expected) {
    const auto check = [&](const char* where) {
      SCOPED_TRACE(where);
      Status status;
      const KeyValues sorted(expected.begin(), expected.end());
      EXPECT_EQ(DifferenceFrom(sorted, db_.get(), &status), "");
      EXPECT_TRUE(status.ok()) << status;
    };
    check("in the memtable");
    Reopen();
    check("in a table made of the log");
    Compact(/*force=*/true);
    check("in a table made by a compaction");
    Reopen();
    check("reopened");
  }
};

TEST_F(LimitsTest, EmptyKeysAndValuesAreStored) {
  Open();
  Put("", "value of the empty key");
  Put("a", "");
  Put("b", "");
  Delete("b");
  ExpectEverywhere({{"", "value of the empty key"}, {"a", ""}});
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek("");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice(""));
  it->SeekForPrev("");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Slice(""));
  it->Prev();
  EXPECT_FALSE(it->Valid());
  Delete("");
  EXPECT_EQ(Contents(), "a=");
  Put("", "");
  EXPECT_EQ(Contents(), "= a=");
}

TEST_F(LimitsTest, AnEmptyBatchChangesNothing) {
  Open();
  Put("a", "1");
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  WriteBatch batch;
  WriteOptions sync;
  sync.sync = true;
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  ASSERT_TRUE(db_->Write(sync, &batch).ok());
  ASSERT_TRUE(batch.PutLogData("log data takes no number").ok());
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ(db_->GetLatestSequenceNumber(), before);
  Put("b", "2");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), before + 1);
  Reopen();
  EXPECT_EQ(Contents(), "a=1 b=2");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), before + 1);
}

TEST_F(LimitsTest, ALogMayHoldOnlyEmptyBatches) {
  Open();
  WriteBatch batch;
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  Reopen();
  EXPECT_EQ(Contents(), "");
  Flush();
  Put("a", "1");
  Reopen();
  EXPECT_EQ(Contents(), "a=1");
}

TEST(LimitsArithmeticTest, EntriesAndBatchesAreLimitedToTheByte) {
  constexpr uint64_t kEntry = WriteBatch::kMaxEntryBytes;
  constexpr uint64_t kBatch = WriteBatch::kMaxBytes;
  EXPECT_EQ(kEntry, 3 * kGiB - 8);
  EXPECT_EQ(kBatch, 4 * kGiB - 1);
  const struct {
    uint64_t key;
    uint64_t value;
    bool ok;
  } entries[] = {
      {0, 0, true},           {0, kEntry, true},
      {kEntry, 0, true},      {8, kEntry - 8, true},
      {0, kEntry + 1, false}, {kEntry + 1, 0, false},
      {8, kEntry - 7, false}, {1, kEntry, false},
      {kEntry, 1, false},     {0, kBatch, false},
      {UINT64_MAX, 1, false}, {1, UINT64_MAX, false},
      {0, UINT64_MAX, false}, {UINT64_MAX, UINT64_MAX, false},
  };
  for (const auto& e : entries) {
    const Status status = WriteBatchInternal::CheckEntryBytes(e.key, e.value);
    EXPECT_EQ(status.ok(), e.ok) << e.key << " " << e.value << status;
    if (!e.ok)
      ExpectRefusal(status, "WriteBatch::kMaxEntryBytes is 3221225464");
  }
  EXPECT_TRUE(WriteBatchInternal::CheckBatchBytes(kBatch).ok());
  ExpectRefusal(WriteBatchInternal::CheckBatchBytes(kBatch + 1),
                "WriteBatch::kMaxBytes is 4294967295");
  // Whatever the record's tag, family and lengths take, at most 16 bytes.
  EXPECT_TRUE(WriteBatchInternal::CheckMore(12, 0, kEntry).ok());
  EXPECT_TRUE(WriteBatchInternal::CheckMore(kBatch - 116, 50, 50).ok());
  ExpectRefusal(WriteBatchInternal::CheckMore(kBatch - 115, 50, 50),
                "WriteBatch::kMaxBytes");
  ExpectRefusal(WriteBatchInternal::CheckMore(kBatch - kEntry, 0, kEntry),
                "WriteBatch::kMaxBytes");
}

TEST_F(LimitsTest, OversizedWritesAreRefusedBeforeLogging) {
  const Region zeros(4 * kGiB);
  if (!zeros.ok()) GTEST_SKIP() << "*** no 4 GiB of address space ***";
  Open();
  Put("a", "1");
  const uint64_t logged = LogBytes();
  const SequenceNumber sequence = db_->GetLatestSequenceNumber();
  const char* const limit = "WriteBatch::kMaxEntryBytes";
  for (const uint64_t size : {4 * kGiB, 4 * kGiB - 1, 3 * kGiB, 3 * kGiB - 7}) {
    SCOPED_TRACE(size);
    const Slice huge = zeros.Take(size);
    ExpectRefusal(db_->Put(WriteOptions(), "k", huge), limit);
    ExpectRefusal(db_->Put(WriteOptions(), huge, ""), limit);
    ExpectRefusal(db_->Put(WriteOptions(), huge, huge), limit);
    ExpectRefusal(db_->Delete(WriteOptions(), huge), limit);
    WriteBatch batch;
    ASSERT_TRUE(batch.Put("b", "2").ok());
    const std::string before = batch.Data();
    ExpectRefusal(batch.Put("k", huge), limit);
    ExpectRefusal(batch.PutLogData(huge), limit);
    EXPECT_EQ(batch.Data(), before);
  }
  EXPECT_EQ(LogBytes(), logged);
  EXPECT_EQ(db_->GetLatestSequenceNumber(), sequence);
  EXPECT_EQ(Contents(), "a=1");
  Put("b", "2");
  Reopen();
  EXPECT_EQ(Contents(), "a=1 b=2");
}

TEST_F(LimitsTest, ValuesOfTensOfMegabytesAreStored) {
  Open();
  const std::string zeros(24 << 20, '\0');
  ExpectEverywhere({});
  const std::vector<std::pair<std::string, std::string>> entries = {
      {"large", Noise(20 << 20, 1)},
      {"small", "x"},
      {"zeros", zeros},
      {std::string(2 << 20, 'z'), "of a large key"},
      {std::string(2 << 20, 'z') + "z", Noise(1 << 20, 2)},
  };
  for (const auto& [key, value] : entries) Put(key, value);
  ExpectEverywhere(entries);
}

TEST(BigLimitsTest, AValueAboveOneGiBIsWrittenAndRead) {
  if (std::getenv("TAMIS_BIG_TESTS") == nullptr) {
    GTEST_SKIP() << "*** TAMIS_BIG_TESTS is not set: no value above 1 GiB is "
                    "stored ***";
  }
  const TemporaryDirectory temporary;
  Options options;
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  constexpr uint64_t kBytes = kGiB + kGiB / 5;
  const Region zeros(3 * kGiB);
  ASSERT_TRUE(zeros.ok());
  std::string large = Noise(kBytes, 5);
  const auto check = [&](const char* where) {
    SCOPED_TRACE(where);
    const Stopwatch watch;
    PinnableSlice value;
    Status status =
        db->Get(ReadOptions(), db->DefaultColumnFamily(), "large", &value);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(value == Slice(large));
    value.Reset();
    const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    it->SeekToFirst();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("a"));
    it->Next();
    ASSERT_TRUE(it->Valid());
    EXPECT_TRUE(it->value() == Slice(large));
    it->Next();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), Slice("z"));
    it->Prev();
    ASSERT_TRUE(it->Valid()) << it->status();
    EXPECT_EQ(it->key(), Slice("large"));
    std::printf("%s: %.1f s\n", where, watch.Seconds());
  };
  const auto open = [&] {
    db.reset();
    const Status status = DB::Open(options, temporary.Path("db"), &db);
    ASSERT_TRUE(status.ok()) << status;
  };
  open();
  ASSERT_TRUE(db->Put(WriteOptions(), "a", "1").ok());
  ASSERT_TRUE(db->Put(WriteOptions(), "large", large).ok());
  ASSERT_TRUE(db->Put(WriteOptions(), "z", "2").ok());
  check("memtable");
  open();
  check("table made of the log");
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db->CompactRange(force, nullptr, nullptr).ok());
  check("compacted");

  // The largest entry, of zeros, and adopted bytes that hold a larger one.
  large.assign(1, 'x');
  large.shrink_to_fit();
  Status status = db->Put(WriteOptions(), "large",
                          zeros.Take(WriteBatch::kMaxEntryBytes - 5));
  ASSERT_TRUE(status.ok()) << status;
  status = db->Flush(FlushOptions());
  ASSERT_TRUE(status.ok()) << status;
  open();
  {
    PinnableSlice value;
    status = db->Get(ReadOptions(), db->DefaultColumnFamily(), "large", &value);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(value == zeros.Take(WriteBatch::kMaxEntryBytes - 5));
  }
  std::string raw(12, '\0');
  EncodeFixed32(raw.data() + 8, 1);
  raw += std::string("\1\1k", 3);
  PutVarint32(&raw, static_cast<uint32_t>(WriteBatch::kMaxEntryBytes));
  raw.append(WriteBatch::kMaxEntryBytes, '\0');
  WriteBatch adopted(std::move(raw));
  ExpectRefusal(db->Write(WriteOptions(), &adopted),
                "WriteBatch::kMaxEntryBytes");
}

TEST(BigLimitsTest, ABatchRefusesToGrowBeyondFourGiBAndStaysWritable) {
  if (std::getenv("TAMIS_BIG_TESTS") == nullptr) {
    GTEST_SKIP() << "*** TAMIS_BIG_TESTS is not set: no batch of 3 GiB is "
                    "written ***";
  }
  const TemporaryDirectory temporary;
  Options options;
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, temporary.Path("db"), &db).ok());
  const Region zeros(kGiB);
  ASSERT_TRUE(zeros.ok());
  const Slice value = zeros.Take(kGiB);
  const Stopwatch watch;
  {
    WriteBatch batch;
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_TRUE(batch.Put(key, value).ok());
    }
    ExpectRefusal(batch.Put("d", value), "WriteBatch::kMaxBytes");
    ASSERT_TRUE(batch.Put("e", "small").ok());
    ASSERT_EQ(batch.Count(), 4U);
    const Status status = db->Write(WriteOptions(), &batch);
    ASSERT_TRUE(status.ok()) << status;
  }
  db.reset();
  ASSERT_TRUE(DB::Open(options, temporary.Path("db"), &db).ok());
  for (const char* key : {"a", "b", "c"}) {
    PinnableSlice got;
    const Status status =
        db->Get(ReadOptions(), db->DefaultColumnFamily(), key, &got);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_TRUE(got == value) << key;
  }
  std::string got;
  EXPECT_TRUE(db->Get(ReadOptions(), "d", &got).IsNotFound());
  EXPECT_TRUE(db->Get(ReadOptions(), "e", &got).ok());
  std::printf("a batch of 3 GiB: %.1f s\n", watch.Seconds());
}

// Puts in families 0 to n - 1, one each.
std::string BatchOfFamilies(uint32_t n, SequenceNumber sequence) {
  std::string bytes(12, '\0');
  EncodeFixed64(bytes.data(), sequence);
  EncodeFixed32(bytes.data() + 8, n);
  for (uint32_t id = 0; id < n; ++id) {
    bytes.push_back('\5');
    PutVarint32(&bytes, id);
    PutLengthPrefixedSlice(&bytes, Key(static_cast<int>(id)));
    PutLengthPrefixedSlice(&bytes, "value");
  }
  return bytes;
}

TEST_F(LimitsTest, ABatchForMissingFamiliesIsRefusedWhole) {
  Open();
  Put("a", "1");
  const uint64_t logged = LogBytes();
  const SequenceNumber sequence = db_->GetLatestSequenceNumber();
  WriteBatch many(BatchOfFamilies(10000, 0));
  ExpectRefusal(db_->Write(WriteOptions(), &many), "no column family has id 1");
  std::string deletion(12, '\0');
  EncodeFixed32(deletion.data() + 8, 1);
  deletion += "\4";
  PutVarint32(&deletion, UINT32_MAX);
  PutLengthPrefixedSlice(&deletion, "a");
  WriteBatch last(deletion);
  ExpectRefusal(db_->Write(WriteOptions(), &last), "4294967295");
  EXPECT_EQ(LogBytes(), logged);
  EXPECT_EQ(db_->GetLatestSequenceNumber(), sequence);
  EXPECT_EQ(Contents(), "a=1");
  // Family 0 has a long form too.
  WriteBatch one(BatchOfFamilies(1, 0));
  ASSERT_TRUE(db_->Write(WriteOptions(), &one).ok());
  Reopen();
  EXPECT_EQ(Contents(), "a=1 key000000=value");
}

TEST_F(LimitsTest, ALogWithTenThousandFamiliesKeepsItsNumbers) {
  Open();
  Put("a", "1");
  ASSERT_TRUE(db_->Close().ok());
  const SequenceNumber last = db_->GetLatestSequenceNumber();
  db_.reset();
  const std::string name = FilesEndingIn(".log").back();
  const FileNumber number = ParseFileName(name)->number;
  std::unique_ptr<WritableFile> file;
  ASSERT_TRUE(
      fs_->NewWritableFile(LogFileName(kTestDirectory, number), &file).ok());
  LogWriter log(std::move(file), number);
  WriteBatch first;
  ASSERT_TRUE(first.Put("a", "1").ok());
  WriteBatchInternal::SetSequence(&first, last);
  ASSERT_TRUE(log.AddRecord(first.Data()).ok());
  SequenceNumber next = last + 1;
  for (int i = 0; i < 20; ++i, next += 10000) {
    ASSERT_TRUE(log.AddRecord(BatchOfFamilies(10000, next)).ok());
  }
  ASSERT_TRUE(log.Sync().ok());
  ASSERT_TRUE(log.Close().ok());
  Open();
  EXPECT_EQ(Contents(), "a=1 key000000=value");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), next - 1);
  Put("b", "2");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), next);
  Reopen();
  EXPECT_EQ(Contents(), "a=1 b=2 key000000=value");
}

// Tens of thousands of names: files that the database may have left, and
// foreign ones.
const int kOfEach = Rounds(12500);
const std::vector<std::string>& LeftoverForms() {
  static const std::vector<std::string> forms = {"%06d.sst", "%06d.log",
                                                 "MANIFEST-%06d", "%06d.dbtmp"};
  return forms;
}
const std::vector<std::string>& ForeignForms() {
  static const std::vector<std::string> forms = {
      "photo%06d.jpg", "%06d.sst.bak", "x%06d.sst", "MANIFEST-%06d~"};
  return forms;
}
std::string NameIn(const std::string& form, int i) {
  const size_t at = form.find("%06d");
  char digits[16];
  std::snprintf(digits, sizeof(digits), "%06d", i);
  return form.substr(0, at) + digits + form.substr(at + 4);
}

TEST(LargeDirectoryTest, AHundredThousandFilesAreUsable) {
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  const std::shared_ptr<FileSystem> fs = NewPosixFileSystem();
  Options options;
  options.create_if_missing = true;
  options.file_system = fs;
  std::unique_ptr<DB> db;
  KeyValues expected;
  ASSERT_TRUE(DB::Open(options, directory, &db).ok());
  for (int i = 0; i < 1000; ++i) {
    expected.emplace_back(Key(i), Noise(20, static_cast<uint64_t>(i)));
    ASSERT_TRUE(db->Put(WriteOptions(), Key(i), expected.back().second).ok());
    if (i % 300 == 0) {
      ASSERT_TRUE(db->Flush(FlushOptions()).ok());
    }
  }
  db.reset();
  std::vector<std::string> own;
  ASSERT_TRUE(fs->GetChildren(directory, &own).ok());

  for (const auto* forms : {&LeftoverForms(), &ForeignForms()}) {
    for (const std::string& form : *forms) {
      for (int i = 0; i < kOfEach; ++i) {
        const std::string path = directory + "/" + NameIn(form, 1000 + i);
        // Logs with numbers above the live one count: they are empty.
        ASSERT_TRUE(WriteStringToFile(
                        fs.get(), form == "%06d.log" ? "" : "leftover", path,
                        /*sync=*/false)
                        .ok());
      }
    }
  }
  const Stopwatch opening;
  Status status = DB::Open(options, directory, &db);
  ASSERT_TRUE(status.ok()) << status;
  const double open_seconds = opening.Seconds();
  const Stopwatch using_it;
  EXPECT_EQ(DifferenceFrom(expected, db.get(), &status), "");
  EXPECT_TRUE(status.ok()) << status;
  ASSERT_TRUE(db->Put(WriteOptions(), "z", "1").ok());
  ASSERT_TRUE(db->Flush(FlushOptions()).ok());
  ASSERT_TRUE(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  expected.emplace_back("z", "1");
  ASSERT_TRUE(db->Close().ok());
  db.reset();
  const double use_seconds = using_it.Seconds();

  std::vector<std::string> names;
  ASSERT_TRUE(fs->GetChildren(directory, &names).ok());
  size_t foreign = 0;
  for (const std::string& name : names) {
    for (const std::string& form : ForeignForms()) {
      foreign +=
          name == NameIn(form, std::atoi(name.c_str() + form.find("%06d")));
    }
  }
  EXPECT_EQ(foreign, ForeignForms().size() * static_cast<size_t>(kOfEach));
  EXPECT_LE(names.size(), foreign + own.size() + 10);

  const Stopwatch again;
  ASSERT_TRUE(DB::Open(options, directory, &db).ok());
  EXPECT_EQ(DifferenceFrom(expected, db.get(), &status), "");
  db.reset();
  std::printf(
      "open with 100,000 files %.2f s, read, write, compact, close %.2f s, "
      "open again with 50,000 %.2f s\n",
      open_seconds, use_seconds, again.Seconds());
}

TEST_F(LimitsTest, ATreeOfTwentyThousandTablesIsUsable) {
  const int count = Rounds(20000);
  BlockBasedTableOptions table;
  table.block_size = 1;
  SetTable(table);
  options_.target_file_size_base = 1;
  options_.max_bytes_for_level_base = uint64_t{1} << 40;
  Open();
  const auto value_of = [](int i) {
    return Noise(10, static_cast<uint64_t>(i));
  };
  const Stopwatch making;
  for (int i = 0; i < count; ++i) Put(Key(i), value_of(i));
  Compact();
  EXPECT_GE(LiveFiles().size(), static_cast<size_t>(count) / 2);
  const double make_seconds = making.Seconds();
  const size_t tables = LiveFiles().size();

  const Stopwatch opening;
  Reopen();
  const double open_seconds = opening.Seconds();
  options_.max_open_files = 16;
  const Stopwatch limited;
  Reopen();
  const double limited_seconds = limited.Seconds();

  const Stopwatch using_it;
  for (int i = 0; i < count; i += 3) ASSERT_EQ(Get(Key(i)), value_of(i));
  int seen = 0;
  {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
    ASSERT_TRUE(it->status().ok()) << it->status();
  }
  EXPECT_EQ(seen, count);
  // Iterators, and edits that touch little of it.
  for (int n = 0; n < 1000; ++n) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek(Key(n * 17 % count));
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(it->key(), Slice(Key(n * 17 % count)));
  }
  for (int n = 0; n < 20; ++n) {
    Put(Key(n * 100), value_of(n * 100));
    Flush();
  }
  RunJobs();
  const double use_seconds = using_it.Seconds();

  // Level 1 is above its size by some 500 files, which move one by one.
  uint64_t level1 = 0;
  for (const LiveFileMetaData& file : LiveFiles()) level1 += file.size;
  options_.max_bytes_for_level_base = level1 / 40 * 39;
  const Stopwatch moving;
  Reopen();
  RunJobs();
  const double move_seconds = moving.Seconds();
  for (int i = 0; i < count; i += 7) ASSERT_EQ(Get(Key(i)), value_of(i));
  std::printf(
      "%zu tables: made %.2f s, opened %.2f s (16 at once %.2f s), used %.2f "
      "s, rebalanced to %s %.2f s\n",
      tables, make_seconds, open_seconds, limited_seconds, use_seconds,
      Levels().c_str(), move_seconds);
}

}  // namespace
}  // namespace tamis
