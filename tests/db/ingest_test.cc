// SPDX-License-Identifier: Apache-2.0
//
// IngestExternalFile: which level and sequence number a file gets, who sees it,
// and what is left when it fails.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"
#include "tamis/utilities/merge_operators.h"

#include "tests/db/test_families.h"
#include "tests/support/wrapped_file_system.h"

namespace tamis {
namespace {

class IngestTest : public FamiliesTest {
 protected:
  using Fill = std::function<void(SstFileWriter*)>;

  // A table /parent/<name>.sst.
  std::string Make(const std::string& name, const Fill& fill) {
    const std::string path = "/parent/" + name + ".sst";
    SstFileWriter writer(options_);
    EXPECT_EQ(writer.Open(path), Status::OK());
    fill(&writer);
    EXPECT_EQ(writer.Finish(), Status::OK());
    return path;
  }
  // One with these keys; the value is the name.
  std::string MakeOf(const std::string& name,
                     const std::vector<std::string>& keys) {
    return Make(name, [&](SstFileWriter* writer) {
      for (const std::string& key : keys) {
        EXPECT_EQ(writer->Put(key, name), Status::OK());
      }
    });
  }
  Status Ingest(const std::vector<std::string>& paths) {
    return db_->IngestExternalFile(paths, ingest_);
  }
  // "level:sequence" of each table, level 0 first.
  std::string Tables(const std::string& family = "default") {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::string text;
    for (const LiveFileMetaData& file : files) {
      if (file.column_family_name != family) continue;
      text += (text.empty() ? "" : " ") + std::to_string(file.level) + ":" +
              std::to_string(file.largest_seqno);
    }
    return text;
  }
  // Tables in the database's directory.
  size_t TablesOnDisk() {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_->GetChildren(kTestDirectory, &names).ok());
    return static_cast<size_t>(std::count_if(
        names.begin(), names.end(),
        [](const std::string& name) { return name.ends_with(".sst"); }));
  }
  bool Exists(const std::string& path) { return fs_->FileExists(path).ok(); }

  IngestExternalFileOptions ingest_;
};

TEST_F(IngestTest, AFileIsACopyInTheLastLevelOfAnEmptyDatabase) {
  Open();
  const std::string path = MakeOf("f", {"a", "b"});
  EXPECT_EQ(Ingest({path}), Status::OK());
  EXPECT_EQ(Tables(), "6:0");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), 0u);
  EXPECT_EQ(Get("a"), "f");
  EXPECT_TRUE(Exists(path));
  // The copy is independent of the file.
  EXPECT_TRUE(WriteStringToFile(fs_.get(), "rubbish", path, true).ok());
  Reopen();
  EXPECT_EQ(Get("b"), "f");
  EXPECT_EQ(Get("c"), "NOT_FOUND");
}

TEST_F(IngestTest, OlderKeysOfTheRangeAreHidden) {
  Open();
  Put("a", "old");
  Put("c", "old");
  Flush();
  Compact(/*force=*/true);  // level 1
  EXPECT_EQ(Ingest({MakeOf("f", {"b", "c"})}), Status::OK());
  EXPECT_EQ(Tables(), "0:3 1:0");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), 3u);
  EXPECT_EQ(Get("a") + Get("b") + Get("c"), "oldff");
  Put("b", "new");
  EXPECT_EQ(Get("b"), "new");
  Reopen();
  EXPECT_EQ(Get("a") + Get("b") + Get("c"), "oldnewf");
  Compact(/*force=*/true);
  EXPECT_EQ(Get("a") + Get("b") + Get("c"), "oldnewf");
}

TEST_F(IngestTest, AFileInAGapGoesAsDeepAsBoundsAllowAndNeedsNoNumber) {
  Open();
  EXPECT_EQ(Ingest({MakeOf("outer", {"a", "z"})}), Status::OK());
  EXPECT_EQ(Ingest({MakeOf("inner", {"m", "n"})}), Status::OK());
  EXPECT_EQ(Tables(), "5:0 6:0");
  EXPECT_EQ(Ingest({MakeOf("same", {"m"})}), Status::OK());
  EXPECT_EQ(Tables(), "4:1 5:0 6:0");
  EXPECT_EQ(Get("m") + Get("n") + Get("z"), "sameinnerouter");
  // In the gap of both.
  EXPECT_EQ(Ingest({MakeOf("beside", {"b", "c"})}), Status::OK());
  EXPECT_EQ(Tables(), "4:1 5:0 5:0 6:0");
}

TEST_F(IngestTest, AMemTableOfTheRangeIsFlushedFirst) {
  Open();
  Put("b", "old");
  Put("y", "kept in memory");
  EXPECT_EQ(Ingest({MakeOf("far", {"m", "n"})}), Status::OK());
  EXPECT_EQ(Tables(), "6:0");
  ingest_.allow_blocking_flush = false;
  const std::string path = MakeOf("f", {"a", "c"});
  const Status refused = Ingest({path});
  EXPECT_TRUE(refused.IsInvalidArgument()) << refused;
  EXPECT_NE(refused.message().find(path), std::string::npos) << refused;
  EXPECT_EQ(TablesOnDisk(), 1u);
  ingest_.allow_blocking_flush = true;
  EXPECT_EQ(Ingest({path}), Status::OK());
  EXPECT_EQ(Tables(), "0:3 0:2 6:0");
  EXPECT_EQ(Get("b"), "old");
  EXPECT_EQ(Get("a"), "f");
}

TEST_F(IngestTest, AMemTableAroundAFileIsFlushedLater) {
  Open();
  Put("m", "0");
  Flush();
  Compact(/*force=*/true);
  Put("a", "1");
  Put("z", "1");
  EXPECT_EQ(Ingest({MakeOf("f", {"m"})}), Status::OK());
  EXPECT_EQ(Tables(), "0:4 1:0");
  Flush();
  EXPECT_EQ(Tables(), "0:4 0:3 1:0");
  EXPECT_EQ(Get("a") + Get("m") + Get("z"), "1f1");
  Reopen();
  EXPECT_EQ(Get("a") + Get("m") + Get("z"), "1f1");
  Compact(/*force=*/true);
  EXPECT_EQ(Get("a") + Get("m") + Get("z"), "1f1");
}

TEST_F(IngestTest, ATombstoneOfAMemTableCountsAsAKeyOfTheRange) {
  Open();
  Put("a", "1");
  Put("z", "1");
  Flush();
  Compact(/*force=*/true);
  DeleteRange("b", "y");
  EXPECT_EQ(Ingest({MakeOf("f", {"c", "d"})}), Status::OK());
  EXPECT_EQ(Get("c"), "f");
  EXPECT_EQ(Tables(), "0:4 0:3 1:0");
  // Nor does the tombstone in the table hide later files.
  EXPECT_EQ(Ingest({MakeOf("g", {"e"})}), Status::OK());
  EXPECT_EQ(Get("e"), "g");
  Compact(/*force=*/true);
  EXPECT_EQ(Get("c") + Get("e"), "fg");
}

// A compaction that is scheduled has chosen its inputs, and writes [a, z] to
// level 1, the only level where the file would fit.
TEST_F(IngestTest, AFileStaysOutOfTheOutputOfARunningCompaction) {
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  for (const char* name : {"6", "5", "4", "3", "2"}) {
    ASSERT_EQ(Ingest({MakeOf(name, {"b", "y"})}), Status::OK());
  }
  ASSERT_EQ(Tables(), "2:4 3:3 4:2 5:1 6:0");
  MakeLevel0Files(2);
  uint64_t running = 0;
  ASSERT_TRUE(
      db_->GetIntProperty(DB::Properties::kNumRunningCompactions, &running));
  ASSERT_EQ(running, 1u);
  EXPECT_EQ(Ingest({MakeOf("f", {"m", "n"})}), Status::OK());
  EXPECT_TRUE(Tables().starts_with("0:9 ")) << Tables();
  RunJobs();
  std::string error;
  ASSERT_TRUE(db_->GetProperty(DB::Properties::kBackgroundError, &error));
  EXPECT_EQ(error, "OK");
  EXPECT_EQ(Get("a") + Get("b") + Get("m") + Get("z"), "12f1");
  Compact(/*force=*/true);
  EXPECT_EQ(Get("a") + Get("b") + Get("m") + Get("z"), "12f1");
}

TEST_F(IngestTest, SnapshotsDoNotSeeTheFileUnlessTheyMay) {
  Open();
  const Snapshot* before = db_->GetSnapshot();
  EXPECT_EQ(Ingest({MakeOf("f", {"a"})}), Status::OK());
  EXPECT_EQ(Tables(), "6:1");
  EXPECT_EQ(Get("a", before), "NOT_FOUND");
  EXPECT_EQ(Get("a"), "f");
  ingest_.snapshot_consistency = false;
  EXPECT_EQ(Ingest({MakeOf("g", {"b"})}), Status::OK());
  EXPECT_EQ(Tables(), "6:1 6:0");
  EXPECT_EQ(Get("b", before), "g");
  ingest_ = {};
  ingest_.allow_global_seqno = false;
  const Status refused = Ingest({MakeOf("h", {"c"})});
  EXPECT_TRUE(refused.IsInvalidArgument()) << refused;
  EXPECT_EQ(Get("c"), "NOT_FOUND");
  db_->ReleaseSnapshot(before);
  EXPECT_EQ(Ingest({"/parent/h.sst"}), Status::OK());
  EXPECT_EQ(Get("c"), "h");
  const Status overlap = Ingest({MakeOf("i", {"c"})});
  EXPECT_TRUE(overlap.IsInvalidArgument()) << overlap;
}

TEST_F(IngestTest, AnIteratorKeepsItsState) {
  Open();
  Put("a", "1");
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  EXPECT_EQ(Ingest({MakeOf("f", {"a", "b"})}), Status::OK());
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value().ToString(), "1");
  it->Next();
  EXPECT_FALSE(it->Valid());
}

TEST_F(IngestTest, OfOverlappingFilesTheLaterOneWins) {
  Open();
  Put("x", "1");
  EXPECT_EQ(Ingest({MakeOf("first", {"a", "c"}), MakeOf("second", {"b", "c"}),
                    Make("third",
                         [](SstFileWriter* writer) {
                           EXPECT_TRUE(writer->DeleteRange("a", "b").ok());
                         })}),
            Status::OK());
  EXPECT_EQ(Get("a"), "NOT_FOUND");
  EXPECT_EQ(Get("b") + Get("c"), "secondsecond");
  // "x" is flushed later, beside them, with an older number.
  EXPECT_EQ(Tables(), "0:4 0:3 0:2");
  Flush();
  EXPECT_EQ(Tables(), "0:4 0:3 0:2 0:1");
  Reopen();
  Put("c", "last");
  Flush();
  Compact(/*force=*/true);
  EXPECT_EQ(Get("b") + Get("c") + Get("x"), "secondlast1");
}

TEST_F(IngestTest, EveryKindOfEntryIsIngested) {
  options_.merge_operator = MergeOperators::CreateFromName("stringappend");
  Open();
  for (const char* key : {"a", "b", "c", "d", "e"}) Put(key, "0");
  EXPECT_EQ(Ingest({Make("f",
                         [](SstFileWriter* writer) {
                           EXPECT_TRUE(writer->Delete("a").ok());
                           EXPECT_TRUE(writer->Merge("b", "1").ok());
                           EXPECT_TRUE(writer->SingleDelete("c").ok());
                           EXPECT_TRUE(writer->DeleteRange("d", "f").ok());
                           EXPECT_TRUE(writer->Put("e", "1").ok());
                         })}),
            Status::OK());
  const auto check = [&] {
    EXPECT_EQ(Get("a") + Get("c") + Get("d"), "NOT_FOUNDNOT_FOUNDNOT_FOUND");
    EXPECT_EQ(Get("b"), "0,1");
    EXPECT_EQ(Get("e"), "1");
  };
  check();
  Reopen();
  check();
  Compact(/*force=*/true);
  check();
}

TEST_F(IngestTest, TheOptionsLimitTheDepth) {
  options_.num_levels = 3;
  ingest_.fail_if_not_bottommost_level = true;
  Open();
  EXPECT_EQ(Ingest({MakeOf("a", {"a"})}), Status::OK());
  EXPECT_EQ(Tables(), "2:0");
  Reopen();
  EXPECT_EQ(Get("a"), "a");
}

TEST_F(IngestTest, UnderFifoAFileIsDeletedInItsTurn) {
  options_.compaction_style = kCompactionStyleFIFO;
  Open();
  Put("b", "1");
  EXPECT_EQ(Ingest({MakeOf("a", {"a"})}), Status::OK());
  EXPECT_EQ(Tables(), "0:2");
}

TEST_F(IngestTest, AMovedFileLosesItsNameOnlyAfterSuccess) {
  Open();
  ingest_.move_files = true;
  const std::string bad = MakeOf("bad", {"a"});
  ingest_.fail_if_not_bottommost_level = true;
  Put("a", "1");
  EXPECT_TRUE(Ingest({bad}).IsTryAgain());
  EXPECT_TRUE(Exists(bad));
  EXPECT_EQ(Get("a"), "1");
  ingest_.fail_if_not_bottommost_level = false;
  const size_t before = TablesOnDisk();
  EXPECT_EQ(Ingest({bad}), Status::OK());
  EXPECT_EQ(TablesOnDisk(), before + 1);
  EXPECT_FALSE(Exists(bad));
  ingest_ = {};
  ingest_.link_files = true;
  const std::string linked = MakeOf("linked", {"x"});
  EXPECT_EQ(Ingest({linked}), Status::OK());
  EXPECT_TRUE(Exists(linked));
  EXPECT_EQ(Get("a") + Get("x"), "badlinked");
}

// Has no hard links.
class NoLinks : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  Status LinkFile(const std::string& from, const std::string& to) override {
    return Status::NotSupported(from + " -> " + to, "another device");
  }
};

// Cannot sync by name.
class NoSyncByName : public WrappedFileSystem {
 public:
  using WrappedFileSystem::WrappedFileSystem;
  Status SyncFile(const std::string& path) override {
    return FileSystem::SyncFile(path);
  }
};

TEST_F(IngestTest, AFileThatCannotBeLinkedIsCopiedIfAllowed) {
  for (const bool links : {false, true}) {
    if (links) {
      options_.file_system = std::make_shared<NoSyncByName>(fs_);
    } else {
      options_.file_system = std::make_shared<NoLinks>(fs_);
    }
    Open();
    const std::string path = MakeOf("f", {"a"});
    ingest_.move_files = true;
    ingest_.failed_move_fall_back_to_copy = false;
    const Status refused = Ingest({path});
    EXPECT_TRUE(refused.IsNotSupported()) << refused;
    EXPECT_EQ(TablesOnDisk(), 0u);
    ingest_.failed_move_fall_back_to_copy = true;
    EXPECT_EQ(Ingest({path}), Status::OK());
    EXPECT_FALSE(Exists(path));
    EXPECT_EQ(Get("a"), "f");
    Destroy();
  }
}

TEST_F(IngestTest, BadFilesAreNamedAndLeaveNothingBehind) {
  Open();
  const std::string good = MakeOf("good", {"a"});
  const auto refuse = [&](const std::string& path) {
    const Status status = Ingest({good, path});
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find(path), std::string::npos) << status;
    EXPECT_EQ(TablesOnDisk(), 0u);
    EXPECT_EQ(Get("a"), "NOT_FOUND");
    return status;
  };
  EXPECT_TRUE(refuse("/parent/absent.sst").IsPathNotFound());
  ASSERT_TRUE(WriteStringToFile(fs_.get(), std::string(200, 'x'),
                                "/parent/rubbish.sst", true)
                  .ok());
  EXPECT_TRUE(refuse("/parent/rubbish.sst").IsCorruption());
  options_.comparator = ReverseBytewiseComparator();
  const std::string reverse = MakeOf("reverse", {"z", "y"});
  options_.comparator = BytewiseComparator();
  EXPECT_TRUE(refuse(reverse).IsInvalidArgument());

  EXPECT_TRUE(Ingest({}).IsInvalidArgument());
  EXPECT_TRUE(db_->IngestExternalFiles({}).IsInvalidArgument());
  EXPECT_TRUE(
      db_->IngestExternalFiles({{nullptr, {good}, {}}}).IsInvalidArgument());
}

TEST_F(IngestTest, ATableOfADatabaseIsNoExternalFile) {
  Open();
  Put("a", "1");
  Flush();
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  const Status status = Ingest({files.at(0).db_path + files.at(0).name});
  EXPECT_TRUE(status.IsCorruption()) << status;
}

TEST_F(IngestTest, DamagedBlocksAreFoundBeforehandOnlyIfAsked) {
  Open();
  const std::string path = Make("f", [](SstFileWriter* writer) {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_TRUE(
          writer->Put(Key(i), Noise(100, static_cast<uint64_t>(i))).ok());
    }
  });
  std::string bytes;
  ASSERT_TRUE(fs_->GetContents(path, &bytes).ok());
  bytes[bytes.size() / 2] ^= 1;
  ASSERT_TRUE(fs_->SetContents(path, bytes).ok());
  ingest_.verify_checksums_before_ingest = true;
  const Status status = Ingest({path});
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.message().find(path), std::string::npos) << status;
  EXPECT_EQ(Tables(), "");
  ingest_.verify_checksums_before_ingest = false;
  EXPECT_EQ(Ingest({path}), Status::OK());
}

TEST_F(IngestTest, ARefusedManifestStopsWritesAndNeverReusesTheNumber) {
  Open();
  Put("a", "old");
  Flush();
  fs_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.operation == "append" &&
                   call.path.find("MANIFEST") != std::string::npos
               ? Status::IOError(call.path, "broken")
               : Status::OK();
  });
  const std::string path = MakeOf("f", {"a"});
  ingest_.move_files = true;
  EXPECT_TRUE(Ingest({path}).IsIOError());
  fs_->SetFaultHook(nullptr);
  EXPECT_TRUE(Exists(path));
  EXPECT_EQ(Get("a"), "old");
  EXPECT_FALSE(db_->Put(WriteOptions(), "b", "1").ok());
  EXPECT_EQ(db_->Resume(), Status::OK());
  EXPECT_EQ(db_->GetLatestSequenceNumber(), 1u);
  Put("b", "1");
  EXPECT_EQ(db_->GetLatestSequenceNumber(), 3u);  // 2 was the file's
  EXPECT_EQ(Ingest({path}), Status::OK());
  Reopen();
  EXPECT_EQ(Get("a") + Get("b"), "f1");
  EXPECT_EQ(TablesOnDisk(), (Tables().size() + 1) / 4);
}

TEST_F(IngestTest, AnIngestedFileIsDurableAndSoIsWhatCameBefore) {
  Open();
  Put("b", "logged, not synced");
  EXPECT_EQ(Ingest({MakeOf("f", {"c"})}), Status::OK());
  PowerCut(/*seed=*/1, CrashStyle::kDropAll);
  Open();
  EXPECT_EQ(Get("b") + " " + Get("c"), "logged, not synced f");
}

TEST_F(IngestTest, ALinkedFileThatWasNeverSyncedIsDurable) {
  Open();
  const std::string path = MakeOf("f", {"a"});
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(fs_.get(), path, &bytes).ok());
  ASSERT_TRUE(WriteStringToFile(fs_.get(), bytes, path, /*sync=*/false).ok());
  ingest_.move_files = true;
  EXPECT_EQ(Ingest({path}), Status::OK());
  PowerCut(/*seed=*/1, CrashStyle::kDropAll);
  Open();
  EXPECT_EQ(Get("a"), "f");
}

TEST_F(IngestTest, FilesOfSeveralFamiliesComeTogether) {
  MakeFamilies({"f", "g"});
  Put("f", "a", "old");
  const std::string one = MakeOf("one", {"a"});
  const std::string two = MakeOf("two", {"b"});
  EXPECT_EQ(db_->IngestExternalFiles(
                {{Family("f"), {one}, {}}, {Family("g"), {two}, {}}}),
            Status::OK());
  EXPECT_EQ(Tables("f"), "0:2 0:1");
  EXPECT_EQ(Tables("g"), "6:3");
  const Status twice = db_->IngestExternalFiles(
      {{Family("f"), {one}, {}}, {Family("f"), {two}, {}}});
  EXPECT_TRUE(twice.IsInvalidArgument()) << twice;
  PowerCut();
  ReopenFamilies();
  EXPECT_EQ(GetIn("f", "a") + GetIn("g", "b"), "onetwo");

  // One bad file, and no family gets any.
  ingest_.allow_global_seqno = false;
  EXPECT_FALSE(db_->IngestExternalFiles(
                      {{Family("g"), {one}, {}}, {Family("f"), {one}, ingest_}})
                   .ok());
  EXPECT_EQ(GetIn("g", "a"), "NOT_FOUND");
}

TEST_F(IngestTest, ADroppedFamilyTakesNoFiles) {
  MakeFamilies({"f"});
  Put("f", "a", "1");
  const std::string path = MakeOf("x", {"a"});
  Drop("f");
  const Status status = db_->IngestExternalFile(Family("f"), {path}, ingest_);
  EXPECT_TRUE(status.IsColumnFamilyDropped()) << status;
  EXPECT_EQ(TablesOnDisk(), 0u);
}

TEST_F(IngestTest, AReadOnlyOrClosedDatabaseTakesNoFiles) {
  Open();
  const std::string path = MakeOf("f", {"a"});
  EXPECT_EQ(db_->Close(), Status::OK());
  EXPECT_TRUE(Ingest({path}).IsShutdownInProgress());
  db_.reset();
  ASSERT_TRUE(DB::OpenForReadOnly(options_, kTestDirectory, &db_).ok());
  EXPECT_TRUE(Ingest({path}).IsNotSupported());
}

}  // namespace
}  // namespace tamis
