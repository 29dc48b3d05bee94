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

#include "tamis/export.h"
#include "tamis/slice.h"

// A program that defines TAMIS_NODISCARD_STATUS before it includes Tamis gets a
// warning wherever it ignores a returned Status. Without it, code written for
// RocksDB and LevelDB, which ignores many, compiles with -Werror.
#ifdef TAMIS_NODISCARD_STATUS
#define TAMIS_STATUS_ATTRIBUTE [[nodiscard]]
#else
#define TAMIS_STATUS_ATTRIBUTE
#endif

namespace tamis {

class TAMIS_STATUS_ATTRIBUTE TAMIS_EXPORT Status {
 public:
  // The numbers are RocksDB's. Some codes and subcodes are for clients that
  // return a Status of their own: no call of this release returns them.
  enum Code : unsigned char {
    kOk = 0,
    kNotFound = 1,
    kCorruption = 2,
    kNotSupported = 3,
    kInvalidArgument = 4,
    kIOError = 5,
    kMergeInProgress = 6,
    kIncomplete = 7,
    kShutdownInProgress = 8,
    kTimedOut = 9,
    kAborted = 10,
    kBusy = 11,
    kExpired = 12,
    kTryAgain = 13,
    kCompactionTooLarge = 14,
    kColumnFamilyDropped = 15,
    kMaxCode  // not a code: the number of codes
  };
  // What is known besides the code.
  enum SubCode : unsigned char {
    kNone = 0,
    kMutexTimeout = 1,
    kLockTimeout = 2,
    kLockLimit = 3,
    kNoSpace = 4,
    kDeadlock = 5,
    kStaleFile = 6,
    kMemoryLimit = 7,
    kSpaceLimit = 8,
    kPathNotFound = 9,
    KMergeOperandsInsufficientCapacity = 10,  // RocksDB's spelling
    kManualCompactionPaused = 11,
    kOverwritten = 12,
    kTxnNotPrepared = 13,
    kIOFenced = 14,
    kMaxSubCode  // not a subcode: the number of subcodes
  };

  Status() = default;
  // A success.
  static Status OK() { return {}; }
  // A success that replaced an older value.
  static Status OkOverwritten() { return {kOk, kOverwritten}; }

  // A Status of a code is made from a subcode alone, or from a message. With
  // two Slices, the message is "msg: msg2".
  static Status NotFound(SubCode subcode = kNone) {
    return {kNotFound, subcode};
  }
  static Status NotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kNotFound, kNone, msg, msg2};
  }
  static Status NotFound(SubCode subcode, const Slice& msg,
                         const Slice& msg2 = Slice()) {
    return {kNotFound, subcode, msg, msg2};
  }
  static Status Corruption(SubCode subcode = kNone) {
    return {kCorruption, subcode};
  }
  static Status Corruption(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kCorruption, kNone, msg, msg2};
  }
  static Status NotSupported(SubCode subcode = kNone) {
    return {kNotSupported, subcode};
  }
  static Status NotSupported(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kNotSupported, kNone, msg, msg2};
  }
  static Status InvalidArgument(SubCode subcode = kNone) {
    return {kInvalidArgument, subcode};
  }
  static Status InvalidArgument(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kInvalidArgument, kNone, msg, msg2};
  }
  static Status IOError(SubCode subcode = kNone) { return {kIOError, subcode}; }
  static Status IOError(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIOError, kNone, msg, msg2};
  }
  static Status MergeInProgress(SubCode subcode = kNone) {
    return {kMergeInProgress, subcode};
  }
  static Status MergeInProgress(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kMergeInProgress, kNone, msg, msg2};
  }
  static Status Incomplete(SubCode subcode = kNone) {
    return {kIncomplete, subcode};
  }
  static Status Incomplete(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIncomplete, kNone, msg, msg2};
  }
  static Status ShutdownInProgress(SubCode subcode = kNone) {
    return {kShutdownInProgress, subcode};
  }
  static Status ShutdownInProgress(const Slice& msg,
                                   const Slice& msg2 = Slice()) {
    return {kShutdownInProgress, kNone, msg, msg2};
  }
  static Status TimedOut(SubCode subcode = kNone) {
    return {kTimedOut, subcode};
  }
  static Status TimedOut(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kTimedOut, kNone, msg, msg2};
  }
  static Status Aborted(SubCode subcode = kNone) { return {kAborted, subcode}; }
  static Status Aborted(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kAborted, kNone, msg, msg2};
  }
  static Status Busy(SubCode subcode = kNone) { return {kBusy, subcode}; }
  static Status Busy(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kBusy, kNone, msg, msg2};
  }
  static Status Expired(SubCode subcode = kNone) { return {kExpired, subcode}; }
  static Status Expired(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kExpired, kNone, msg, msg2};
  }
  static Status TryAgain(SubCode subcode = kNone) {
    return {kTryAgain, subcode};
  }
  static Status TryAgain(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kTryAgain, kNone, msg, msg2};
  }
  static Status CompactionTooLarge(SubCode subcode = kNone) {
    return {kCompactionTooLarge, subcode};
  }
  static Status CompactionTooLarge(const Slice& msg,
                                   const Slice& msg2 = Slice()) {
    return {kCompactionTooLarge, kNone, msg, msg2};
  }
  static Status ColumnFamilyDropped(SubCode subcode = kNone) {
    return {kColumnFamilyDropped, subcode};
  }
  static Status ColumnFamilyDropped(const Slice& msg,
                                    const Slice& msg2 = Slice()) {
    return {kColumnFamilyDropped, kNone, msg, msg2};
  }

  // These have a code and a subcode.
  static Status NoSpace() { return {kIOError, kNoSpace}; }
  static Status NoSpace(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIOError, kNoSpace, msg, msg2};
  }
  // The database has another owner: nothing more is read or written.
  static Status IOFenced(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIOError, kIOFenced, msg, msg2};
  }
  static Status SpaceLimit() { return {kIOError, kSpaceLimit}; }
  static Status SpaceLimit(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIOError, kSpaceLimit, msg, msg2};
  }
  static Status PathNotFound() { return {kIOError, kPathNotFound}; }
  static Status PathNotFound(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kIOError, kPathNotFound, msg, msg2};
  }
  static Status MemoryLimit() { return {kAborted, kMemoryLimit}; }
  static Status MemoryLimit(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kAborted, kMemoryLimit, msg, msg2};
  }
  static Status TxnNotPrepared() { return {kInvalidArgument, kTxnNotPrepared}; }
  static Status TxnNotPrepared(const Slice& msg, const Slice& msg2 = Slice()) {
    return {kInvalidArgument, kTxnNotPrepared, msg, msg2};
  }

  // Return whether the Status has this code, or this code and subcode.
  bool ok() const { return code_ == kOk; }
  bool IsOkOverwritten() const { return Is(kOk, kOverwritten); }
  bool IsNotFound() const { return code_ == kNotFound; }
  bool IsCorruption() const { return code_ == kCorruption; }
  bool IsNotSupported() const { return code_ == kNotSupported; }
  bool IsInvalidArgument() const { return code_ == kInvalidArgument; }
  bool IsIOError() const { return code_ == kIOError; }
  bool IsMergeInProgress() const { return code_ == kMergeInProgress; }
  bool IsIncomplete() const { return code_ == kIncomplete; }
  bool IsShutdownInProgress() const { return code_ == kShutdownInProgress; }
  bool IsTimedOut() const { return code_ == kTimedOut; }
  bool IsAborted() const { return code_ == kAborted; }
  bool IsBusy() const { return code_ == kBusy; }
  bool IsExpired() const { return code_ == kExpired; }
  bool IsTryAgain() const { return code_ == kTryAgain; }
  bool IsCompactionTooLarge() const { return code_ == kCompactionTooLarge; }
  bool IsColumnFamilyDropped() const { return code_ == kColumnFamilyDropped; }
  bool IsNoSpace() const { return Is(kIOError, kNoSpace); }
  // NotFound may have this subcode, too.
  bool IsPathNotFound() const {
    return Is(kIOError, kPathNotFound) || Is(kNotFound, kPathNotFound);
  }
  bool IsIOFenced() const { return Is(kIOError, kIOFenced); }
  bool IsMemoryLimit() const { return Is(kAborted, kMemoryLimit); }
  bool IsLockLimit() const { return Is(kAborted, kLockLimit); }
  bool IsDeadlock() const { return Is(kBusy, kDeadlock); }
  bool IsManualCompactionPaused() const {
    return Is(kIncomplete, kManualCompactionPaused);
  }
  bool IsTxnNotPrepared() const {
    return Is(kInvalidArgument, kTxnNotPrepared);
  }

  // Return the code and the subcode.
  Code code() const { return code_; }
  SubCode subcode() const { return subcode_; }
  // Returns the message without the names of code and subcode. Empty if ok().
  const std::string& message() const;
  // Returns the message up to its first NUL byte; nullptr if there is none.
  const char* getState() const {
    return message_ != nullptr ? message_->c_str() : nullptr;
  }

  // Returns "OK", or "<code>: [<subcode>: ]<message>", byte for byte as RocksDB
  // does: "IO error: No space left on device: <message>". Ends after
  // "<subcode>" if the Status was made without a message, and before a NUL byte
  // in the message.
  std::string ToString() const;

  // Does nothing. Marks a failure as ignored on purpose.
  void PermitUncheckedError() const {}

  // Compares codes only, not subcodes or messages.
  friend bool operator==(const Status& a, const Status& b) {
    return a.code_ == b.code_;
  }

 protected:
  // With this code and subcode, and the message "msg: msg2".
  Status(Code code, SubCode subcode) noexcept
      : code_(code), subcode_(subcode) {}
  Status(Code code, SubCode subcode, const Slice& msg,
         const Slice& msg2) noexcept;

 private:
  bool Is(Code code, SubCode subcode) const {
    return code_ == code && subcode_ == subcode;
  }

  Code code_ = kOk;
  SubCode subcode_ = kNone;
  std::shared_ptr<const std::string> message_;  // nullptr without a message
};

// Writes s.ToString().
inline std::ostream& operator<<(std::ostream& out, const Status& s) {
  return out << s.ToString();
}

// RocksDB's type of what a call that reads or writes files returns.
using IOStatus = Status;

}  // namespace tamis
