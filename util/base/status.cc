// SPDX-License-Identifier: Apache-2.0
//
// Creation and formatting of Status.
#include "tamis/status.h"

#include <new>
#include <utility>

#include "util/base/immortal.h"

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

Status::Status(Code code, SubCode subcode, const Slice& msg,
               const Slice& msg2) noexcept
    : code_(code), subcode_(subcode) {
  if (msg.empty() && msg2.empty()) return;
  try {
    std::string message;
    message.reserve(msg.size() + 2 + msg2.size());
    message.append(msg.data(), msg.size());
    if (!msg2.empty()) {
      message.append(": ");
      message.append(msg2.data(), msg2.size());
    }
    message_ = std::make_shared<const std::string>(std::move(message));
  } catch (const std::bad_alloc&) {
    // The code is kept without its message.
  }
}

const std::string& Status::message() const {
  return message_ != nullptr ? *message_ : *Immortal<const std::string>();
}

std::string Status::ToString() const {
  std::string out = CodeName(code_);
  if (!message().empty()) {
    out.append(": ");
    out.append(message());
  } else if (subcode_ == kMemoryLimit) {
    out.append(": out of memory");
  }
  return out;
}

}  // namespace tamis
