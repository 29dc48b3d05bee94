// SPDX-License-Identifier: Apache-2.0
//
// A FaultRecheck tells a record that is being written from a damaged one, in
// the newest log of a directory that another process may have open for writing.
//
// A reader does not read all bytes of a file at the same time, so it may see a
// part of a record, or none of it, followed by complete records. But a log only
// grows, and a stored byte never changes. A fault that is the same when the log
// is read again therefore existed between the two reads, and is damage.
//
//   torn tail   The writer has not finished the record, and the log ends before
//               it. Under kAbsoluteConsistency this holds only while a process
//               holds LOCK, or if the file system cannot tell; otherwise the
//               next rule applies.
//   any other   The log is read again. The same fault is damage. Otherwise the
//   fault       record was being written, and what was read now is judged in
//               the same way. If the fault changes with each of 16 reads, the
//               log ends before the record.
//
// Other faults are wrong bytes or zeros before a record, and wrong bytes at the
// end. See FORMAT.md, "Beside a writer".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/base/db_context.h"
#include "db/wal/log_reader.h"

namespace tamis {

class FaultRecheck {
 public:
  enum class Verdict : uint8_t {
    kFinal,     // the outcome is final
    kReread,    // the caller must call LogReader::Reread and read again
    kInFlight,  // a record is being written here; the log ends before it
  };

  explicit FaultRecheck(const DBContext& context) : context_(context) {}
  // Judges an outcome of ReadRecord. REQUIRES: called for every ReadRecord of
  // the log, in order.
  Verdict Judge(LogReader::Outcome outcome, const LogReader& reader);

 private:
  struct SeenFault {
    LogReader::Outcome outcome;
    uint64_t offset;
    std::string reason;
    bool operator==(const SeenFault&) const = default;
  };
  bool MayBeBeingWritten() const;

  const DBContext& context_;
  std::optional<SeenFault> last_;
  int reads_ = 0;
};

}  // namespace tamis
