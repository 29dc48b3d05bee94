// SPDX-License-Identifier: Apache-2.0
//
// A Status is the result of an operation. A failure carries a message that
// names the file, the offset, what was expected and what was found.
//
// Exceptions: a call on a database, iterator, batch or table file that returns
// a Status throws nothing. An exception from user code (a comparator, a merge
// operator, a FileSystem, ...) becomes Aborted, with what() in the message;
// std::bad_alloc becomes MemoryLimit. A JobRunner or a Clock must not throw.
// Creating and copying a Status never throws: if the message cannot be
// allocated, it is empty.
//
// Threads: const members from any. A value type.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <utility>

#include "tamis/slice.h"

namespace tamis {

class [[nodiscard]] Status {
 public:
  // The numbers are RocksDB's.
  enum Code : unsigned char {
    kOk = 0,
    kNotFound = 1,
    kCorruption = 2,
    kNotSupported = 3,
    kInvalidArgument = 4,
    kIOError = 5,
    kIncomplete = 7,
    kShutdownInProgress = 8,
    kTimedOut = 9,
    kAborted = 10,
    kBusy = 11,
    kTryAgain = 13,
    kColumnFamilyDropped = 15,
  };
  enum SubCode : unsigned char {
    kNone = 0,
    kNoSpace = 4,
    kMemoryLimit = 7,
    kPathNotFound = 9,
  };

  Status() = default;
  static Status OK() { return {}; }

  // With two arguments, the message is "msg: msg2".
  // The result of most reads of absent keys has no message.
  static Status NotFound() {
    Status status;
    status.code_ = kNotFound;
    return status;
  }
  static Status NotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kNotFound, kNone, msg, msg2};
  }
  static Status Corruption(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kCorruption, kNone, msg, msg2};
  }
  static Status NotSupported(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kNotSupported, kNone, msg, msg2};
  }
  static Status InvalidArgument(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kInvalidArgument, kNone, msg, msg2};
  }
  static Status IOError(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIOError, kNone, msg, msg2};
  }
  static Status NoSpace(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIOError, kNoSpace, msg, msg2};
  }
  static Status PathNotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIOError, kPathNotFound, msg, msg2};
  }
  static Status Incomplete(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIncomplete, kNone, msg, msg2};
  }
  static Status ShutdownInProgress(const Slice& msg = Slice(),
                                   const Slice& msg2 = Slice()) {
    return {kShutdownInProgress, kNone, msg, msg2};
  }
  static Status TimedOut(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kTimedOut, kNone, msg, msg2};
  }
  static Status Aborted(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kAborted, kNone, msg, msg2};
  }
  // Returns the Status of a failed allocation.
  static Status MemoryLimit() {
    return {kAborted, kMemoryLimit, Slice(), Slice()};
  }
  static Status Busy(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kBusy, kNone, msg, msg2};
  }
  static Status TryAgain(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kTryAgain, kNone, msg, msg2};
  }
  static Status ColumnFamilyDropped(const Slice& msg,
                                    const Slice& msg2 = Slice()) {
    return {kColumnFamilyDropped, kNone, msg, msg2};
  }

  bool ok() const { return code_ == kOk; }
  bool IsNotFound() const { return code_ == kNotFound; }
  bool IsCorruption() const { return code_ == kCorruption; }
  bool IsNotSupported() const { return code_ == kNotSupported; }
  bool IsInvalidArgument() const { return code_ == kInvalidArgument; }
  bool IsIOError() const { return code_ == kIOError; }
  bool IsNoSpace() const { return code_ == kIOError && subcode_ == kNoSpace; }
  bool IsPathNotFound() const {
    return code_ == kIOError && subcode_ == kPathNotFound;
  }
  bool IsIncomplete() const { return code_ == kIncomplete; }
  bool IsShutdownInProgress() const { return code_ == kShutdownInProgress; }
  bool IsTimedOut() const { return code_ == kTimedOut; }
  bool IsAborted() const { return code_ == kAborted; }
  bool IsMemoryLimit() const {
    return code_ == kAborted && subcode_ == kMemoryLimit;
  }
  bool IsBusy() const { return code_ == kBusy; }
  bool IsTryAgain() const { return code_ == kTryAgain; }
  bool IsColumnFamilyDropped() const { return code_ == kColumnFamilyDropped; }

  Code code() const { return code_; }
  SubCode subcode() const { return subcode_; }
  // Returns the message without the code's name. Empty if ok().
  const std::string& message() const;

  // Returns "OK", or "<code name>: <message>".
  std::string ToString() const;

  // Does nothing. Marks a failure as ignored on purpose.
  void PermitUncheckedError() const {}

  // Compares codes only, not subcodes or messages.
  friend bool operator==(const Status& a, const Status& b) {
    return a.code_ == b.code_;
  }

 private:
  Status(Code code, SubCode subcode, const Slice& msg,
         const Slice& msg2) noexcept;

  Code code_ = kOk;
  SubCode subcode_ = kNone;
  std::shared_ptr<const std::string> message_;  // nullptr if empty
};

inline std::ostream& operator<<(std::ostream& out, const Status& s) {
  return out << s.ToString();
}

}  // namespace tamis
