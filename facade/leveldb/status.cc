// SPDX-License-Identifier: Apache-2.0
//
// leveldb::Status, whose layout is part of the ABI: a length, a code, a text.
#include <cstdint>
#include <cstring>
#include <string>

#include <leveldb/status.h>

#include "facade/leveldb/convert.h"

namespace leveldb {

namespace {

constexpr size_t kHeaderBytes = 5;

}  // namespace

Status::Status(Code code, const Slice& msg, const Slice& msg2) {
  std::string text = msg.ToString();
  if (!msg2.empty()) text += ": " + msg2.ToString();
  const auto size = static_cast<uint32_t>(text.size());
  char* const state = new char[kHeaderBytes + size];
  std::memcpy(state, &size, sizeof(size));
  state[4] = static_cast<char>(code);
  std::memcpy(state + kHeaderBytes, text.data(), size);
  state_ = state;
}

const char* Status::CopyState(const char* s) {
  uint32_t size = 0;
  std::memcpy(&size, s, sizeof(size));
  char* const state = new char[kHeaderBytes + size];
  std::memcpy(state, s, kHeaderBytes + size);
  return state;
}

std::string Status::ToString() const {
  if (state_ == nullptr) return "OK";
  uint32_t size = 0;
  std::memcpy(&size, state_, sizeof(size));
  const std::string text(state_ + kHeaderBytes, size);
  switch (code()) {
    case kOk:
      return "OK";
    case kNotFound:
      return "NotFound: " + text;
    case kCorruption:
      return "Corruption: " + text;
    case kNotSupported:
      return "Not implemented: " + text;
    case kInvalidArgument:
      return "Invalid argument: " + text;
    case kIOError:
      return "IO error: " + text;
  }
  return text;
}

}  // namespace leveldb

namespace tamis::facade {

leveldb::Status ToLevelDB(const Status& status) {
  using Other = leveldb::Status;
  if (status.ok()) return Other::OK();
  const leveldb::Slice text(status.message());
  if (status.IsNotFound() || status.IsPathNotFound()) {
    return Other::NotFound(text);
  }
  if (status.IsCorruption()) return Other::Corruption(text);
  if (status.IsNotSupported()) return Other::NotSupported(text);
  if (status.IsInvalidArgument()) return Other::InvalidArgument(text);
  if (status.IsIOError()) return Other::IOError(text);
  return Other::IOError(status.ToString());
}

Status ToTamis(const leveldb::Status& status) {
  if (status.ok()) return Status::OK();
  std::string text = status.ToString();
  text.erase(0, text.find(": ") + 2);
  if (status.IsNotFound()) return Status::PathNotFound(text);
  if (status.IsCorruption()) return Status::Corruption(text);
  if (status.IsNotSupportedError()) return Status::NotSupported(text);
  if (status.IsInvalidArgument()) return Status::InvalidArgument(text);
  return Status::IOError(text);
}

}  // namespace tamis::facade
