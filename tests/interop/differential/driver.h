// SPDX-License-Identifier: Apache-2.0
//
// A Driver leads one engine through a Script and writes an answer for each
// step. It decides nothing by what the engine answers: two engines are led
// through the same steps, however far apart they are.
//
//   Driver driver(directory, verbose);
//   for (const Step& step : script.steps) Print(driver.Do(step));
//
// Threads: one. Lifetime: the directory is removed at both ends, but for Keep.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/interop/differential/engine.h"
#include "tests/interop/differential/model.h"
#include "tests/interop/differential/script.h"

namespace tamis::differential {

engine::ColumnFamilyOptions FamilyOptionsFor(const FamilyPlan& plan);
engine::DBOptions DatabaseOptionsFor(const OpenPlan& plan);

// "OK", "NotFound", ...: what engines agree on; never the sentence.
std::string Word(const engine::Status& status);

// An open database and a handle for each of its families.
class OpenDatabase {
 public:
  OpenDatabase() = default;
  ~OpenDatabase();
  OpenDatabase(const OpenDatabase&) = delete;
  OpenDatabase& operator=(const OpenDatabase&) = delete;

  // With families that `plan` has.
  engine::Status Open(const engine::DBOptions& options,
                      const std::string& directory, const OpenPlan& plan,
                      bool read_only);
  // Gives handles back and closes; the words of all that.
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
  // verbose: iterators tell every entry they pass, not a hash of them.
  Driver(std::string directory, bool verbose);
  // Goes on with what is in the directory, and leaves it there.
  struct Keep {};
  Driver(std::string directory, bool verbose, Keep keep);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  std::string Do(const Step& step);

  // From now on answers do not tell how many background jobs failed.
  void ExpectFaults() { faults_are_expected_ = true; }
  // Do met a fault of the system that is gone. Lets the database write again,
  // and does what of the step was not done.
  // REQUIRES: the step is the last one that was done.
  std::string DoAgain(const Step& step);
  // The error that keeps writes away, if there is one, is gone.
  engine::Status Resume();

  // What is wrong with the database, by every kind of read and by what the
  // engine can check of itself; empty: it holds what the model does.
  std::string Check(const Model& model, const std::vector<std::string>& keys);

 private:
  // Where the bytes of its bounds live.
  struct Held {
    std::string lower, upper;
    engine::Slice lower_bound, upper_bound;
    std::unique_ptr<engine::Iterator> iterator;
  };

  // driver.cc: the life of the database.
  std::string Open(const Step& step);
  std::string Close();
  std::string RefusedOpen(const Step& step);
  std::string ReadOnly(const Step& step, const std::string& directory);
  std::string CopyAndOpen(const Step& step);
  std::string CreateFamily(const Step& step);
  std::string DropFamily(const Step& step);
  std::string ListFamilies();
  std::string Flush(const Step& step);
  std::string Compact(const Step& step);
  std::string Properties();
  // Writes since the open. Where it began may differ: RocksDB counts anew what
  // a flush found to be of no effect.
  std::string Written() const;
  // Attempts that failed may have used sequence numbers up: those are no
  // writes.
  void CountAfterFailures(uint64_t entries);

  // driver_data.cc: what goes in and comes out.
  std::string Write(const Step& step);
  engine::Status Apply(const Edit& edit, const engine::WriteOptions& options);
  engine::Status Add(const Edit& edit, engine::WriteBatch* batch);
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
  bool faults_are_expected_ = false;
  uint64_t sequence_before_step_ = 0;
  uint64_t failed_writes_ = 0;
  std::vector<const engine::Snapshot*> snapshots_;
  std::vector<std::unique_ptr<Held>> iterators_;
};

}  // namespace tamis::differential
