// SPDX-License-Identifier: Apache-2.0
//
// What the jobs of a family have read and written since the database was
// opened, for the property rocksdb.cfstats. A job returns its figures with its
// edit; whatever applies the edit adds them to the FamilyStats.
//
//   job ──▶ edit, JobStats ──▶ LogAndApply, then FamilyStats::Add
//
// A job whose edit was not applied adds its time alone: it replaced nothing,
// and its tables are gone.
#pragma once

#include <array>
#include <cstdint>

#include "db/base/numbers.h"

namespace tamis {

// Figures of jobs. RocksDB's names of the columns stand behind them.
struct JobStats {
  uint64_t jobs = 0;             // Comp(cnt); one for all its parts
  uint64_t micros = 0;           // Comp(sec)
  uint64_t cpu_micros = 0;       // CompMergeCPU(sec), of all threads
  uint64_t read_above = 0;       // Rn: bytes above the output level
  uint64_t read_at_output = 0;   // Rnp1
  uint64_t written = 0;          // Write: bytes
  uint64_t moved = 0;            // Moved: bytes of tables only moved
  uint64_t entries_read = 0;     // KeyIn; of compactions
  uint64_t entries_dropped = 0;  // KeyDrop

  uint64_t read() const { return read_above + read_at_output; }
  JobStats& operator+=(const JobStats& other);
  // REQUIRES: each figure is at least that of `other`.
  JobStats& operator-=(const JobStats& other);
};

// The threads that jobs run on, in RocksDB's words.
enum class JobThreads : uint8_t {
  kLow,   // compactions
  kHigh,  // flushes
  kUser,  // the thread of a call: ingestion, and the replay of an open
};
inline constexpr size_t kJobThreads = 3;

// Why writes of a family slow down or stop.
enum class StallCause : uint8_t { kMemTables, kLevel0, kPendingBytes };
inline constexpr size_t kStallCauses = 3;

// How often a family began to slow down writes, and stopped them.
struct StallCounts {
  struct Counts {
    uint64_t delays = 0;
    uint64_t stops = 0;
  };
  std::array<Counts, kStallCauses> causes;
  // Of kLevel0, those while a compaction of level 0 ran.
  Counts with_compaction;

  const Counts& operator[](StallCause cause) const {
    return causes[static_cast<size_t>(cause)];
  }
  Counts& operator[](StallCause cause) {
    return causes[static_cast<size_t>(cause)];
  }
  Counts total() const;
};

// REQUIRES, for all: the database's mutex is held, or the object is a copy.
struct FamilyStats {
  PerLevel<JobStats> levels;  // by output level
  std::array<JobStats, kJobThreads> threads;
  uint64_t flushed_bytes = 0;
  uint64_t ingested_bytes = 0;
  uint64_t ingested_files = 0;
  uint64_t ingested_level0_files = 0;
  uint64_t ingested_entries = 0;
  StallCounts stalls;

  void Add(Level output_level, JobThreads on, const JobStats& job);
  JobStats Sum() const;
  // What came from outside, and that W-Amp is relative to.
  uint64_t entered_bytes() const { return flushed_bytes + ingested_bytes; }
};

// What reports have shown of figures, for the interval between two reports.
template <typename Figures>
struct Reported {
  // Begins to count at `now`, which is of Clock::NowNanos.
  explicit Reported(uint64_t now) : begin_nanos(now), last_nanos(now) {}

  Figures last = {};
  uint64_t begin_nanos;  // of the figures
  uint64_t last_nanos;
};

// Adds the figures of a job to a FamilyStats at the end of its life, also when
// an exception ends it. REQUIRES: the database's mutex is held then.
class JobRecord {
 public:
  // `family` must outlive the record.
  JobRecord(FamilyStats* family, Level output_level, JobThreads on)
      : family_(*family), output_level_(output_level), on_(on) {}
  ~JobRecord() { family_.Add(output_level_, on_, stats); }
  JobRecord(const JobRecord&) = delete;
  JobRecord& operator=(const JobRecord&) = delete;

  JobStats stats;

 private:
  FamilyStats& family_;
  const Level output_level_;
  const JobThreads on_;
};

}  // namespace tamis
