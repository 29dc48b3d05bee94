// SPDX-License-Identifier: Apache-2.0
#include "capi/call.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tamis/c.h"

namespace tamis::capi {

namespace {

// Ends the process, and says why.
[[noreturn]] void OutOfMemory() {
  std::fputs("tamis: out of memory in a C function\n", stderr);
  std::abort();
}

}  // namespace

char* CopyOf(const Slice& bytes) noexcept {
  auto* copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) OutOfMemory();
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = '\0';
  return copy;
}

bool Report(char** errptr, const Status& status) noexcept {
  if (status.ok()) return true;
  char* message = CopyOf(status.ToString());
  std::free(*errptr);
  *errptr = message;
  return false;
}

Status StatusOfCurrentException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return Status::MemoryLimit();
  } catch (const std::exception& e) {
    return Status::Aborted("exception", e.what());
  } catch (...) {
    return Status::Aborted("exception of an unknown type");
  }
}

}  // namespace tamis::capi

void tamis_free(void* ptr) { std::free(ptr); }
