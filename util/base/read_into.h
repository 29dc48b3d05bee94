// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tamis/slice.h"
#include "tamis/status.h"

#include "util/base/exceptions.h"

namespace tamis {

// Returns read(PinnableSlice*), a Get, with one whose value becomes *value.
template <typename Read>
Status ReadInto(std::string* value, const Read& read) {
  return CatchExceptions([&] {
    PinnableSlice pinned(value);
    const Status status = read(&pinned);
    if (status.ok() && pinned.IsPinned()) {
      value->assign(pinned.data(), pinned.size());
    }
    return status;
  });
}

}  // namespace tamis
