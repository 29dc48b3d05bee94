// SPDX-License-Identifier: Apache-2.0
//
// Tells a record that is being stored from one that is damaged, in the newest
// log of a directory that another process may have open for writing.
//
// A reader sees the bytes of a file at different moments, so that it may find
// half of a record, or none, and whole records behind it. But a log only grows,
// and a stored byte never changes: a fault that is the same when the log is
// read again was there at one moment, between the two looks.
//
//   torn tail   The writer has not finished the record: the log ends before
//               it. Under kAbsoluteConsistency this holds only while a process
//               holds LOCK, or where nobody can tell; otherwise see below.
//   any other   If the next look finds the same fault, it is damage. If not,
//   fault       the writer was in the middle of the record: the reader takes
//               the record as it is now. If every look finds something else,
//               the log ends before the record.
//
// Any other fault: bytes that do not fit, or zeros, with a record behind them,
// and bytes that do not fit at the end. FORMAT.md, "Beside a writer".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/base/db_context.h"
#include "db/wal/log_reader.h"

namespace tamis {

class SecondLook {
 public:
  enum class Verdict : uint8_t {
    kStands,    // it is as the reader says
    kAgain,     // LogReader::LookAgain has to be called
    kInFlight,  // a record is being stored here: the log ends before it
  };

  explicit SecondLook(const DBContext& context) : context_(context) {}
  // Of each ReadRecord, in their order.
  Verdict Judge(LogReader::Outcome outcome, const LogReader& reader);

 private:
  struct Sight {
    LogReader::Outcome outcome;
    uint64_t offset;
    std::string reason;
    bool operator==(const Sight&) const = default;
  };
  bool MayBeBeingWritten() const;

  const DBContext& context_;
  std::optional<Sight> last_;
  int looks_ = 0;
};

}  // namespace tamis
