// SPDX-License-Identifier: Apache-2.0
//
// Everything at once: writes, reads, ingestion, compactions of each style,
// options that change, families that come and go, copies, followers of the log,
// a listener, and at last Close.
//
// Each write and each ingestion gives two families the same entries, so that
// they are equal at any one time, to every reader and in every copy.
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/compaction_filter.h"
#include "tamis/convenience.h"
#include "tamis/listener.h"
#include "tamis/sst_file_writer.h"
#include "tamis/utilities/checkpoint.h"

#include "tests/db/joiner.h"
#include "tests/db/test_families.h"
#include "tests/support/effort.h"

namespace tamis {
namespace {

// Asks the database back, from whatever thread it is called on. A database that
// closes does not answer.
class CuriousListener : public EventListener {
 public:
  void OnFlushCompleted(DB* db, const FlushJobInfo& info) override {
    Ask(db, info.cf_name);
  }
  void OnCompactionCompleted(DB* db, const CompactionJobInfo& info) override {
    Ask(db, info.cf_name);
  }
  void OnExternalFileIngested(DB* db,
                              const ExternalFileIngestionInfo& info) override {
    Ask(db, info.cf_name);
  }
  int calls() const { return calls_; }

 private:
  void Ask(DB* db, const std::string& family) {
    EXPECT_FALSE(family.empty());
    uint64_t value = 0;
    if (db->GetIntProperty(DB::Properties::kNumSnapshots, &value)) ++calls_;
  }

  std::atomic<int> calls_{0};
};

class OddKeysGo : public CompactionFilter {
 public:
  const char* Name() const override { return "test.OddKeysGo"; }
  bool Filter(int /*level*/, const Slice& key, const Slice& /*value*/,
              std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    return (key[key.size() - 1] - '0') % 2 != 0;
  }
};

class EverythingThreadsTest : public FamiliesTest {
 protected:
  using Changes = std::unordered_map<std::string, std::string>;
  using Model = std::map<std::string, std::string>;

  static constexpr int kWriters = 2;
  static constexpr int kKeys = 60;  // of each writer
  static constexpr const char* kOther = "universal";

  EverythingThreadsTest() {
    UseThreads();
    fs_->SetStoresInPlace(true);
    options_.write_buffer_size = 64 << 10;
    options_.target_file_size_base = 32 << 10;
    options_.max_bytes_for_level_base = 64 << 10;
    options_.level0_file_num_compaction_trigger = 2;
    options_.max_background_jobs = 3;
    options_.max_subcompactions = 2;
    options_.max_total_wal_size = 256 << 10;
    options_.WAL_size_limit_MB = 100;
    options_.merge_operator = std::make_shared<Joiner>();
    options_.listeners = {listener_};
    options_of_[kOther] = options_;
    options_of_[kOther].compaction_style = kCompactionStyleUniversal;
    options_of_["fifo"] = options_;
    options_of_["fifo"].compaction_style = kCompactionStyleFIFO;
    options_of_["fifo"].compaction_options_fifo.max_table_files_size = 256
                                                                       << 10;
    options_of_["short"] = options_;
    options_of_["short"].compaction_filter = &filter_;
    MakeFamilies({kOther, "fifo"});
  }

  // Repeats the act on a thread of its own until StopAll, at least once.
  void Repeat(const std::function<void(int round)>& act) {
    threads_.emplace_back([this, act] {
      for (int round = 0; round == 0 || (!stop_ && !HasFailure()); ++round) {
        act(round);
      }
    });
  }
  void StopAll() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  // One batch: both families get the same.
  void WriteToBoth(int writer, int round, Model* model) {
    const std::string prefix = "w" + std::to_string(writer);
    const std::string key = prefix + Key(round % kKeys);
    const std::string value =
        std::to_string(round) + Noise(300, static_cast<uint64_t>(round));
    WriteBatch batch;
    for (ColumnFamilyHandle* family :
         {db_->DefaultColumnFamily(), Family(kOther)}) {
      if (round % 97 == 96) {
        EXPECT_EQ(batch.DeleteRange(family, prefix, prefix + "~"),
                  Status::OK());
        EXPECT_EQ(batch.Delete(family, "m" + prefix), Status::OK());
      }
      EXPECT_EQ(batch.Put(family, key, value), Status::OK());
      EXPECT_EQ(batch.Merge(family, "m" + prefix, std::to_string(round)),
                Status::OK());
    }
    EXPECT_EQ(batch.Put(Family("fifo"), key, value), Status::OK());
    EXPECT_EQ(db_->Write(WriteOptions(), &batch), Status::OK());
    if (round % 97 == 96) model->clear();
    (*model)[key] = value;
  }

  // What a scan of either family shows at one time; they must be equal.
  static std::string EqualContents(DB* db, ColumnFamilyHandle* one,
                                   ColumnFamilyHandle* two,
                                   const ReadOptions& options) {
    std::vector<Iterator*> iterators;
    EXPECT_EQ(db->NewIterators(options, {one, two}, &iterators), Status::OK());
    std::vector<std::string> contents;
    for (Iterator* it : iterators) {
      contents.push_back(Scan(it));
      delete it;
    }
    EXPECT_EQ(contents[0], contents[1]);
    return contents[0];
  }
  std::string EqualContents(const ReadOptions& options = ReadOptions()) {
    return EqualContents(db_.get(), db_->DefaultColumnFamily(), Family(kOther),
                         options);
  }

  void ReadUnderASnapshot() {
    ReadOptions at;
    at.snapshot = db_->GetSnapshot();
    const std::string contents = EqualContents(at);
    const std::string key = "w0" + Key(7);
    std::vector<std::string> values;
    const std::vector<Status> statuses = db_->MultiGet(
        at, {db_->DefaultColumnFamily(), Family(kOther)}, {key, key}, &values);
    EXPECT_EQ(statuses[0], statuses[1]);
    EXPECT_EQ(values[0], values[1]);
    EXPECT_EQ(contents, EqualContents(at));
    db_->ReleaseSnapshot(at.snapshot);
  }

  void Ingest(int round) {
    const std::string path = "/parent/new" + std::to_string(round);
    std::vector<IngestExternalFileArg> args;
    for (const std::string& name :
         {kDefaultColumnFamilyName, std::string(kOther)}) {
      IngestExternalFileArg arg;
      arg.column_family =
          name == kOther ? Family(kOther) : db_->DefaultColumnFamily();
      arg.external_files = {path + name};
      arg.options.move_files = round % 2 == 0;
      SstFileWriter writer(Options(options_, OptionsOf(name)));
      EXPECT_EQ(writer.Open(path + name), Status::OK());
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(writer.Put("i" + Key(i), std::to_string(round)),
                  Status::OK());
      }
      EXPECT_EQ(writer.Finish(), Status::OK());
      args.push_back(arg);
    }
    EXPECT_EQ(db_->IngestExternalFiles(args), Status::OK());
    for (const IngestExternalFileArg& arg : args) {
      if (!arg.options.move_files) {
        EXPECT_EQ(fs_->RemoveFile(arg.external_files[0]), Status::OK());
      }
    }
  }

  void ChangeOptions(int round) {
    static const std::vector<Changes> kChanges = {
        {{"write_buffer_size", "32768"}},
        {{"disable_auto_compactions", "true"}},
        {{"level0_file_num_compaction_trigger", "3"},
         {"disable_auto_compactions", "false"}},
        {{"compression", "kNoCompression"}, {"max_write_buffer_number", "4"}},
        {{"compression", "kSnappyCompression"},
         {"max_write_buffer_number", "2"},
         {"write_buffer_size", "65536"}}};
    const Changes& changes =
        kChanges[static_cast<size_t>(round) % kChanges.size()];
    EXPECT_EQ(db_->SetOptions(changes), Status::OK());
    EXPECT_EQ(db_->SetOptions(Family(kOther), changes), Status::OK());
    EXPECT_EQ(
        db_->SetDBOptions({{"max_subcompactions", round % 2 ? "1" : "3"}}),
        Status::OK());
    EXPECT_EQ(db_->GetOptions().max_background_jobs, 3);
  }

  void CompactInSomeWay(int round) {
    ColumnFamilyHandle* const family =
        round % 2 == 0 ? db_->DefaultColumnFamily() : Family(kOther);
    Status status;
    switch (round % 5) {
      case 0:
        EXPECT_EQ(
            db_->CompactRange(CompactRangeOptions(), family, nullptr, nullptr),
            Status::OK());
        break;
      case 1:
        // Not those of ingested tables.
        status = db_->RewriteFilters(RewriteFiltersOptions(), family, nullptr,
                                     nullptr);
        EXPECT_TRUE(status.ok() || status.IsNotSupported()) << status;
        break;
      case 2:
        EXPECT_EQ(db_->SuggestCompactRange(db_->DefaultColumnFamily(), nullptr,
                                           nullptr),
                  Status::OK());
        break;
      case 3:
        EXPECT_EQ(db_->Flush(FlushOptions(), Family("fifo")), Status::OK());
        break;
      default:
        EXPECT_EQ(db_->PauseBackgroundWork(), Status::OK());
        EXPECT_EQ(db_->ContinueBackgroundWork(), Status::OK());
        EXPECT_EQ(db_->LockWAL(), Status::OK());
        EXPECT_EQ(db_->UnlockWAL(), Status::OK());
    }
  }

  // A family of a few writes, whose handle still reads after the drop.
  void LetAFamilyLive(int round) {
    ColumnFamilyHandle* made = nullptr;
    ASSERT_EQ(db_->CreateColumnFamily(OptionsOf("short"), "short", &made),
              Status::OK());
    const std::unique_ptr<ColumnFamilyHandle> handle(made);
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(db_->Put(WriteOptions(), made, Key(i), Noise(500, 2)),
                Status::OK());
    }
    EXPECT_EQ(db_->Flush(FlushOptions(), made), Status::OK());
    if (round % 2 == 0) {
      CompactRangeOptions force;
      force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
      EXPECT_EQ(db_->CompactRange(force, made, nullptr, nullptr), Status::OK());
    }
    EXPECT_EQ(db_->DropColumnFamily(made), Status::OK());
    std::string value;
    EXPECT_EQ(db_->Get(ReadOptions(), made, Key(6), &value), Status::OK());
    // A snapshot keeps what the filter would remove.
    const Status odd = db_->Get(ReadOptions(), made, Key(7), &value);
    EXPECT_TRUE(odd.ok() || odd.IsNotFound()) << odd;
  }

  void CopyAndCompare(int round) {
    const std::string copy = "/parent/copy" + std::to_string(round);
    std::unique_ptr<Checkpoint> checkpoint;
    ASSERT_EQ(Checkpoint::Create(db_.get(), &checkpoint), Status::OK());
    ASSERT_EQ(checkpoint->CreateCheckpoint(copy, round % 2 == 0 ? 0 : 1 << 30),
              Status::OK());
    DBOptions options = options_;
    options.listeners.clear();
    const std::vector<ColumnFamilyDescriptor> families = Descriptors({kOther});
    std::vector<ColumnFamilyHandle*> handles;
    std::unique_ptr<DB> db;
    ASSERT_EQ(DB::OpenForReadOnly(options, copy, families, &handles, &db),
              Status::OK());
    EqualContents(db.get(), handles[0], handles[1], ReadOptions());
    for (ColumnFamilyHandle* handle : handles) delete handle;
    db.reset();
    EXPECT_EQ(DestroyDB(copy, Options(options, options_)), Status::OK());
  }

  void ExportAndImport(int round) {
    const std::string directory = "/parent/exported" + std::to_string(round);
    std::unique_ptr<Checkpoint> checkpoint;
    ASSERT_EQ(Checkpoint::Create(db_.get(), &checkpoint), Status::OK());
    ExportImportFilesMetaData* list = nullptr;
    ASSERT_EQ(checkpoint->ExportColumnFamily(Family(kOther), directory, &list),
              Status::OK());
    const std::unique_ptr<ExportImportFilesMetaData> metadata(list);
    if (metadata->files.empty()) return;  // nothing was written yet
    ImportColumnFamilyOptions move;
    move.move_files = true;
    ColumnFamilyHandle* made = nullptr;
    ASSERT_EQ(db_->CreateColumnFamilyWithImport(OptionsOf(kOther), "imported",
                                                move, *metadata, &made),
              Status::OK());
    const std::unique_ptr<ColumnFamilyHandle> handle(made);
    EXPECT_NE(ContentsIn(db_.get(), made), "");
    EXPECT_EQ(db_->DropColumnFamily(made), Status::OK());
  }

  // Sequence numbers that an ingestion took are not in the log: a follower
  // then begins behind them.
  void Follow() {
    std::unique_ptr<TransactionLogIterator> updates;
    const Status status =
        db_->GetUpdatesSince(db_->GetLatestSequenceNumber(), &updates);
    if (!status.ok()) {
      EXPECT_TRUE(status.IsNotFound() || status.IsTryAgain()) << status;
      return;
    }
    SequenceNumber next = 0;
    for (int i = 0; i < 50 && updates->Valid(); ++i, updates->Next()) {
      const BatchResult result = updates->GetBatch();
      EXPECT_GE(result.sequence, next);
      next = result.sequence +
             static_cast<SequenceNumber>(result.writeBatchPtr->Count());
    }
    EXPECT_LE(next, db_->GetLatestSequenceNumber() + 1);
    EXPECT_TRUE(updates->status().ok() || updates->status().IsNotFound() ||
                updates->status().IsTryAgain())
        << updates->status();
  }

  // No act holds a snapshot or an iterator at the end of a round.
  void StartAllButWriters() {
    Repeat([this](int) { ReadUnderASnapshot(); });
    Repeat([this](int round) { Ingest(round); });
    Repeat([this](int round) { ChangeOptions(round); });
    Repeat([this](int round) { CompactInSomeWay(round); });
    Repeat([this](int round) { LetAFamilyLive(round); });
    Repeat([this](int round) { CopyAndCompare(round); });
    Repeat([this](int round) { ExportAndImport(round); });
    Repeat([this](int) { Follow(); });
  }

  const std::shared_ptr<CuriousListener> listener_ =
      std::make_shared<CuriousListener>();
  const OddKeysGo filter_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_{false};
};

TEST_F(EverythingThreadsTest, FamiliesThatAreWrittenTogetherStayEqual) {
  const int rounds = Rounds(4000);
  Model models[kWriters];
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int round = 0; round < rounds && !HasFailure(); ++round) {
        WriteToBoth(w, round, &models[w]);
      }
    });
  }
  StartAllButWriters();
  for (std::thread& writer : writers) writer.join();
  StopAll();
  EXPECT_GT(listener_->calls(), 0);
  for (const auto& [key, value] : models[0]) EXPECT_EQ(Get(key), value) << key;
  for (const auto& [key, value] : models[1]) EXPECT_EQ(Get(key), value) << key;
  const std::string contents = EqualContents();
  EXPECT_EQ(db_->VerifyChecksum(), Status::OK());
  ReopenFamilies();
  EXPECT_EQ(EqualContents(), contents);
}

// Each call that Close meets succeeds, or is told that the database closes.
TEST_F(EverythingThreadsTest, CloseEndsEveryCall) {
  for (int round = 0; round < Rounds(10); ++round) {
    std::atomic<int> calls{0};
    const auto until_closed = [&](const std::function<Status(int)>& call) {
      threads_.emplace_back([&calls, call] {
        for (int i = 0;; ++i) {
          const Status status = call(i);
          ++calls;
          if (status.ok()) continue;
          EXPECT_TRUE(status.IsShutdownInProgress()) << status;
          return;
        }
      });
    };
    ColumnFamilyHandle* const other = Family(kOther);
    until_closed([&](int i) {
      return db_->Put(WriteOptions(), other, Key(i % 500), Noise(300, 1));
    });
    until_closed([&](int i) {
      std::string value;
      const Status status = db_->Get(ReadOptions(), other, Key(i), &value);
      return status.IsNotFound() ? Status::OK() : status;
    });
    until_closed([&](int) { return db_->Flush(FlushOptions(), other); });
    until_closed([&](int) {
      return db_->CompactRange(CompactRangeOptions(), other, nullptr, nullptr);
    });
    until_closed([&](int i) {
      return db_->SetOptions(
          other, {{"write_buffer_size", i % 2 == 0 ? "65536" : "32768"}});
    });
    until_closed([&](int) { return db_->WaitForCompact({}); });
    while (calls < 200) std::this_thread::yield();
    EXPECT_EQ(db_->Close(), Status::OK());
    StopAll();
    ReopenFamilies();
  }
}

}  // namespace
}  // namespace tamis
