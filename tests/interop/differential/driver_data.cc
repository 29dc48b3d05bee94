// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <unistd.h>
#include <utility>

#include "tests/interop/differential/driver.h"

namespace tamis::differential {

engine::ReadOptions Driver::ReadAt(const Step& step) const {
  engine::ReadOptions options;
  options.total_order_seek = true;
  if (step.snapshot != 0) options.snapshot = snapshots_[step.snapshot - 1];
  return options;
}

engine::Status Driver::Apply(const Edit& edit,
                             const engine::WriteOptions& options) {
  engine::DB* const db = database_.db();
  engine::ColumnFamilyHandle* const family = database_.handle(edit.slot);
  switch (edit.kind) {
    case Edit::Kind::kPut:
      return db->Put(options, family, edit.key, edit.value);
    case Edit::Kind::kDelete:
      return db->Delete(options, family, edit.key);
    case Edit::Kind::kSingleDelete:
      return db->SingleDelete(options, family, edit.key);
    case Edit::Kind::kMerge:
      return db->Merge(options, family, edit.key, edit.value);
    case Edit::Kind::kRange:
      break;
  }
  return db->DeleteRange(options, family, edit.key, edit.value);
}

engine::Status Driver::Add(const Edit& edit, engine::WriteBatch* batch) {
  engine::ColumnFamilyHandle* const family = database_.handle(edit.slot);
  switch (edit.kind) {
    case Edit::Kind::kPut:
      return batch->Put(family, edit.key, edit.value);
    case Edit::Kind::kDelete:
      return batch->Delete(family, edit.key);
    case Edit::Kind::kSingleDelete:
      return batch->SingleDelete(family, edit.key);
    case Edit::Kind::kMerge:
      return batch->Merge(family, edit.key, edit.value);
    case Edit::Kind::kRange:
      break;
  }
  return batch->DeleteRange(family, edit.key, edit.value);
}

void Driver::CountAfterFailures(uint64_t entries) {
  if (failed_writes_ == 0) return;
  const uint64_t now = database_.db()->GetLatestSequenceNumber();
  const uint64_t written = now - sequence_before_step_;
  // Not this one.
  if (written < entries) return;
  sequence_at_open_ += written - entries;
  failed_writes_ = 0;
}

std::string Driver::Write(const Step& step) {
  engine::WriteOptions options;
  options.sync = step.sync;
  options.disableWAL = step.no_log;
  if (!step.as_batch) {
    const std::string word = Word(Apply(step.edits[0], options));
    CountAfterFailures(1);
    return word + " " + Written();
  }
  engine::WriteBatch batch;
  std::string words;
  for (const Edit& edit : step.edits) {
    const engine::Status added = Add(edit, &batch);
    if (!added.ok()) words += "add " + Word(added) + " ";
  }
  words += Brief(batch.Data()) + " ";
  words += Word(database_.db()->Write(options, &batch));
  CountAfterFailures(static_cast<uint64_t>(batch.Count()));
  return words + " " + Written();
}

// Makes a table of the edits of one family, and returns what the calls said.
std::string Driver::MakeTable(std::span<const Edit> edits, std::string* path,
                              engine::Status* finished) {
  // A name that no earlier file had, so that a moved one stays as it is.
  *path = directory_ + "/new" + std::to_string(::getpid()) + "." +
          std::to_string(++files_) + ".sst";
  const auto writer = NewTableWriter(
      database_.db()->GetOptions(database_.handle(edits.front().slot)));
  std::string words = Word(writer->Open(*path));
  for (const Edit& edit : edits) {
    switch (edit.kind) {
      case Edit::Kind::kPut:
        words += " " + Word(writer->Put(edit.key, edit.value));
        break;
      case Edit::Kind::kMerge:
        words += " " + Word(writer->Merge(edit.key, edit.value));
        break;
      case Edit::Kind::kRange:
        words += " " + Word(writer->DeleteRange(edit.key, edit.value));
        break;
      default:
        words += " " + Word(writer->Delete(edit.key));
    }
  }
  *finished = writer->Finish();
  return words;
}

std::string Driver::Ingest(const Step& step) {
  std::string words;
  std::vector<engine::IngestExternalFileArg> files;
  engine::Status status;
  const std::span<const Edit> edits = step.edits;
  for (size_t i = 0, end = 0; i < edits.size() && status.ok(); i = end) {
    const size_t slot = edits[i].slot;
    while (end < edits.size() && edits[end].slot == slot) ++end;
    engine::IngestExternalFileArg& file = files.emplace_back();
    file.column_family = database_.handle(slot);
    file.options.move_files = step.flag;
    file.external_files.resize(1);
    std::string& path = file.external_files[0];
    std::string said;
    // On a busy machine, RocksDB 7.8.3's Finish returns TryAgain about once in
    // a thousand histories, and leaves an empty file.
    for (int tries = 0; tries < 3; ++tries) {
      if (tries > 0) std::remove(path.c_str());
      said = MakeTable(edits.subspan(i, end - i), &path, &status);
      if (!status.IsTryAgain()) break;
    }
    words += said + " ";
  }
  // There is no file without entries, or with an empty range alone.
  if (status.ok() && !files.empty()) {
    engine::DB* const db = database_.db();
    status = files.size() == 1 ? db->IngestExternalFile(files[0].column_family,
                                                        files[0].external_files,
                                                        files[0].options)
                               : db->IngestExternalFiles(files);
    sequence_at_open_ += db->GetLatestSequenceNumber() - sequence_before_step_;
  }
  for (const auto& file : files) std::remove(file.external_files[0].c_str());
  return words + Word(status);
}

std::string Driver::Get(const Step& step) {
  std::string value;
  const engine::Status status = database_.db()->Get(
      ReadAt(step), database_.handle(step.slot), step.keys[0], &value);
  if (!status.ok()) return Word(status);
  std::string words = "OK " + Brief(value);
  bool found = false;
  std::string maybe;
  if (!database_.db()->KeyMayExist(ReadAt(step), database_.handle(step.slot),
                                   step.keys[0], &maybe, &found)) {
    words += " KeyMayExist denies it";
  } else if (found && maybe != value) {
    words += " KeyMayExist shows " + Brief(maybe);
  }
  return words;
}

std::string Driver::MultiGet(const Step& step) {
  std::vector<engine::Slice> keys(step.keys.begin(), step.keys.end());
  std::string answers;
  std::string failures;
  const auto add = [&](size_t i, const engine::Status& status,
                       const std::string& value) {
    if (status.IsIOError()) failures += " " + Word(status);
    answers += " " + Brief(step.keys[i]) + "=" +
               (status.ok() ? Brief(value) : Word(status));
  };
  if (step.flag) {
    std::vector<engine::ColumnFamilyHandle*> families;
    for (const size_t slot : step.slots) {
      families.push_back(database_.handle(slot));
    }
    std::vector<std::string> values;
    const std::vector<engine::Status> statuses =
        database_.db()->MultiGet(ReadAt(step), families, keys, &values);
    for (size_t i = 0; i < keys.size(); ++i) add(i, statuses[i], values[i]);
    return (verbose_ ? answers : Brief(answers)) + failures;
  }
  std::vector<engine::PinnableSlice> values(keys.size());
  std::vector<engine::Status> statuses(keys.size());
  database_.db()->MultiGet(ReadAt(step), database_.handle(step.slot),
                           keys.size(), keys.data(), values.data(),
                           statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    add(i, statuses[i], values[i].ToString());
  }
  return (verbose_ ? answers : Brief(answers)) + failures;
}

std::unique_ptr<Driver::Held> Driver::NewHeld(const Step& step) {
  auto held = std::make_unique<Held>();
  engine::ReadOptions options = ReadAt(step);
  if (step.use.lower) {
    held->lower = *step.use.lower;
    held->lower_bound = held->lower;
    options.iterate_lower_bound = &held->lower_bound;
  }
  if (step.use.upper) {
    held->upper = *step.use.upper;
    held->upper_bound = held->upper;
    options.iterate_upper_bound = &held->upper_bound;
  }
  options.prefix_same_as_start = step.use.prefix_same_as_start;
  options.total_order_seek = step.use.total_order_seek;
  options.pin_data = step.use.pin_data;
  options.readahead_size = step.use.readahead;
  held->iterator.reset(
      database_.db()->NewIterator(options, database_.handle(step.slot)));
  return held;
}

std::string Driver::Go(const std::vector<Move>& moves,
                       engine::Iterator* it) const {
  std::string answers;
  std::string passed;
  const auto pass = [&] {
    passed +=
        " " + Brief(it->key().ToString()) + "=" + Brief(it->value().ToString());
  };
  for (const Move& move : moves) {
    int moved = 1;
    if (move.kind == Move::Kind::kFirst) {
      it->SeekToFirst();
    } else if (move.kind == Move::Kind::kLast) {
      it->SeekToLast();
    } else if (move.kind == Move::Kind::kSeek) {
      it->Seek(move.target);
    } else if (move.kind == Move::Kind::kSeekForPrev) {
      it->SeekForPrev(move.target);
    } else {
      for (moved = 0; it->Valid() && moved < move.times; ++moved) {
        if (move.kind == Move::Kind::kNext) {
          it->Next();
        } else {
          it->Prev();
        }
        if (it->Valid()) pass();
      }
    }
    answers += " " + std::to_string(moved) + ":";
    if (it->Valid()) {
      pass();
      answers += Brief(it->key().ToString());
    } else {
      answers += Word(it->status());
    }
  }
  return (verbose_ ? passed : Brief(passed)) + " |" + answers;
}

std::string Driver::ScanOf(engine::Iterator* it) const {
  uint64_t count = 0;
  std::string forward;
  std::string backward;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) {
    forward +=
        " " + Brief(it->key().ToString()) + "=" + Brief(it->value().ToString());
  }
  std::string words = Word(it->status());
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    backward +=
        " " + Brief(it->key().ToString()) + "=" + Brief(it->value().ToString());
  }
  words += " " + Word(it->status()) + " " + std::to_string(count);
  if (verbose_) return words + " forward" + forward + " backward" + backward;
  return words + " " + Brief(forward) + " " + Brief(backward);
}

std::string Driver::ScanTogether(const OpenDatabase& database) const {
  std::vector<engine::ColumnFamilyHandle*> families;
  for (size_t i = 0; i < kSlots; ++i) {
    if (database.handle(i) != nullptr) families.push_back(database.handle(i));
  }
  engine::ReadOptions options;
  options.total_order_seek = true;
  std::vector<engine::Iterator*> made;
  const engine::Status status =
      database.db()->NewIterators(options, families, &made);
  std::string words = Word(status);
  for (size_t i = 0; i < made.size(); ++i) {
    const std::unique_ptr<engine::Iterator> it(made[i]);
    words += "; " + families[i]->GetName() + " " + ScanOf(it.get());
  }
  return words;
}

}  // namespace tamis::differential
