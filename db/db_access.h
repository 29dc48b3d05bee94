// SPDX-License-Identifier: Apache-2.0
//
// How a database is opened.
#pragma once

#include <cstdint>
#include <string>

namespace tamis {

struct DBAccess {
  enum Kind : uint8_t {
    kReadWrite,
    kReadOnly,
    kReadOnlyWithoutLogs,  // a log with writes is an error
    kSecondary,            // for reading only, and TryCatchUpWithPrimary
  };
  Kind kind;
  std::string secondary_path = {};  // the directory of LOG, for kSecondary
  bool follows = false;             // kSecondary: by a thread of its own
};

}  // namespace tamis
