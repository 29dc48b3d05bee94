// SPDX-License-Identifier: Apache-2.0
#include "db/manifest/manifest_state.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/wal/log_writer.h"
#include "tests/support/simulated_file_system.h"
#include "tests/support/string_files.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

constexpr char kDirectory[] = "/db";
constexpr char kManifest[] = "/db/MANIFEST-000005";

std::string Key(const std::string& user_key, SequenceNumber sequence) {
  std::string out;
  AppendInternalKey(&out, user_key, sequence, kTypeValue);
  return out;
}

std::string Encoded(const VersionEdit& edit) {
  std::string out;
  edit.EncodeTo(&out);
  return out;
}

FileMetaData Table(uint64_t number) {
  FileMetaData meta;
  meta.number = FileNumber(number);
  meta.size = 1000 + number;
  meta.smallest = Key("a", number);
  meta.largest = Key("b", number);
  meta.smallest_seqno = number;
  meta.largest_seqno = number + 1;
  return meta;
}

VersionEdit Counters() {
  VersionEdit edit;
  edit.log_number = FileNumber(4);
  edit.next_file_number = FileNumber(6);
  edit.last_sequence = 100;
  return edit;
}
VersionEdit AddTo(uint32_t family, int level, uint64_t number) {
  VersionEdit edit;
  edit.column_family = FamilyId(family);
  edit.new_files.emplace_back(level, Table(number));
  return edit;
}
VersionEdit DeleteFrom(uint32_t family, int level, uint64_t number) {
  VersionEdit edit;
  edit.column_family = FamilyId(family);
  edit.deleted_files.emplace_back(level, number);
  return edit;
}
VersionEdit AddFamily(uint32_t id, const std::string& name) {
  VersionEdit edit;
  edit.column_family = FamilyId(id);
  edit.column_family_add = name;
  edit.comparator = "cmp." + name;
  return edit;
}
VersionEdit DropFamily(uint32_t id) {
  VersionEdit edit;
  edit.column_family = FamilyId(id);
  edit.column_family_drop = true;
  return edit;
}
VersionEdit InGroup(VersionEdit edit, uint32_t remaining) {
  edit.atomic_group_remaining = remaining;
  return edit;
}

class ManifestStateTest : public testing::Test {
 protected:
  ManifestStateTest() : fs_(NewSimulatedFileSystem()) {
    EXPECT_TRUE(fs_->CreateDirIfMissing(kDirectory).ok());
    Write("CURRENT", "MANIFEST-000005\n");
    Write("IDENTITY", "x");
  }

  void Write(const std::string& name, const std::string& contents) {
    EXPECT_TRUE(WriteStringToFile(fs_.get(), contents,
                                  std::string(kDirectory) + "/" + name, true)
                    .ok());
  }
  // The MANIFEST of these records; *offsets: where each begins.
  std::string Log(const std::vector<std::string>& records,
                  std::vector<uint64_t>* offsets = nullptr) {
    std::string bytes;
    LogWriter writer(std::make_unique<StringWritableFile>(&bytes),
                     FileNumber(5));
    for (const std::string& record : records) {
      if (offsets != nullptr) offsets->push_back(bytes.size());
      EXPECT_TRUE(writer.AddRecord(record).ok());
    }
    return bytes;
  }
  Result<ManifestState> ReadBytes(const std::string& bytes) {
    Write("MANIFEST-000005", bytes);
    return ReadManifest(fs_.get(), kDirectory);
  }
  Result<ManifestState> Read(const std::vector<VersionEdit>& edits) {
    std::vector<std::string> records;
    for (const VersionEdit& edit : edits) records.push_back(Encoded(edit));
    return ReadBytes(Log(records));
  }
  // The numbers at the levels of a family: "0:3,4 6:1".
  static std::string Tables(const ManifestFamily& family) {
    std::string out;
    for (const Level level : kLevels) {
      const auto& files = family.files[level];
      if (files.empty()) continue;
      out += (out.empty() ? "" : " ") + level.ToString() + ":";
      std::set<FileNumber> numbers;
      for (const FileMetaData& file : files) numbers.insert(file.number);
      EXPECT_EQ(numbers.size(), files.size());
      bool first = true;
      for (const FileNumber number : numbers) {
        out += (first ? "" : ",") + number.ToString();
        first = false;
      }
    }
    return out;
  }

  const std::shared_ptr<SimulatedFileSystem> fs_;
};

TEST_F(ManifestStateTest, IsTheSumOfTheEdits) {
  VersionEdit first = Counters();
  first.comparator = "leveldb.BytewiseComparator";
  first.db_id = "the id";
  first.min_log_number_to_keep = FileNumber(3);
  first.prev_log_number = FileNumber(2);
  VersionEdit later = AddTo(0, 1, 11);
  later.deleted_files.emplace_back(0, 10);
  later.log_number = FileNumber(9);
  later.min_log_number_to_keep = FileNumber(8);
  later.last_sequence = 120;
  later.next_file_number = FileNumber(12);
  later.new_files[0].second.epoch_number = EpochNumber(7);
  VersionEdit back;  // neither of the two goes back
  back.log_number = FileNumber(5);
  back.min_log_number_to_keep = FileNumber(1);
  const auto state =
      Read({first, AddTo(0, 0, 10), AddTo(0, 6, 2), later, back});
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->name, "MANIFEST-000005");
  EXPECT_EQ(state->number, FileNumber(5));
  EXPECT_EQ(state->next_file_number, FileNumber(12));
  EXPECT_EQ(state->last_sequence, 120u);
  EXPECT_EQ(state->prev_log_number, FileNumber(2));
  EXPECT_EQ(state->min_log_number_to_keep, FileNumber(8));
  EXPECT_EQ(state->db_id, "the id");
  EXPECT_EQ(state->max_column_family, FamilyId(0));
  EXPECT_FALSE(state->leveldb);
  EXPECT_FALSE(state->torn_tail);
  ASSERT_EQ(state->families.size(), 1u);
  const ManifestFamily& family = state->families.at(FamilyId(0));
  EXPECT_EQ(family.name, "default");
  EXPECT_EQ(family.comparator, "leveldb.BytewiseComparator");
  EXPECT_EQ(family.log_number, FileNumber(9));
  EXPECT_EQ(family.unsupported, "");
  EXPECT_EQ(Tables(family), "1:11 6:2");
  EXPECT_EQ(family.files[Level(1)][0].size, 1011u);
  EXPECT_EQ(family.files[Level(1)][0].epoch_number, EpochNumber(7));
  EXPECT_EQ(family.files[Level(1)][0].largest, Key("b", 11));
}

TEST_F(ManifestStateTest, FamiliesAreAddedAndDropped) {
  VersionEdit log = AddTo(2, 0, 20);
  log.log_number = FileNumber(30);
  VersionEdit max;
  max.max_column_family = FamilyId(9);
  const auto state = Read({Counters(), AddFamily(1, "one"), AddFamily(2, "two"),
                           AddTo(1, 0, 10), log, AddTo(0, 0, 12), DropFamily(1),
                           AddFamily(4, "one"), AddTo(4, 3, 10), max});
  ASSERT_TRUE(state.ok()) << state.status();
  ASSERT_EQ(state->families.size(), 3u);
  EXPECT_EQ(state->max_column_family, FamilyId(9));
  EXPECT_EQ(Tables(state->families.at(FamilyId(0))), "0:12");
  EXPECT_EQ(state->families.at(FamilyId(0)).log_number, FileNumber(4));
  const ManifestFamily& two = state->families.at(FamilyId(2));
  EXPECT_EQ(two.name, "two");
  EXPECT_EQ(two.comparator, "cmp.two");
  EXPECT_EQ(two.log_number, FileNumber(30));
  EXPECT_EQ(Tables(two), "0:20");
  const ManifestFamily& four = state->families.at(FamilyId(4));
  EXPECT_EQ(four.name, "one");
  EXPECT_EQ(four.log_number, std::nullopt);
  EXPECT_EQ(Tables(four), "3:10");
}

TEST_F(ManifestStateTest, HighestFamilyCountsWithoutItsRecord) {
  const auto state = Read({Counters(), AddFamily(7, "x"), DropFamily(7)});
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->max_column_family, FamilyId(7));
}

TEST_F(ManifestStateTest, DeletionsOfAnEditComeBeforeItsAdditions) {
  VersionEdit move = AddTo(0, 3, 10);
  move.deleted_files.emplace_back(2, 10);
  auto state = Read({Counters(), AddTo(0, 2, 10), move});
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(Tables(state->families.at(FamilyId(0))), "3:10");

  VersionEdit both = AddTo(0, 3, 10);
  both.deleted_files.emplace_back(3, 10);
  state = Read({Counters(), both});
  EXPECT_TRUE(state.status().IsCorruption());
}

TEST_F(ManifestStateTest, ContradictionsNameFileAndOffset) {
  const struct {
    std::vector<VersionEdit> edits;  // the last is the wrong one
    const char* says;
  } cases[] = {
      {{AddFamily(1, "a"), AddFamily(1, "b")},
       "an edit adds column family 1 \"b\": it exists already: column family 1 "
       "\"a\""},
      {{AddFamily(1, "a"), AddFamily(2, "a")},
       "an edit adds column family 2 \"a\": it exists already: column family 1 "
       "\"a\""},
      {{AddFamily(3, "default")},
       "an edit adds column family 3 \"default\": it exists already: column "
       "family 0 "
       "\"default\""},
      {{DropFamily(1)}, "an edit drops column family 1: no such column family"},
      {{DropFamily(0)}, "an edit drops the default column family"},
      {{AddTo(3, 0, 10)},
       "an edit names column family 3: no such column family"},
      {{AddFamily(3, "x"), DropFamily(3), AddTo(3, 0, 10)},
       "an edit names column family 3: no such column family exists"},
      {{DeleteFrom(0, 1, 10)},
       "an edit deletes table 10 from level 1: no such table exists"},
      {{AddTo(0, 2, 10), DeleteFrom(0, 1, 10)},
       "an edit deletes table 10 from level 1: it is at level 2"},
      {{AddFamily(1, "a"), AddTo(1, 1, 10), DeleteFrom(0, 1, 10)},
       "an edit deletes table 10 from level 1: no such table exists"},
      {{AddTo(0, 2, 10), AddTo(0, 3, 10)},
       "an edit adds table 10 twice: at level 3"},
      {{AddTo(0, 7, 10)}, "an edit adds table 10 at level 7: there are 7"},
      {{InGroup(AddTo(0, 0, 10), 2), InGroup(AddTo(0, 0, 11), 0)},
       "corrupted atomic group: its records do not count down to 0"},
      {{InGroup(AddTo(0, 0, 10), 1), AddTo(0, 0, 11)},
       "corrupted atomic group: its records do not count down to 0"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> records = {Encoded(Counters())};
    for (const VersionEdit& edit : c.edits) records.push_back(Encoded(edit));
    std::vector<uint64_t> offsets;
    const std::string bytes = Log(records, &offsets);
    const Status status = ReadBytes(bytes).status();
    EXPECT_TRUE(status.IsCorruption()) << c.says << "\n" << status;
    const std::string where = std::string(kManifest) + ": record at offset " +
                              std::to_string(offsets.back()) + ": ";
    EXPECT_EQ(status.message().rfind(where + c.says, 0), 0u) << c.says << "\n"
                                                             << status;
  }
}

TEST_F(ManifestStateTest, WrongMemberOfAGroupIsNamedByItsOwnOffset) {
  std::vector<uint64_t> offsets;
  const std::string bytes =
      Log({Encoded(Counters()), Encoded(InGroup(DeleteFrom(0, 0, 10), 1)),
           Encoded(InGroup(AddTo(0, 0, 11), 0))},
          &offsets);
  const Status status = ReadBytes(bytes).status();
  EXPECT_NE(status.message().find("offset " + std::to_string(offsets[1])),
            std::string::npos)
      << status;
}

TEST_F(ManifestStateTest, MalformedEditsNameFileAndOffset) {
  std::vector<uint64_t> offsets;
  const std::string bytes = Log({Encoded(Counters()), "\x0b"}, &offsets);
  const Status status = ReadBytes(bytes).status();
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_NE(
      status.message().find(std::string(kManifest) + ": record at offset " +
                            std::to_string(offsets[1])),
      std::string::npos)
      << status;
}

TEST_F(ManifestStateTest, CountersAreRequired) {
  const struct {
    std::function<void(VersionEdit*)> drop;
    const char* says;
  } cases[] = {
      {[](VersionEdit* e) { e->log_number.reset(); },
       "no record gives the log number"},
      {[](VersionEdit* e) { e->next_file_number.reset(); },
       "no record gives the next file number"},
      {[](VersionEdit* e) { e->last_sequence.reset(); },
       "no record gives the last sequence"},
  };
  for (const auto& c : cases) {
    VersionEdit edit = Counters();
    c.drop(&edit);
    const Status status = Read({edit}).status();
    EXPECT_TRUE(status.IsCorruption()) << c.says;
    EXPECT_NE(status.message().find(c.says), std::string::npos) << status;
  }
  // That of any family will do.
  VersionEdit none = Counters();
  none.log_number.reset();
  VersionEdit other = AddFamily(1, "one");
  other.log_number = FileNumber(3);
  EXPECT_TRUE(Read({none, other}).ok());
  EXPECT_TRUE(ReadBytes("").status().IsCorruption());
}

TEST_F(ManifestStateTest, GroupIsAppliedAtomically) {
  VersionEdit second = InGroup(AddTo(1, 0, 11), 0);
  second.last_sequence = 500;
  const std::vector<std::string> records = {
      Encoded(Counters()), Encoded(AddFamily(1, "one")),
      Encoded(InGroup(AddTo(0, 0, 10), 1)), Encoded(second)};
  auto state = ReadBytes(Log(records));
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(Tables(state->families.at(FamilyId(0))), "0:10");
  EXPECT_EQ(Tables(state->families.at(FamilyId(1))), "0:11");
  EXPECT_EQ(state->last_sequence, 500u);

  const std::string all = Log(records);
  for (const std::string& bytes : {Log({records[0], records[1], records[2]}),
                                   all.substr(0, all.size() - 1)}) {
    state = ReadBytes(bytes);
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_EQ(Tables(state->families.at(FamilyId(0))), "");
    EXPECT_EQ(Tables(state->families.at(FamilyId(1))), "");
    EXPECT_EQ(state->last_sequence, 100u);
  }
}

TEST_F(ManifestStateTest, TornLastRecordIsIgnored) {
  std::vector<uint64_t> offsets;
  const std::string bytes =
      Log({Encoded(Counters()), Encoded(AddTo(0, 0, 10))}, &offsets);
  for (size_t n = offsets[1] + 1; n < bytes.size(); ++n) {
    const auto state = ReadBytes(bytes.substr(0, n));
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_TRUE(state->torn_tail);
    EXPECT_EQ(state->torn_offset, offsets[1]);
    EXPECT_EQ(state->torn_bytes, n - offsets[1]);
    EXPECT_EQ(Tables(state->families.at(FamilyId(0))), "");
  }
  std::string bad = bytes;
  bad.back() ^= 1;
  EXPECT_TRUE(ReadBytes(bad).status().IsCorruption());
}

TEST_F(ManifestStateTest, CurrentMustNameAnExistingManifest) {
  EXPECT_TRUE(ReadManifest(fs_.get(), kDirectory).status().IsCorruption());
  ASSERT_TRUE(fs_->RemoveFile("/db/CURRENT").ok());
  EXPECT_TRUE(ReadManifest(fs_.get(), kDirectory).status().IsPathNotFound());
}

TEST_F(ManifestStateTest, UnsupportedFeaturesNameFamilyAndOffset) {
  std::string blob;  // of family 1: blob file 9, garbage of nothing
  PutVarint32(&blob, 200);
  PutVarint32(&blob, 1);
  PutVarint32(&blob, 401);
  for (const uint32_t v : {9u, 0u, 0u, 0u}) PutVarint32(&blob, v);
  std::string timestamps = blob;
  PutVarint32(&timestamps, 8201);
  PutLengthPrefixedSlice(&timestamps, Slice("\0", 1));
  std::vector<uint64_t> offsets;
  const auto state = ReadBytes(
      Log({Encoded(Counters()), Encoded(AddFamily(1, "one")), blob, timestamps},
          &offsets));
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->families.at(FamilyId(0)).unsupported, "");
  EXPECT_EQ(state->families.at(FamilyId(1)).unsupported,
            "blob files (record at offset " + std::to_string(offsets[2]) +
                "), user-defined timestamps (record at offset " +
                std::to_string(offsets[3]) + ")");
}

TEST_F(ManifestStateTest, LevelDBIsRecognizedByItsTablesOrTheMissingIdentity) {
  VersionEdit counters = Counters();
  const auto leveldb = [this](const VersionEdit& first,
                              const std::string& more) {
    const auto state = ReadBytes(Log({Encoded(first), more}));
    EXPECT_TRUE(state.ok()) << state.status();
    return state.ok() && state->leveldb;
  };
  std::string table;  // LevelDB's form of a new file
  PutVarint32(&table, 7);
  for (const uint32_t v : {0u, 10u, 1000u}) PutVarint32(&table, v);
  PutLengthPrefixedSlice(&table, Key("a", 1));
  PutLengthPrefixedSlice(&table, Key("b", 2));
  EXPECT_TRUE(leveldb(counters, table));

  VersionEdit compared = counters;
  compared.comparator = "leveldb.BytewiseComparator";
  EXPECT_FALSE(leveldb(compared, ""));
  ASSERT_TRUE(fs_->RemoveFile("/db/IDENTITY").ok());
  EXPECT_TRUE(leveldb(compared, ""));
  EXPECT_FALSE(leveldb(counters, ""));
  EXPECT_FALSE(leveldb(compared, "\x0a\x03"));
  EXPECT_FALSE(leveldb(compared, Encoded(AddTo(0, 0, 10))));
}

TEST_F(ManifestStateTest, ReadsAHundredThousandTablesInLinearTime) {
  constexpr uint64_t kTables = 100000;
  std::vector<VersionEdit> edits = {Counters(), AddFamily(1, "one")};
  for (uint64_t i = 0; i < kTables; ++i) {
    const auto family = static_cast<uint32_t>(i % 2);
    edits.push_back(AddTo(family, 1, 10 + i));
    if (i >= 1000) {
      edits.back().deleted_files.emplace_back(1, 10 + i - 1000);
    }
  }
  VersionEdit many;
  for (uint64_t i = 0; i < kTables; ++i) {
    many.new_files.emplace_back(4, Table(1000000 + i));
  }
  edits.push_back(many);
  const auto state = Read(edits);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->families.at(FamilyId(0)).files[Level(1)].size(), 500u);
  EXPECT_EQ(state->families.at(FamilyId(1)).files[Level(1)].size(), 500u);
  EXPECT_EQ(state->families.at(FamilyId(0)).files[Level(4)].size(), kTables);
}

TEST(ManifestStateGoldenTest, ListsTheExistingTablesOfEveryFamily) {
  namespace sfs = std::filesystem;
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) {
    GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set: nothing was read";
  }
  const auto posix = NewPosixFileSystem();
  size_t directories = 0;
  size_t with_families = 0;
  for (const auto& writer :
       sfs::directory_iterator(sfs::path(root) / "golden")) {
    if (!sfs::is_directory(writer.path() / "dirs")) continue;
    for (const auto& entry : sfs::directory_iterator(writer.path() / "dirs")) {
      if (!entry.is_directory()) continue;
      SCOPED_TRACE(entry.path());
      ++directories;
      const std::string directory = entry.path().string();
      const auto state = ReadManifest(posix.get(), directory);
      ASSERT_TRUE(state.ok()) << state.status();
      EXPECT_EQ(state->leveldb, writer.path().filename() == "leveldb-1.23");
      std::set<FileNumber> listed;
      SequenceNumber newest = 0;
      for (const auto& [id, family] : state->families) {
        EXPECT_EQ(family.unsupported, "");
        EXPECT_EQ(family.comparator, "leveldb.BytewiseComparator");
        EXPECT_TRUE(family.log_number.has_value());
        EXPECT_LE(id, state->max_column_family);
        for (const auto& files : family.files) {
          for (const FileMetaData& file : files) {
            EXPECT_TRUE(listed.insert(file.number).second);
            newest = std::max(newest, file.largest_seqno);
            EXPECT_LT(file.number, state->next_file_number);
          }
        }
      }
      EXPECT_LE(newest, state->last_sequence);
      std::set<FileNumber> there;
      for (const auto& file : sfs::directory_iterator(entry.path())) {
        const auto parsed = ParseFileName(file.path().filename().string());
        if (parsed && parsed->type == FileKind::kTable) {
          there.insert(parsed->number);
        }
      }
      // Those that a compaction replaced are still there.
      EXPECT_TRUE(std::includes(there.begin(), there.end(), listed.begin(),
                                listed.end()));
      // "gone" was dropped.
      if (entry.path().filename() == "column_families") {
        ++with_families;
        ASSERT_EQ(state->families.size(), 2u);
        EXPECT_EQ(state->families.rbegin()->second.name, "users");
        EXPECT_GT(state->max_column_family, FamilyId(1));
      } else {
        EXPECT_EQ(state->families.size(), 1u);
      }
    }
  }
  EXPECT_GT(directories, 20u);
  EXPECT_EQ(with_families, 3u);
}

}  // namespace
}  // namespace tamis
