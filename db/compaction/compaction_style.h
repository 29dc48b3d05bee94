// SPDX-License-Identifier: Apache-2.0
//
// Calls the picker of a family's compaction_style.
#pragma once

#include <cstdint>
#include <optional>

#include "tamis/options.h"

#include "db/compaction/compaction_picker.h"
#include "db/family/job_stats.h"

namespace tamis {

// Returns whether compactions start by themselves.
bool CompactsByItself(const ColumnFamilyOptions& options);
// Returns whether the tables of level 0 slow and stop writes: whether something
// will reduce their number.
bool Level0StallsWrites(const ColumnFamilyOptions& options);

// Returns whether files that are marked for compaction get one (PickMarked).
bool CompactsMarkedFiles(const ColumnFamilyOptions& options);

// Returns the deepest level into which a table from outside may go: under
// kCompactionStyleFIFO level 0, so that it is deleted in its turn.
Level DeepestForIngestion(const ColumnFamilyOptions& options);

// Whether compactions of a family lag behind its writes.
enum class CompactionLag { kNone, kSlows, kStops };
// Returns how many tables of level 0 writes may wait for; 0 unless
// Level0StallsWrites. Tables that no compaction takes before a flush
// (level0_merge.h) do not count: writes that waited for them would wait for the
// flush that only they can bring about. `unflushed`: see PickByStyle.
int Level0TablesThatStall(const Version& version,
                          const ColumnFamilyOptions& options,
                          SequenceNumber unflushed);

// By Level0TablesThatStall, and by PendingCompactionBytes. *cause says which,
// unless the lag is kNone.
CompactionLag LagOf(const Version& version, const ColumnFamilyOptions& options,
                    SequenceNumber unflushed, StallCause* cause);
// Returns the word for it in LOG.
const char* StallCauseText(StallCause cause);

// Picks the next automatic compaction; nullopt if there is none. `unflushed` is
// the lowest sequence number that an entry in memory may have
// (ColumnFamily::LowestUnflushed).
std::optional<Compaction> PickByStyle(const VersionPtr& version,
                                      const BusyFiles& busy,
                                      const ColumnFamilyOptions& options,
                                      uint64_t now_seconds,
                                      CompactionCursors* cursors,
                                      SequenceNumber unflushed);

// Returns whether an automatic compaction is due, apart from busy files.
bool CompactionIsDue(const VersionPtr& version,
                     const ColumnFamilyOptions& options, uint64_t now_seconds,
                     SequenceNumber unflushed);

// Returns whether tables of level 0 wait for a flush (level0_merge.h), and so
// many that they would be merged without it.
bool MergesWaitForFlush(const Version& version,
                        const ColumnFamilyOptions& options,
                        SequenceNumber unflushed);

// Returns the steps of a CompactRange, without those that rewrite what is
// already at the bottom. *rewrite is the step that does.
std::vector<ManualStep> ManualSteps(const Version& version,
                                    const ColumnFamilyOptions& options,
                                    const Slice* begin, const Slice* end,
                                    std::optional<ManualStep>* rewrite);

// Picks the move of all tables of `from` to an empty level. REQUIRES: the
// levels between are empty
Compaction PlanMove(const VersionPtr& version,
                    const ColumnFamilyOptions& options, Level from, Level to);

// Returns the only level below 0 with tables, if level 0 has none; else
// nullopt.
std::optional<Level> OnlyLevel(const Version& version);

// Returns the lowest level below 0 into which the tables of `from` fit by their
// bytes.
Level LowestFitting(const Version& version, const ColumnFamilyOptions& options,
                    Level from);

// Picks the compaction of a step; nullopt if there is nothing to do, or a file
// is busy.
std::optional<Compaction> PickManual(const VersionPtr& version,
                                     const BusyFiles& busy,
                                     const ColumnFamilyOptions& options,
                                     const ManualStep& step,
                                     SequenceNumber unflushed);

// Returns Compaction::reason in the words of listeners.
CompactionReason ReasonOf(const Compaction& plan, CompactionStyle style);

}  // namespace tamis
