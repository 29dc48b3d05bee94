// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/differential/driver.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace tamis::differential {

namespace {

void Remove(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
}

uint64_t Number(engine::DB* db, engine::ColumnFamilyHandle* family,
                const std::string& property) {
  uint64_t value = ~uint64_t{0};
  return db->GetIntProperty(family, property, &value) ? value : ~uint64_t{0};
}

}  // namespace

std::string Word(const engine::Status& status) {
  static constexpr std::array kWords = {"OK",
                                        "NotFound",
                                        "Corruption",
                                        "NotSupported",
                                        "InvalidArgument",
                                        "IOError",
                                        "MergeInProgress",
                                        "Incomplete",
                                        "ShutdownInProgress",
                                        "TimedOut",
                                        "Aborted",
                                        "Busy",
                                        "Expired",
                                        "TryAgain",
                                        "CompactionTooLarge",
                                        "ColumnFamilyDropped"};
  const auto code = static_cast<size_t>(status.code());
  return code < kWords.size() ? kWords[code] : std::to_string(code);
}

OpenDatabase::~OpenDatabase() { Close(); }

engine::Status OpenDatabase::Open(const engine::DBOptions& options,
                                  const std::string& directory,
                                  const OpenPlan& plan, bool read_only) {
  engine::DB* db = nullptr;
  std::vector<engine::ColumnFamilyDescriptor> families;
  std::vector<size_t> slots;
  for (size_t i = 0; i < kSlots; ++i) {
    if (!plan.families[i]) continue;
    slots.push_back(i);
    families.emplace_back(NameOfSlot(i), FamilyOptionsFor(*plan.families[i]));
  }
  std::vector<engine::ColumnFamilyHandle*> handles;
  const engine::Status status =
      read_only ? engine::DB::OpenForReadOnly(options, directory, families,
                                              &handles, &db)
                : engine::DB::Open(options, directory, families, &handles, &db);
  for (size_t i = 0; status.ok() && i < slots.size(); ++i) {
    handles_[slots[i]] = handles[i];
  }
  if (status.ok()) db_.reset(db);
  return status;
}

std::string OpenDatabase::DestroyHandle(size_t slot) {
  if (handles_[slot] == nullptr) return "";
  engine::ColumnFamilyHandle* const handle =
      std::exchange(handles_[slot], nullptr);
  return Word(db_->DestroyColumnFamilyHandle(handle)) + " ";
}

std::string OpenDatabase::Close() {
  if (db_ == nullptr) return "closed before";
  std::string words;
  for (size_t i = 0; i < kSlots; ++i) words += DestroyHandle(i);
  words += Word(db_->Close());
  db_.reset();
  return words;
}

Driver::Driver(std::string directory, bool verbose)
    : directory_(std::move(directory)), verbose_(verbose), keep_(false) {
  Remove(directory_);
}

Driver::Driver(std::string directory, bool verbose, Keep /*keep*/)
    : directory_(std::move(directory)), verbose_(verbose), keep_(true) {}

Driver::~Driver() {
  Close();
  if (!keep_) Remove(directory_);
}

std::string Driver::Do(const Step& step) {
  dropped_ = false;
  return Perform(step);
}

std::string Driver::Perform(const Step& step) {
  const bool needs_none = step.act >= Act::kRefusedOpen;
  if (database_.db() == nullptr && !needs_none) return "there is no database";
  if (database_.db() != nullptr) {
    sequence_before_step_ = database_.db()->GetLatestSequenceNumber();
  }
  switch (step.act) {
    case Act::kWrite:
      return Write(step);
    case Act::kIngest:
      return Ingest(step);
    case Act::kGet:
      return Get(step);
    case Act::kMultiGet:
      return MultiGet(step);
    case Act::kScan:
      return Go(step.use.moves, NewHeld(step)->iterator.get());
    case Act::kOpenIterator:
      iterators_.push_back(NewHeld(step));
      return Go(step.use.moves, iterators_.back()->iterator.get());
    case Act::kMoveIterator:
      return Go(step.use.moves, iterators_[step.held]->iterator.get());
    case Act::kRefreshIterator: {
      engine::Iterator* const it = iterators_[step.held]->iterator.get();
      const std::string word = Word(it->Refresh());
      return word + Go(step.use.moves, it);
    }
    case Act::kCloseIterator:
      iterators_.erase(iterators_.begin() +
                       static_cast<std::ptrdiff_t>(step.held));
      return "done";
    case Act::kScanTogether:
      return ScanTogether(database_);
    case Act::kTakeSnapshot:
      snapshots_.push_back(database_.db()->GetSnapshot());
      return std::to_string(snapshots_.back()->GetSequenceNumber() -
                            sequence_at_open_);
    case Act::kReleaseSnapshot:
      database_.db()->ReleaseSnapshot(snapshots_[step.held]);
      snapshots_.erase(snapshots_.begin() +
                       static_cast<std::ptrdiff_t>(step.held));
      return "done";
    case Act::kFlush:
      return Flush(step);
    case Act::kCompact:
      return Compact(step);
    case Act::kCompactFiles:
      return CompactFiles(step);
    case Act::kSetOptions:
      return SetOptions(step);
    case Act::kCreateFamily:
      return CreateFamily(step);
    case Act::kDropFamily:
      return DropFamily(step);
    case Act::kCloneFamily:
      return CloneFamily(step);
    case Act::kListFamilies:
      return ListFamilies();
    case Act::kProperties:
      return Properties();
    case Act::kCheckpoint:
      return CopyAndOpen(step);
    case Act::kReadOnlyBeside:
    case Act::kReadOnly:
      return ReadOnly(step, directory_);
    case Act::kRefusedOpen:
      return RefusedOpen(step);
    case Act::kClose:
      return Close();
    case Act::kOpen:
      return Open(step);
  }
  return "";
}

engine::Status Driver::Resume() {
  return database_.db() != nullptr ? ResumeAfterJobs(database_.db())
                                   : engine::Status::OK();
}

std::string Driver::DoAgain(const Step& step) {
  const engine::Status status = Resume();
  if (!status.ok()) return "Resume: " + status.ToString();
  if (step.act == Act::kOpenIterator) iterators_.pop_back();
  if (step.act == Act::kWrite &&
      database_.db()->GetLatestSequenceNumber() != sequence_before_step_) {
    return "failed, but counted";
  }
  if (step.act == Act::kWrite) ++failed_writes_;
  return Perform(step);
}

std::string Driver::Open(const Step& step) {
  const engine::Status status = database_.Open(DatabaseOptionsFor(step.open),
                                               directory_, step.open, false);
  if (!status.ok()) return Word(status) + ": " + status.ToString();
  std::string words = "OK";
  for (size_t i = 0; i < kSlots; ++i) {
    const auto* const handle = database_.handle(i);
    if (handle == nullptr) continue;
    words += " " + handle->GetName() + "=" + std::to_string(handle->GetID());
  }
  sequence_at_open_ = database_.db()->GetLatestSequenceNumber();
  return words;
}

std::string Driver::Written() const {
  return std::to_string(database_.db()->GetLatestSequenceNumber() -
                        sequence_at_open_);
}

std::string Driver::Close() {
  iterators_.clear();
  for (const engine::Snapshot* snapshot : snapshots_) {
    database_.db()->ReleaseSnapshot(snapshot);
  }
  snapshots_.clear();
  return database_.Close();
}

std::string Driver::RefusedOpen(const Step& step) {
  OpenPlan plan = step.open;
  engine::DBOptions options = DatabaseOptionsFor(plan);
  options.create_missing_column_families = false;
  std::string directory = directory_;
  switch (step.refusal) {
    case Refusal::kErrorIfExists:
      options.error_if_exists = true;
      break;
    case Refusal::kFamilyLeftOut:
      for (size_t i = kSlots - 1; i > 0; --i) {
        if (!plan.families[i]) continue;
        plan.families[i].reset();
        break;
      }
      break;
    case Refusal::kFamilyUnknown:
      for (size_t i = 1; i < kSlots; ++i) {
        if (plan.families[i]) continue;
        plan.families[i] = plan.families[0];
        break;
      }
      break;
    case Refusal::kOtherComparator:
      plan.families[0]->reverse = !plan.families[0]->reverse;
      break;
    case Refusal::kNothingThere:
      options.create_if_missing = false;
      directory += ".nothing";
      break;
    case Refusal::kNoDefault:
      plan.families[0].reset();
      break;
  }
  OpenDatabase database;
  const std::string word =
      Word(database.Open(options, directory, plan, /*read_only=*/false));
  database.Close();
  Remove(directory_ + ".nothing");
  return word;
}

std::string Driver::ReadOnly(const Step& step, const std::string& directory) {
  OpenPlan plan = step.open;
  for (size_t i = 1; step.flag && i < kSlots; ++i) plan.families[i].reset();
  OpenDatabase database;
  const engine::Status status = database.Open(
      DatabaseOptionsFor(plan), directory, plan, /*read_only=*/true);
  if (!status.ok()) return Word(status) + ": " + status.ToString();
  engine::DB* const db = database.db();
  engine::ColumnFamilyHandle* const family = database.handle(0);
  std::string words = ScanTogether(database);
  words += " put " +
           Word(db->Put(engine::WriteOptions(), family, "abcdef", "value"));
  words += " flush " + Word(db->Flush(engine::FlushOptions(), family));
  words += " compact " + Word(db->CompactRange(engine::CompactRangeOptions(),
                                               family, nullptr, nullptr));
  return words + " close " + database.Close();
}

std::string Driver::CopyAndOpen(const Step& step) {
  const std::string copy = directory_ + ".checkpoint";
  Remove(copy);
  engine::Checkpoint* made = nullptr;
  engine::Status status = engine::Checkpoint::Create(database_.db(), &made);
  if (!status.ok()) return "create " + Word(status);
  const std::unique_ptr<engine::Checkpoint> checkpoint(made);
  status = checkpoint->CreateCheckpoint(copy, step.flag ? 0 : 1 << 30);
  std::string words = Word(status);
  words += " again " + Word(checkpoint->CreateCheckpoint(copy));
  OpenDatabase database;
  status = database.Open(DatabaseOptionsFor(step.open), copy, step.open,
                         /*read_only=*/false);
  words += " open " + Word(status);
  if (status.ok()) {
    words += "; " + ScanTogether(database);
    words += " put " +
             Word(database.db()->Put(engine::WriteOptions(), database.handle(0),
                                     "abcdef", "copy"));
    words += " close " + database.Close();
  }
  Remove(copy);
  return words;
}

std::string Driver::CreateFamily(const Step& step) {
  engine::ColumnFamilyHandle* made = nullptr;
  const engine::Status status = database_.db()->CreateColumnFamily(
      FamilyOptionsFor(step.family), NameOfSlot(step.slot), &made);
  if (!status.ok()) return Word(status);
  // Of the dropped one that was called so before.
  const std::string before = database_.DestroyHandle(step.slot);
  database_.set_handle(step.slot, made);
  return "OK " + made->GetName() + "=" + std::to_string(made->GetID()) + " " +
         before;
}

std::string Driver::DropFamily(const Step& step) {
  const auto drop = [&] {
    return Word(database_.db()->DropColumnFamily(database_.handle(step.slot)));
  };
  std::string words = dropped_ ? "OK" : drop();
  if (words != "OK") return words;
  if (!step.flag) return words + " " + database_.DestroyHandle(step.slot);
  const std::string again = drop();
  dropped_ = again == "IOError";
  return words + " again " + again;
}

std::string Driver::CloneFamily(const Step& step) {
  const std::string files = directory_ + ".export";
  Remove(files);
  engine::DB* const db = database_.db();
  engine::Checkpoint* made_checkpoint = nullptr;
  engine::Status status = engine::Checkpoint::Create(db, &made_checkpoint);
  if (!status.ok()) return "create " + Word(status);
  const std::unique_ptr<engine::Checkpoint> checkpoint(made_checkpoint);
  engine::ExportImportFilesMetaData* exported = nullptr;
  status = checkpoint->ExportColumnFamily(database_.handle(step.slot), files,
                                          &exported);
  const std::unique_ptr<engine::ExportImportFilesMetaData> metadata(exported);
  if (!status.ok()) return "export " + Word(status);
  engine::ImportColumnFamilyOptions options;
  options.move_files = step.flag;
  engine::ColumnFamilyHandle* made = nullptr;
  status = db->CreateColumnFamilyWithImport(FamilyOptionsFor(step.family),
                                            NameOfSlot(step.clone), options,
                                            *metadata, &made);
  Remove(files);
  if (!status.ok()) return "import " + Word(status);
  const std::string before = database_.DestroyHandle(step.clone);
  database_.set_handle(step.clone, made);
  return "OK " + made->GetName() + "=" + std::to_string(made->GetID()) + " " +
         before;
}

std::string Driver::ListFamilies() {
  std::vector<std::string> names;
  std::string words = Word(
      engine::DB::ListColumnFamilies(engine::DBOptions(), directory_, &names));
  for (const std::string& name : names) words += " " + name;
  return words;
}

std::string Driver::Flush(const Step& step) {
  engine::DB* const db = database_.db();
  engine::ColumnFamilyHandle* const family = database_.handle(step.slot);
  engine::Status status;
  if (step.flag) {
    std::vector<engine::ColumnFamilyHandle*> all;
    for (const size_t slot : step.slots) all.push_back(database_.handle(slot));
    status = db->Flush(engine::FlushOptions(), all);
  } else {
    status = db->Flush(engine::FlushOptions(), family);
  }
  return Word(status) + " " +
         std::to_string(
             Number(db, family, "rocksdb.num-entries-active-mem-table"));
}

std::string Driver::Compact(const Step& step) {
  engine::DB* const db = database_.db();
  engine::ColumnFamilyHandle* const family = database_.handle(step.slot);
  engine::CompactRangeOptions options;
  options.bottommost_level_compaction =
      step.flag ? engine::BottommostLevelCompaction::kForce
                : engine::BottommostLevelCompaction::kSkip;
  const engine::Slice begin = step.begin ? *step.begin : engine::Slice();
  const engine::Slice end = step.end ? *step.end : engine::Slice();
  const bool everything = !step.begin && !step.end;
  std::string words =
      Word(db->CompactRange(options, family, step.begin ? &begin : nullptr,
                            step.end ? &end : nullptr));
  if (!everything || !step.flag || !step.counts || !snapshots_.empty()) {
    return words;
  }
  // Nothing is left but what shows.
  engine::TablePropertiesCollection tables;
  words += " " + Word(db->GetPropertiesOfAllTables(family, &tables));
  uint64_t entries = 0;
  for (const auto& [name, properties] : tables) {
    entries += properties->num_entries;
  }
  return words + " " + std::to_string(entries);
}

// Which files there are depends on the engine, and so does whether a compaction
// by itself has one of them: Aborted or InvalidArgument then.
std::string Driver::CompactFiles(const Step& step) {
  engine::DB* const db = database_.db();
  engine::ColumnFamilyHandle* const family = database_.handle(step.slot);
  engine::ColumnFamilyMetaData files;
  db->GetColumnFamilyMetaData(family, &files);
  std::vector<std::string> names;
  int deepest = 1;
  for (const auto& level : files.levels) {
    for (const auto& file : level.files) {
      names.push_back(file.name);
      deepest = std::max(deepest, level.level);
    }
  }
  if (names.empty()) return "done";
  const engine::Status status =
      db->CompactFiles(engine::CompactionOptions(), family, names, deepest);
  const bool refused = status.IsAborted() || status.IsInvalidArgument();
  return status.ok() || refused ? "done" : Word(status);
}

std::string Driver::SetOptions(const Step& step) {
  engine::DB* const db = database_.db();
  const std::string paused = Word(db->PauseBackgroundWork());
  const std::string set =
      Word(db->SetOptions(database_.handle(step.slot),
                          {step.settings.begin(), step.settings.end()}));
  return paused + " " + set + " " + Word(db->ContinueBackgroundWork());
}

std::string Driver::Properties() {
  engine::DB* const db = database_.db();
  std::string words = Written();
  words += " snapshots " + std::to_string(Number(db, database_.handle(0),
                                                 "rocksdb.num-snapshots"));
  words += " errors ";
  words += std::to_string(
      faults_are_expected_
          ? 0
          : Number(db, database_.handle(0), "rocksdb.background-errors"));
  return words;
}

}  // namespace tamis::differential
