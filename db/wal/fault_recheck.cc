// SPDX-License-Identifier: Apache-2.0
#include "db/wal/fault_recheck.h"

#include <utility>

#include "db/base/file_names.h"

namespace tamis {

namespace {

constexpr int kReadsMax = 16;

}  // namespace

bool FaultRecheck::MayBeBeingWritten() const {
  bool locked = false;
  const Status status =
      context_.fs()->IsLocked(LockFileName(context_.directory), &locked);
  return locked || !status.ok();
}

FaultRecheck::Verdict FaultRecheck::Judge(LogReader::Outcome outcome,
                                          const LogReader& reader) {
  using Outcome = LogReader::Outcome;
  const bool is_fault = outcome == Outcome::kRecord
                            ? reader.after_zeros()
                            : reader.status().IsCorruption();
  // The lock is tested before the deciding read. If a writer finishes the
  // record and releases the lock in between, that read sees the record.
  if (outcome == Outcome::kTornTail &&
      (context_.options.wal_recovery_mode !=
           WALRecoveryMode::kAbsoluteConsistency ||
       MayBeBeingWritten())) {
    return Verdict::kInFlight;
  }
  std::optional<SeenFault> fault;
  if (is_fault) {
    fault = SeenFault{outcome, reader.record_offset(), reader.reason()};
  }
  if (!is_fault || fault == last_) {
    last_.reset();
    reads_ = 0;
    return Verdict::kFinal;
  }
  last_ = std::move(fault);
  return ++reads_ <= kReadsMax ? Verdict::kReread : Verdict::kInFlight;
}

}  // namespace tamis
