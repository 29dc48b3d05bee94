// SPDX-License-Identifier: Apache-2.0
//
// A Driver runs a Script on one engine and returns an answer for each step. The
// engine's answers do not influence the steps, so that two engines run the same
// steps even if they disagree. Only DoAgain skips the part of a step that
// succeeded before.
//
//   Driver driver(directory, verbose);
//   for (const Step& step : script.steps) Print(driver.Do(step));
//
// One thread. The constructor and the destructor remove the directory, unless
// Keep is passed.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/interop/differential/engine.h"
#include "tests/interop/differential/model.h"
#include "tests/interop/differential/script.h"

namespace tamis::differential {

engine::ColumnFamilyOptions FamilyOptionsFor(const FamilyPlan& plan);
engine::DBOptions DatabaseOptionsFor(const OpenPlan& plan);

// Returns "OK", "NotFound", ..., on which engines agree, without the message.
std::string Word(const engine::Status& status);

// An open database and a handle for each of its families.
class OpenDatabase {
 public:
  OpenDatabase() = default;
  ~OpenDatabase();
  OpenDatabase(const OpenDatabase&) = delete;
  OpenDatabase& operator=(const OpenDatabase&) = delete;

  // Opens the families of `plan`.
  engine::Status Open(const engine::DBOptions& options,
                      const std::string& directory, const OpenPlan& plan,
                      bool read_only);
  // Destroys the handles, closes, and returns the answers to these calls.
  std::string Close();

  engine::DB* db() const { return db_.get(); }
  engine::ColumnFamilyHandle* handle(size_t slot) const {
    return handles_[slot];
  }
  void set_handle(size_t slot, engine::ColumnFamilyHandle* handle) {
    handles_[slot] = handle;
  }
  std::string DestroyHandle(size_t slot);

 private:
  std::unique_ptr<engine::DB> db_;
  std::array<engine::ColumnFamilyHandle*, kSlots> handles_{};
};

class Driver {
 public:
  // verbose: answers list every entry that an iterator passes, not their hash.
  Driver(std::string directory, bool verbose);
  // Continues with the contents of the directory, and leaves them there.
  struct Keep {};
  Driver(std::string directory, bool verbose, Keep keep);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  std::string Do(const Step& step);

  // From now on answers do not contain the number of failed background jobs.
  void ExpectFaults() { faults_are_expected_ = true; }
  // Repeats a step that Do failed because of a fault that is gone: resumes the
  // database and performs the rest of the step. REQUIRES: `step` was the last
  // one.
  std::string DoAgain(const Step& step);
  // Clears the background error, if any.
  engine::Status Resume();

  // Compares the database with the model by every kind of read, and runs the
  // engine's own checks. Returns the first difference; empty: none.
  std::string Check(const Model& model, const std::vector<std::string>& keys);

 private:
  // An open iterator and the bytes of its bounds.
  struct Held {
    std::string lower, upper;
    engine::Slice lower_bound, upper_bound;
    std::unique_ptr<engine::Iterator> iterator;
  };

  std::string Perform(const Step& step);

  // driver.cc: calls for the database as a whole.
  std::string Open(const Step& step);
  std::string Close();
  std::string RefusedOpen(const Step& step);
  std::string ReadOnly(const Step& step, const std::string& directory);
  std::string CopyAndOpen(const Step& step);
  std::string CreateFamily(const Step& step);
  std::string DropFamily(const Step& step);
  std::string CloneFamily(const Step& step);
  std::string ListFamilies();
  std::string Flush(const Step& step);
  std::string Compact(const Step& step);
  std::string CompactFiles(const Step& step);
  std::string SetOptions(const Step& step);
  std::string Properties();
  // Returns the number of writes since the open, because the sequence numbers
  // at an open may differ: RocksDB reuses those of entries that a flush
  // dropped.
  // Ingested files do not count: engines differ in which get a number.
  std::string Written() const;
  // Excludes sequence numbers that failed attempts may have used.
  void CountAfterFailures(uint64_t entries);

  // driver_data.cc: reads and writes.
  std::string Write(const Step& step);
  engine::Status Apply(const Edit& edit, const engine::WriteOptions& options);
  engine::Status Add(const Edit& edit, engine::WriteBatch* batch);
  std::string MakeTable(std::span<const Edit> edits, std::string* path,
                        engine::Status* finished);
  std::string Ingest(const Step& step);
  std::string Get(const Step& step);
  std::string MultiGet(const Step& step);
  std::unique_ptr<Held> NewHeld(const Step& step);
  std::string Go(const std::vector<Move>& moves, engine::Iterator* it) const;
  std::string ScanTogether(const OpenDatabase& database) const;
  std::string ScanOf(engine::Iterator* it) const;
  engine::ReadOptions ReadAt(const Step& step) const;

  const std::string directory_;
  const bool verbose_;
  const bool keep_;
  OpenDatabase database_;
  uint64_t sequence_at_open_ = 0;
  uint64_t files_ = 0;  // made for ingestion
  bool faults_are_expected_ = false;
  uint64_t sequence_before_step_ = 0;
  uint64_t failed_writes_ = 0;
  bool dropped_ = false;  // by the last step, whose second drop failed
  std::vector<const engine::Snapshot*> snapshots_;
  std::vector<std::unique_ptr<Held>> iterators_;
};

}  // namespace tamis::differential
