// SPDX-License-Identifier: Apache-2.0
//
// Creation and formatting of Status. Bindings parse the texts: they are
// RocksDB's, with their irregularities.
#include "tamis/status.h"

#include <array>
#include <new>
#include <utility>

#include "util/base/immortal.h"

namespace tamis {

namespace {

// Indexed by Status::Code.
constexpr std::array kCodeTexts = {
    "OK",
    "NotFound: ",
    "Corruption: ",
    "Not implemented: ",
    "Invalid argument: ",
    "IO error: ",
    "Merge in progress: ",
    "Result incomplete: ",
    "Shutdown in progress: ",
    "Operation timed out: ",
    "Operation aborted: ",
    "Resource busy: ",
    "Operation expired: ",
    "Operation failed. Try again.: ",
    "Compaction too large: ",
    "Column family dropped: ",
};
static_assert(kCodeTexts.size() == Status::kMaxCode);

// Indexed by Status::SubCode.
constexpr std::array kSubCodeTexts = {
    "",
    "Timeout Acquiring Mutex",
    "Timeout waiting to lock key",
    "Failed to acquire lock due to max_num_locks limit",
    "No space left on device",
    "Deadlock",
    "Stale file handle",
    "Memory limit reached",
    "Space limit reached",
    "No such file or directory",
    "Insufficient capacity for merge operands",
    "Manual compaction paused",
    " (overwritten)",
    "Txn not prepared",
    "IO fenced off",
};
static_assert(kSubCodeTexts.size() == Status::kMaxSubCode);

}  // namespace

Status::Status(Code code, SubCode subcode, const Slice& msg,
               const Slice& msg2) noexcept
    : code_(code), subcode_(subcode) {
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
  std::string out = kCodeTexts[code_];
  if (code_ == kOk) return out;
  if (subcode_ != kNone) {
    out.append(kSubCodeTexts[subcode_]);
    if (message_ != nullptr) out.append(": ");
  }
  if (message_ != nullptr) out.append(getState());
  return out;
}

}  // namespace tamis
