// SPDX-License-Identifier: Apache-2.0
//
// A Status in words.
#include "tamis/status.h"

namespace tamis {

namespace {

const char* CodeName(Status::Code code) {
  switch (code) {
    case Status::kOk:
      return "OK";
    case Status::kNotFound:
      return "NotFound";
    case Status::kCorruption:
      return "Corruption";
    case Status::kNotSupported:
      return "NotSupported";
    case Status::kInvalidArgument:
      return "InvalidArgument";
    case Status::kIOError:
      return "IOError";
    case Status::kIncomplete:
      return "Incomplete";
    case Status::kShutdownInProgress:
      return "ShutdownInProgress";
    case Status::kTimedOut:
      return "TimedOut";
    case Status::kAborted:
      return "Aborted";
    case Status::kBusy:
      return "Busy";
    case Status::kTryAgain:
      return "TryAgain";
    case Status::kColumnFamilyDropped:
      return "Column family dropped";
  }
  return "Unknown";
}

}  // namespace

Status::Status(Code code, SubCode subcode, const Slice& msg, const Slice& msg2)
    : code_(code), subcode_(subcode), message_(msg.data(), msg.size()) {
  if (!msg2.empty()) {
    message_.append(": ");
    message_.append(msg2.data(), msg2.size());
  }
}

std::string Status::ToString() const {
  std::string out = CodeName(code_);
  if (!message_.empty()) {
    out.append(": ");
    out.append(message_);
  }
  return out;
}

}  // namespace tamis
