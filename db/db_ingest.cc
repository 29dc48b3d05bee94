// SPDX-License-Identifier: Apache-2.0
//
// IngestExternalFiles makes tables from outside a part of the database:
//
//   check them ─▶ link or copy, sync ─▶ sync the directory ─▶ [ flush what
//   overlaps ─▶ choose levels ─▶ sync the log ─▶ MANIFEST ─▶ visible ] ─▶
//   remove old names
//
// No write comes between the steps in brackets, and no compaction starts: the
// call leads the write queue and holds compactions. A file goes to the deepest
// level at which no newer level has a key of its range, and at which it
// overlaps no table and no output of a running compaction.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "db/compaction/compaction_style.h"
#include "db/db_impl.h"
#include "db/external_file.h"
#include "db/ingestion.h"
#include "db/manifest/table_path.h"
#include "db/manifest/taken_tables.h"
#include "db/reordered_files.h"
#include "util/base/exceptions.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

Status CheckGivenChecksums(const IngestExternalFileArg& arg) {
  const size_t checksums = arg.files_checksums.size();
  const size_t functions = arg.files_checksum_func_names.size();
  const size_t files = arg.external_files.size();
  if (checksums + functions == 0 ||
      (checksums == files && functions == files)) {
    return Status::OK();
  }
  return Status::InvalidArgument(
      "IngestExternalFiles",
      "there are " + std::to_string(files) + " files, " +
          std::to_string(checksums) + " files_checksums and " +
          std::to_string(functions) + " files_checksum_func_names");
}

}  // namespace

Result<DBImpl::Ingestions> DBImpl::ReadExternalFiles(
    const std::vector<IngestExternalFileArg>& args, ReorderedFiles* reordered) {
  if (args.empty()) {
    return Status::InvalidArgument("IngestExternalFiles", "no arguments");
  }
  Ingestions all;
  std::set<const ColumnFamily*> families;
  for (const IngestExternalFileArg& arg : args) {
    if (arg.column_family == nullptr || arg.external_files.empty()) {
      return Status::InvalidArgument("IngestExternalFiles",
                                     arg.column_family == nullptr
                                         ? "a column family is nullptr"
                                         : "a list of files is empty");
    }
    TAMIS_RETURN_IF_ERROR(CheckGivenChecksums(arg));
    Ingestion& one = all.emplace_back();
    one.begin_nanos = context_.clock()->NowNanos();
    one.family = FamilyOf(arg.column_family);
    one.options = arg.options;
    if (!families.insert(one.family.get()).second) {
      return Status::InvalidArgument(
          "IngestExternalFiles",
          "column family '" + one.family->name() + "' is named twice");
    }
    for (size_t i = 0; i < arg.external_files.size(); ++i) {
      const std::string& path = arg.external_files[i];
      const bool verify = arg.options.verify_checksums_before_ingest;
      auto file = ReadExternalFile(context_, *one.family, path, verify);
      if (file.status().IsInvalidArgument() && arg.files_checksums.empty() &&
          reordered->IsForeign(*one.family, path)) {
        const auto rewritten =
            reordered->Rewrite(*one.family, path, NewFileNumber());
        if (!rewritten.ok()) return rewritten.status();
        file = ReadExternalFile(context_, *one.family, *rewritten, verify);
      }
      if (!file.ok()) return file.status();
      file->path = path;
      if (!arg.files_checksums.empty()) {
        file->given = {arg.files_checksums[i],
                       arg.files_checksum_func_names[i]};
      }
      one.files.push_back(std::move(file).value());
    }
    one.files_overlap = FilesOverlap(one.family->order(), one.files);
    TAMIS_RETURN_IF_ERROR(CheckMayGoBehind(one));
  }
  return all;
}

FileNumber DBImpl::NewFileNumber() {
  MutexLock lock(&mutex_);
  return versions_.NewFileNumber();
}

Status DBImpl::CheckMayGoBehind(const Ingestion& one) {
  if (!one.options.ingest_behind) return Status::OK();
  if (!one.family->fixed_options().cf_allow_ingest_behind) {
    return Status::InvalidArgument(
        "IngestExternalFileOptions::ingest_behind",
        "column family '" + one.family->name() +
            "' is open without cf_allow_ingest_behind");
  }
  if (!one.files_overlap) return Status::OK();
  return Status::NotSupported("IngestExternalFileOptions::ingest_behind",
                              "the files for column family '" +
                                  one.family->name() + "' overlap each other");
}

// Makes links or copies durable, under the files' numbers, and checks them.
Status DBImpl::TakeFiles(Ingestions* all, TakenTables* names) const {
  for (Ingestion& one : *all) {
    const bool link = one.options.move_files || one.options.link_files;
    for (ExternalFile& file : one.files) {
      file.meta.directory = one.family->tables().paths().directory(0);
      bool linked = false;
      TAMIS_RETURN_IF_ERROR(names->LinkOrCopy(
          file.source, file.meta, link,
          one.options.failed_move_fall_back_to_copy, &linked));
      one.linked.push_back(linked);
      TAMIS_RETURN_IF_ERROR(
          SetFileChecksum(context_, one.options.verify_file_checksum, &file));
    }
    TAMIS_RETURN_IF_ERROR(file_io::SyncDirectory(
        context_.fs(), TableDirectory(context_, one.files.front().meta)));
  }
  return Status::OK();
}

Status DBImpl::CheckFlushAllowed(const Ingestions& all,
                                 const Families& due) const {
  for (const Ingestion& one : all) {
    if (one.options.allow_blocking_flush ||
        std::find(due.begin(), due.end(), one.family) == due.end()) {
      continue;
    }
    return Status::InvalidArgument(
        one.files[0].path,
        "the memtable of column family '" + one.family->name() +
            "' must be flushed first, but allow_blocking_flush is not set");
  }
  return Status::OK();
}

// Returns the families whose memtables have keys of the files, which must be
// flushed first: a table is searched after the memtables, and should not be.
DBImpl::Families DBImpl::DueBeforeIngestion(const Ingestions& all) const {
  Families due;
  for (const Ingestion& one : all) {
    if (!one.options.ingest_behind && one.OverlapsMemTables())
      due.push_back(one.family);
  }
  return due;
}

// Requests flushes, where they are allowed, without which ingested tables
// cannot be merged: they would become ever more. The ingestion needs none, so
// it does not wait. REQUIRES: the caller leads the write queue
Status DBImpl::RequestFlushesForMerges(const Ingestions& all) {
  if (scheduler_.paused()) return Status::OK();
  Families to_switch;
  Families immutable;
  for (const Ingestion& one : all) {
    const ColumnFamily& family = *one.family;
    if (!one.options.allow_blocking_flush ||
        !MergesWaitForFlush(*family.version(), family.options(),
                            family.LowestUnflushed())) {
      continue;
    }
    // A later ingestion flushes the memtable.
    (family.immutables().empty() ? to_switch : immutable).push_back(one.family);
  }
  scheduler_.FlushImmutablesOf(immutable);
  if (to_switch.empty()) return Status::OK();
  return write_path_.SwitchUnflushed(to_switch,
                                     FlushReason::kExternalFileIngestion);
}

// Puts the files into the level below those of compactions.
Status DBImpl::PlaceBehind(const Version& version, Ingestion* one) {
  const ColumnFamilyOptions& options = one->family->options();
  const Level last{options.num_levels - 1};
  for (const ExternalFile& file : one->files) {
    const Slice smallest = file.smallest();
    const Slice largest = file.largest();
    if (!version.Overlapping(last, &smallest, &largest).empty() ||
        scheduler_.MayWriteTo(*one->family, last, smallest, largest)) {
      return Status::InvalidArgument(
          file.path, "ingest_behind: it overlaps a table of level " +
                         last.ToString() + ", which nothing can be behind");
    }
  }
  Status status;
  ForEachFile(version, [&](Level level, const TableFilePtr& file) {
    if (level == last || file->meta.smallest_seqno != 0) return;
    status = Status::InvalidArgument(
        TablePath(context_, file->meta),
        "ingest_behind: this table, of level " + level.ToString() +
            ", has entries with sequence number 0; it was written without "
            "cf_allow_ingest_behind");
  });
  one->levels.assign(one->files.size(), last);
  one->numbered.assign(one->files.size(), false);
  return status;
}

// Chooses a level for each file, and which of them get sequence numbers.
Status DBImpl::PlaceFiles(Ingestions* all) {
  for (Ingestion& one : *all) {
    VersionPtr version;
    // The tables are searched without the mutex. Only compactions and flushes
    // that run already can replace the Version meanwhile.
    do {
      version = one.family->version();
      MutexUnlock unlock(&mutex_);
      one.has_keys.assign(one.files.size(), {});
      for (size_t i = 0; i < one.files.size(); ++i) {
        for (const Level level : kLevels) {
          const auto has_keys =
              LevelHasKeysOf(*one.family, *version, level, one.files[i]);
          if (!has_keys.ok()) return has_keys.status();
          one.has_keys[i][level] = *has_keys;
        }
      }
    } while (version != one.family->version());

    one.levels.clear();
    one.numbered.clear();
    if (one.options.ingest_behind) {
      TAMIS_RETURN_IF_ERROR(PlaceBehind(*version, &one));
      continue;
    }
    const bool keeps_numbers = one.family->options().cf_allow_ingest_behind;
    for (size_t i = 0; i < one.files.size(); ++i) {
      const Slice smallest = one.files[i].smallest();
      const Slice largest = one.files[i].largest();
      Level target = kLevelZero;
      bool overlaps = one.files_overlap;
      const Level deepest = DeepestForIngestion(one.family->options());
      for (const Level level : kLevels) {
        if (overlaps || one.has_keys[i][level]) {
          overlaps = true;
          break;
        }
        if (level > kLevelZero && level <= deepest &&
            version->Overlapping(level, &smallest, &largest).empty() &&
            !scheduler_.MayWriteTo(*one.family, level, smallest, largest)) {
          target = level;
        }
      }
      if (one.options.fail_if_not_bottommost_level && target != deepest) {
        return Status::TryAgain(
            one.files[i].path, "would go to level " + target.ToString() +
                                   ", and fail_if_not_bottommost_level is set");
      }
      one.levels.push_back(target);
      one.numbered.push_back(overlaps || target == kLevelZero || keeps_numbers);
    }
  }
  return Status::OK();
}

// With several families, numbers make the files visible together.
Status DBImpl::DecideNumbers(Ingestions* all) {
  for (Ingestion& one : *all) {
    const bool hide =
        one.options.snapshot_consistency && snapshots_.count() > 0;
    for (size_t i = 0; i < one.files.size(); ++i) {
      if (one.options.ingest_behind) continue;
      if (hide) one.numbered[i] = true;
      if (one.numbered[i] && !one.options.allow_global_seqno) {
        return Status::InvalidArgument(
            one.files[i].path,
            std::string("it needs a sequence number, ") +
                (hide ? "because there are snapshots"
                      : "because keys of its range, or tables around it, are "
                        "in the database") +
                "; allow_global_seqno is not set");
      }
      if (all->size() > 1 && one.options.allow_global_seqno) {
        one.numbered[i] = true;
      }
    }
  }
  return Status::OK();
}

Status DBImpl::ApplyIngestion(const std::vector<FamilyEdit>& edits,
                              TakenTables* names) {
  // A power failure must not leave the files without the writes before them.
  TAMIS_RETURN_IF_ERROR(FlushLogLed(/*sync=*/true));
  // Whether an edit that failed is on the device is unknown, so the files
  // remain; if no MANIFEST lists them, the next open removes them.
  names->Keep();
  const Status status = versions_.LogAndApply(edits);
  if (!status.ok()) errors_.Set("ingest", status);
  return status;
}

// Each file is a job, as in RocksDB.
void DBImpl::CountIngestion(const Ingestion& one) {
  FamilyStats& stats = one.family->stats();
  const uint64_t micros =
      (context_.clock()->NowNanos() - one.begin_nanos) / 1000;
  for (size_t i = 0; i < one.files.size(); ++i) {
    const FileMetaData& meta = one.files[i].meta;
    JobStats job;
    job.jobs = 1;
    job.micros = micros;
    (one.linked[i] ? job.moved : job.written) = meta.size;
    stats.Add(one.levels[i], JobThreads::kUser, job);
    stats.ingested_bytes += meta.size;
    stats.ingested_entries += meta.num_entries;
    if (one.levels[i] == kLevelZero) ++stats.ingested_level0_files;
    ++stats.ingested_files;
  }
}

// Writes the MANIFEST. REQUIRES: the caller leads the write queue and holds
// compactions.
Status DBImpl::InstallFiles(Ingestions* all, TakenTables* names) {
  uint64_t count = 0;  // of numbered files
  bool unnumbered = false;
  for (const Ingestion& one : *all) {
    for (const bool numbered : one.numbered) {
      count += numbered ? 1 : 0;
      unnumbered = unnumbered || !numbered;
    }
  }
  auto first = write_path_.AllocateSequences(count);
  if (!first.ok()) return first.status();
  SequenceNumber next = *first;
  std::vector<VersionEdit> edits(all->size());
  std::vector<FamilyEdit> steps;
  for (size_t f = 0; f < all->size(); ++f) {
    Ingestion& one = (*all)[f];
    for (size_t i = 0; i < one.files.size(); ++i) {
      if (one.numbered[i]) AssignSequence(next++, &one.files[i]);
      FileMetaData& meta = one.files[i].meta;
      meta.epoch_number = one.options.ingest_behind ? kEpochIngestedBehind
                                                    : one.family->NewEpoch();
      edits[f].new_files.emplace_back(one.levels[i], meta);
    }
    edits[f].last_sequence = write_path_.last_allocated();
    steps.push_back({one.family, &edits[f]});
  }
  // A snapshot taken from here on would show unnumbered files only later.
  if (unnumbered) ++snapshot_holds_;
  const Status status = ApplyIngestion(steps, names);
  if (unnumbered) --snapshot_holds_;
  if (status.ok()) {
    const SequenceNumber last = write_path_.last_allocated();
    versions_.PublishSequence(last);
    // An empty memtable gets only newer entries than the files.
    for (const Ingestion& one : *all) {
      CountIngestion(one);
      MemTable& memtable = *one.family->memtable();
      if (memtable.empty()) memtable.Rebase(last + 1, memtable.log_number());
    }
  }
  scheduler_.changed().notify_all();
  return status;
}

Status DBImpl::Ingest(Ingestions* all, TakenTables* names) {
  Families due = DueBeforeIngestion(*all);
  if (!due.empty()) {
    // Most of the flush is done while writes go on.
    TAMIS_RETURN_IF_ERROR(CheckFlushAllowed(*all, due));
    TAMIS_RETURN_IF_ERROR(write_path_.Flush(
        due, /*wait=*/true, FlushReason::kExternalFileIngestion));
  }
  WriteBarrier barrier(&write_path_.queue(), context_.runner());
  TAMIS_RETURN_IF_ERROR(CheckOpen());
  TAMIS_RETURN_IF_ERROR(write_path_.ResumeIfDue());
  for (const Ingestion& one : *all) {
    if (one.family->dropped()) {
      return Status::ColumnFamilyDropped(one.family->name());
    }
  }
  const Scheduler::Hold hold(&scheduler_);
  due = DueBeforeIngestion(*all);
  if (!due.empty()) {
    TAMIS_RETURN_IF_ERROR(CheckFlushAllowed(*all, due));
    TAMIS_RETURN_IF_ERROR(
        write_path_.SwitchUnflushed(due, FlushReason::kExternalFileIngestion));
    TAMIS_RETURN_IF_ERROR(write_path_.WaitForFlushes(due));
  }
  TAMIS_RETURN_IF_ERROR(RequestFlushesForMerges(*all));
  TAMIS_RETURN_IF_ERROR(PlaceFiles(all));
  TAMIS_RETURN_IF_ERROR(DecideNumbers(all));
  return InstallFiles(all, names);
}

Status DBImpl::InDirectory::Begin(const std::vector<ExternalFile*>& files) {
  MutexLock lock(&db_.mutex_);
  TAMIS_RETURN_IF_ERROR(db_.CheckOpen());
  for (ExternalFile* const file : files) {
    file->meta.number = db_.versions_.NewFileNumber();
  }
  ++db_.ingestions_;
  begun_ = true;
  return Status::OK();
}

DBImpl::InDirectory::~InDirectory() {
  if (!begun_) return;
  MutexLock lock(&db_.mutex_);
  --db_.ingestions_;
  db_.scheduler_.changed().notify_all();
}

Status DBImpl::IngestExternalFiles(
    const std::vector<IngestExternalFileArg>& args) {
  TAMIS_RETURN_IF_ERROR(CheckMayWrite());
  ReorderedFiles reordered(context_);
  auto read = ReadExternalFiles(args, &reordered);
  if (!read.ok()) return read.status();
  Ingestions all = std::move(read).value();
  std::vector<ExternalFile*> files;
  for (Ingestion& one : all) {
    for (ExternalFile& file : one.files) files.push_back(&file);
  }
  InDirectory in_directory(this);
  TAMIS_RETURN_IF_ERROR(in_directory.Begin(files));
  TakenTables names(context_);
  Status status = TakeFiles(&all, &names);
  if (status.ok()) {
    MutexLock lock(&mutex_);
    status = Ingest(&all, &names);
  }
  IgnoreExceptions([&] { LogIngestion(all, status); });
  if (status.ok()) {
    IgnoreExceptions([&] { TellIngestion(all); });
    for (const Ingestion& one : all) {
      if (!one.options.move_files) continue;
      for (const ExternalFile& file : one.files) RemoveMovedFile(file);
    }
  }
  return status;
}

}  // namespace tamis
