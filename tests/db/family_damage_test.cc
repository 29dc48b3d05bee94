// SPDX-License-Identifier: Apache-2.0
//
// Like directory_damage_test.cc, for a directory with everything in it: three
// column families, one of them dropped, merges, single deletes and range
// deletes, tables in three levels, groups of edits in the MANIFEST, and two
// logs that are both needed. An open may show the state after the last batch,
// or, if a log was cut or ends in damage, after an earlier one: the same one
// for all families.
//
// Shows D11 and D15 to D18 of docs/durability.md.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/utilities/merge_operators.h"

#include "db/manifest/version_edit.h"
#include "db/wal/log_reader.h"
#include "tests/db/damage.h"
#include "tests/support/effort.h"

namespace tamis {
namespace {

// By family.
using State = std::map<std::string, Model>;

struct Sample {
  Files files;
  // The states from before the first batch in the logs to after the last.
  std::vector<State> history;
  std::set<std::string> obsolete;  // goes when the directory is opened
};

DBOptions DatabaseOptions(const std::shared_ptr<FileSystem>& fs) {
  DBOptions options = OptionsOn(fs);
  options.atomic_flush = true;
  options.create_if_missing = true;
  return options;
}

std::vector<ColumnFamilyDescriptor> Families() {
  ColumnFamilyOptions plain;
  plain.max_bytes_for_level_base = 1500;
  plain.target_file_size_base = 500;
  plain.level_compaction_dynamic_level_bytes = false;  // to use levels 1 and 2
  ColumnFamilyOptions merged = plain;
  merged.merge_operator = MergeOperators::CreateStringAppendOperator();
  return {{"default", plain}, {"merged", merged}};
}

// Open, with a handle for each family.
struct Opened {
  Status Open(const std::shared_ptr<SimulatedFileSystem>& fs) {
    return DB::Open(DatabaseOptions(fs), kDirectory, Families(), &handles, &db);
  }
  ~Opened() {
    for (ColumnFamilyHandle* handle : handles) delete handle;
    if (db != nullptr) db->Close().PermitUncheckedError();
  }

  State Shown(Status* status) const {
    State state;
    for (ColumnFamilyHandle* handle : handles) {
      const KeyValues all =
          ScanForward(db.get(), status, ReadOptions(), handle);
      if (!status->ok()) return state;
      state[handle->GetName()] = Model(all.begin(), all.end());
    }
    return state;
  }
  // By every kind of read.
  std::string DifferenceFromState(const State& state, Status* status) const {
    for (ColumnFamilyHandle* handle : handles) {
      const std::string difference =
          DifferenceFrom(Listing(state.at(handle->GetName())), db.get(), status,
                         ReadOptions(), handle);
      if (!difference.empty() || !status->ok()) return difference;
    }
    return "";
  }

  std::vector<ColumnFamilyHandle*> handles;
  std::unique_ptr<DB> db;
};

class Writer {
 public:
  Writer()
      : fs_(NewSimulatedFileSystem()), runner_(NewDeterministicJobRunner(1)) {
    DBOptions options = DatabaseOptions(fs_);
    options.job_runner = runner_;
    options.create_missing_column_families = true;
    const Status status = DB::Open(options, kDirectory, Families(),
                                   &opened_.handles, &opened_.db);
    EXPECT_TRUE(status.ok()) << status;
  }

  DB* db() { return opened_.db.get(); }
  ColumnFamilyHandle* plain() { return opened_.handles[0]; }
  ColumnFamilyHandle* merged() { return opened_.handles[1]; }

  void Put(ColumnFamilyHandle* family, const std::string& key,
           const std::string& value) {
    EXPECT_TRUE(db()->Put(WriteOptions(), family, key, value).ok());
    state_[family->GetName()][key] = value;
    Record();
  }
  void Merge(const std::string& key, const std::string& operand) {
    EXPECT_TRUE(db()->Merge(WriteOptions(), merged(), key, operand).ok());
    std::string& value = state_["merged"][key];
    value += (value.empty() ? "" : ",") + operand;
    Record();
  }
  void SingleDelete(ColumnFamilyHandle* family, const std::string& key) {
    EXPECT_TRUE(db()->SingleDelete(WriteOptions(), family, key).ok());
    state_[family->GetName()].erase(key);
    Record();
  }
  void DeleteRange(ColumnFamilyHandle* family, const std::string& begin,
                   const std::string& end) {
    EXPECT_TRUE(db()->DeleteRange(WriteOptions(), family, begin, end).ok());
    Model& model = state_[family->GetName()];
    model.erase(model.lower_bound(begin), model.lower_bound(end));
    Record();
  }
  // One batch, both families.
  void PutInBoth(const std::string& key, const std::string& value) {
    WriteBatch batch;
    EXPECT_TRUE(batch.Put(plain(), key, value).ok());
    EXPECT_TRUE(batch.Put(merged(), key, value).ok());
    EXPECT_TRUE(db()->Write(WriteOptions(), &batch).ok());
    state_["default"][key] = value;
    state_["merged"][key] = value;
    Record();
  }
  void Flush(bool wait = true) {
    FlushOptions options;
    options.wait = wait;
    EXPECT_TRUE(db()->Flush(options, {plain(), merged()}).ok());
    if (wait) history_ = {state_};
  }
  // And what follows of itself, to deeper levels.
  void Compact(const std::string& begin, const std::string& end) {
    const Slice from = begin;
    const Slice to = end;
    EXPECT_TRUE(
        db()->CompactRange(CompactRangeOptions(), plain(), &from, &to).ok());
    runner_->RunUntilIdle();
  }
  // With a table of its own.
  void MakeAndDropAFamily() {
    ColumnFamilyHandle* gone = nullptr;
    EXPECT_TRUE(db()->CreateColumnFamily({}, "gone", &gone).ok());
    EXPECT_TRUE(db()->Put(WriteOptions(), gone, "x", "y").ok());
    EXPECT_TRUE(db()->Flush(FlushOptions(), gone).ok());
    EXPECT_TRUE(db()->DropColumnFamily(gone).ok());
    EXPECT_TRUE(db()->DestroyColumnFamilyHandle(gone).ok());
  }
  // How many tables each has.
  std::string Levels() {
    std::string all;
    for (int level = 0; level < 7; ++level) {
      std::string n;
      EXPECT_TRUE(db()->GetProperty(
          plain(),
          DB::Properties::kNumFilesAtLevelPrefix + std::to_string(level), &n));
      all += (level == 0 ? "" : " ") + n;
    }
    return all;
  }
  // As a kill would leave it now.
  Sample Take() const {
    Sample sample;
    sample.files = FilesOf(fs_.get());
    sample.history = history_;
    return sample;
  }

 private:
  void Record() { history_.push_back(state_); }

  const std::shared_ptr<SimulatedFileSystem> fs_;
  const std::shared_ptr<DeterministicJobRunner> runner_;
  Opened opened_;
  State state_ = {{"default", {}}, {"merged", {}}};
  std::vector<State> history_;
};

// Tables, logs and MANIFESTs that go when these files are opened and closed.
std::set<std::string> RemovedByOpening(const Files& files) {
  const auto fs = FileSystemWith(files);
  const std::set<std::string> before = Keepsakes(fs.get());
  {
    Opened opened;
    const Status status = opened.Open(fs);
    EXPECT_TRUE(status.ok()) << status;
  }
  const std::set<std::string> after = Keepsakes(fs.get());
  std::set<std::string> removed;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::inserter(removed, removed.end()));
  return removed;
}

// The deeper levels first, then what is above them, then two logs.
Sample MakeSample() {
  Writer writer;
  ColumnFamilyHandle* const plain = writer.plain();
  ColumnFamilyHandle* const merged = writer.merged();
  for (const char letter : {'s', 'a'}) {
    for (int i = 0; i < 8; ++i) {
      writer.Put(plain, letter + std::to_string(i), "deep");
      writer.Merge("m" + std::to_string(i), std::string(1, letter));
    }
    writer.Flush();
    writer.Compact(std::string(1, letter), std::string(1, letter) + "9");
  }
  writer.Put(plain, "a3", "less deep");
  writer.Put(plain, "a4", "less deep");
  writer.Merge("m3", "second");
  writer.Flush();
  writer.MakeAndDropAFamily();
  writer.SingleDelete(plain, "a7");
  writer.DeleteRange(plain, "s2", "s6");
  writer.DeleteRange(merged, "m4", "m6");
  writer.Merge("m4", "anew");
  writer.Flush();
  EXPECT_EQ(writer.Levels(), "2 1 1 0 0 0 0");

  writer.PutInBoth("a1", "in both");
  writer.SingleDelete(plain, "s0");
  writer.Flush(/*wait=*/false);
  writer.Merge("m0", "last");
  writer.DeleteRange(plain, "a4", "a6");
  writer.PutInBoth("z", "the end");
  Sample sample = writer.Take();
  sample.obsolete = RemovedByOpening(sample.files);
  return sample;
}

// What an open came to.
struct Attempt {
  Outcome outcome = Outcome::kRight;
  size_t shown = 0;  // which state of the history; kRight alone
  std::set<std::string> lost;
};

// Opens and reads. An error must name the damage, no needed file may be
// removed, and the contents must be those of some earlier state.
Attempt Try(const Sample& sample, const Files& files,
            const std::string& damaged) {
  const auto fs = FileSystemWith(files);
  const std::set<std::string> before = Keepsakes(fs.get());
  Attempt attempt;
  Status status;
  {
    Opened opened;
    status = opened.Open(fs);
    if (!status.ok()) {
      attempt.outcome = Outcome::kRefused;
      EXPECT_TRUE(WithoutInfoLogs(FilesOf(fs.get())) == WithoutInfoLogs(files))
          << "the refusal changed files: " << status;
    } else {
      const auto& history = sample.history;
      const State shown = opened.Shown(&status);
      if (status.ok()) {
        const auto at = std::find(history.rbegin(), history.rend(), shown);
        EXPECT_TRUE(at != history.rend()) << "shows what never was";
        if (at != history.rend()) {
          attempt.shown = static_cast<size_t>(history.rend() - at) - 1;
          EXPECT_EQ(opened.DifferenceFromState(*at, &status), "");
        }
      }
      if (!status.ok()) attempt.outcome = Outcome::kReadFailed;
    }
  }
  // A MANIFEST that ends too early may still have a dropped family.
  if (!status.ok() && !status.IsInvalidArgument()) ExpectNamed(status, damaged);
  const std::set<std::string> after = Keepsakes(fs.get());
  for (const std::string& name : before) {
    EXPECT_TRUE(after.contains(name) || (sample.obsolete.contains(name) &&
                                         attempt.outcome != Outcome::kRefused))
        << name << " is gone";
  }
  std::vector<std::string> lost;
  if (fs->GetChildren(std::string(kDirectory) + "/lost", &lost).ok()) {
    attempt.lost.insert(lost.begin(), lost.end());
  }
  return attempt;
}

Attempt TryFlipped(const Sample& sample, const std::string& name, size_t at,
                   int mask) {
  SCOPED_TRACE(name + ": byte " + std::to_string(at) + " ^ " +
               std::to_string(mask));
  Files files = sample.files;
  char& byte = files.at(name)[at];
  byte = static_cast<char>(byte ^ mask);
  return Try(sample, files, name);
}

Attempt TryCut(const Sample& sample, const std::string& name, size_t to) {
  SCOPED_TRACE(name + ": cut to " + std::to_string(to));
  Files files = sample.files;
  files.at(name).resize(to);
  return Try(sample, files, name);
}

std::vector<std::string> NamesOf(const Sample& sample, FileKind type) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : sample.files) {
    const auto parsed = ParseFileName(name);
    if (parsed && parsed->type == type) names.push_back(name);
  }
  return names;
}

class FamilyDamageTest : public testing::Test {
 protected:
  FamilyDamageTest() : last_(sample_.history.size() - 1) {}

  size_t SizeOf(const std::string& name) const {
    return sample_.files.at(name).size();
  }
  // Records of a log or a MANIFEST.
  std::vector<std::string> Records(const std::string& name,
                                   std::vector<size_t>* ends) const {
    const auto fs = FileSystemWith(sample_.files);
    const std::string path = std::string(kDirectory) + "/" + name;
    const auto reader = LogReader::Open(
        fs.get(), path, ParseFileName(name)->number, LogKind::kManifest);
    EXPECT_TRUE(reader.ok()) << reader.status();
    std::vector<std::string> records;
    if (!reader.ok()) return records;
    std::string record;
    while ((*reader)->ReadRecord(&record) == LogReader::Outcome::kRecord) {
      records.push_back(record);
      ends->push_back((*reader)->record_offset() + 7 + record.size());
    }
    return records;
  }

  const Sample sample_ = MakeSample();
  const size_t last_;
};

TEST_F(FamilyDamageTest, TheSampleIsComplete) {
  const Attempt attempt = Try(sample_, sample_.files, "");
  EXPECT_EQ(attempt.outcome, Outcome::kRight);
  EXPECT_EQ(attempt.shown, last_);
  EXPECT_EQ(last_, 5u);
  EXPECT_EQ(NamesOf(sample_, FileKind::kTable).size(), 8u);
  EXPECT_EQ(NamesOf(sample_, FileKind::kLog).size(), 2u);
  size_t in_groups = 0;
  size_t drops = 0;
  std::vector<size_t> ends;
  for (const std::string& record :
       Records(NamesOf(sample_, FileKind::kDescriptor).at(0), &ends)) {
    const auto edit = VersionEdit::Decode(record);
    ASSERT_TRUE(edit.ok()) << edit.status();
    if (edit->atomic_group_remaining) ++in_groups;
    if (edit->column_family_drop) ++drops;
  }
  EXPECT_GE(in_groups, 8u);
  EXPECT_EQ(drops, 1u);
}

TEST_F(FamilyDamageTest, Tables) {
  for (const std::string& name : NamesOf(sample_, FileKind::kTable)) {
    std::map<Outcome, int> tally;
    for (size_t i = 0; i < SizeOf(name); i += Stride()) {
      const Attempt flipped = TryFlipped(sample_, name, i, 0x41);
      ++tally[flipped.outcome];
      if (flipped.outcome == Outcome::kRight) {
        EXPECT_EQ(flipped.shown, last_);
      }
      EXPECT_EQ(TryCut(sample_, name, i).outcome, Outcome::kRefused);
    }
    EXPECT_GT(tally[Outcome::kRefused], 0) << name;
    EXPECT_GT(tally[Outcome::kReadFailed], 0) << name;
  }
}

TEST_F(FamilyDamageTest, ManifestAndCurrent) {
  for (const std::string& name : {NamesOf(sample_, FileKind::kDescriptor).at(0),
                                  std::string("CURRENT")}) {
    for (size_t i = 0; i < SizeOf(name); ++i) {
      for (const int mask : {0x01, 0x10, 0x80}) {
        EXPECT_EQ(TryFlipped(sample_, name, i, mask).outcome,
                  Outcome::kRefused);
      }
      EXPECT_EQ(TryCut(sample_, name, i).outcome, Outcome::kRefused);
    }
  }
}

TEST_F(FamilyDamageTest, FilesThatReadsDoNotUse) {
  for (const char* name : {"IDENTITY", "LOG"}) {
    for (size_t i = 0; i < SizeOf(name); i += Stride()) {
      EXPECT_EQ(TryFlipped(sample_, name, i, 0x81).shown, last_);
      EXPECT_EQ(TryCut(sample_, name, i).shown, last_);
    }
  }
}

// The batches before the damage are visible. Those after it, in both logs, are
// not, because they do not continue the history.
TEST_F(FamilyDamageTest, ATruncatedLogGivesAPrefixOfHistory) {
  size_t before = 0;  // batches in older logs
  for (const std::string& name : NamesOf(sample_, FileKind::kLog)) {
    std::vector<size_t> ends;
    const std::vector<std::string> records = Records(name, &ends);
    // The older one is closed, the newer was being written.
    const bool closed = before == 0;
    const size_t batches = records.size() - (closed ? 1 : 0);
    for (size_t n = 0; n < SizeOf(name); ++n) {
      const auto whole = static_cast<size_t>(std::count_if(
          ends.begin(), ends.end(), [&](size_t end) { return end <= n; }));
      const bool all = whole >= batches;
      const bool between = n == 0 || std::count(ends.begin(), ends.end(), n);
      // Nothing is torn then, and sequence numbers may jump between logs.
      if (closed && !all && between) continue;
      const Attempt cut = TryCut(sample_, name, n);
      EXPECT_EQ(cut.outcome, Outcome::kRight);
      EXPECT_EQ(cut.shown, all ? last_ : before + whole) << n;
      // The newer log, where its records are left out.
      EXPECT_EQ(!cut.lost.empty(), closed && !all) << n;
    }
    before += batches;
  }
  EXPECT_EQ(before, last_);
}

TEST_F(FamilyDamageTest, AFlippedByteInALog) {
  size_t before = 0;
  for (const std::string& name : NamesOf(sample_, FileKind::kLog)) {
    std::vector<size_t> ends;
    const size_t records = Records(name, &ends).size();
    const bool closed = before == 0;
    for (size_t i = 0; i < SizeOf(name); ++i) {
      const auto whole = static_cast<size_t>(std::count_if(
          ends.begin(), ends.end(), [&](size_t end) { return end <= i; }));
      for (const int mask : {0x01, 0x10, 0x80}) {
        const Attempt flipped = TryFlipped(sample_, name, i, mask);
        if (closed && whole + 1 < records) {
          EXPECT_EQ(flipped.outcome, Outcome::kRefused) << i;
        } else if (closed) {
          EXPECT_EQ(flipped.shown, last_) << i;
        } else {
          EXPECT_EQ(flipped.outcome, Outcome::kRight) << i;
          EXPECT_EQ(flipped.shown, before + whole) << i;
        }
      }
    }
    before += records - (closed ? 1 : 0);
  }
}

TEST_F(FamilyDamageTest, MissingFiles) {
  for (const auto& [name, bytes] : sample_.files) {
    SCOPED_TRACE(name);
    const auto type = ParseFileName(name)->type;
    if (type == FileKind::kLog) continue;  // no reader can know of it
    Files files = sample_.files;
    files.erase(name);
    const std::string named = type == FileKind::kDescriptor ? "CURRENT" : name;
    const Attempt missing = Try(sample_, files, named);
    const bool needless = type == FileKind::kIdentity ||
                          type == FileKind::kInfoLog ||
                          type == FileKind::kOptions;
    EXPECT_EQ(missing.outcome, needless ? Outcome::kRight : Outcome::kRefused);
  }
}

}  // namespace
}  // namespace tamis
