// SPDX-License-Identifier: Apache-2.0
//
// Tells the error of a lock that somebody else holds from other IOErrors.
#pragma once

#include <string>

#include "tamis/status.h"

namespace tamis {

inline bool SaysLocked(const Status& status) {
  return status.IsIOError() &&
         status.message().find(": locked: ") != std::string::npos;
}

}  // namespace tamis
