// SPDX-License-Identifier: Apache-2.0
//
// Values that are read, as C takes them. NotFound is nullptr without an error.
#pragma once

#include <memory>

#include "tamis/slice.h"

#include "capi/call.h"
#include "capi/types.h"

namespace tamis::capi {

// Returns a copy of the value that read(PinnableSlice*) finds.
template <typename Read>
char* ValueOf(size_t* length, char** errptr, const Read& read) {
  char* value = nullptr;
  *length = 0;
  Try(errptr, [&] {
    PinnableSlice found;
    const Status status = read(&found);
    if (status.IsNotFound()) return Status::OK();
    if (status.ok()) {
      value = CopyOf(found);
      *length = found.size();
    }
    return status;
  });
  return value;
}

// Returns the value itself.
template <typename Read>
tamis_pinnableslice_t* PinnedValueOf(char** errptr, const Read& read) {
  std::unique_ptr<tamis_pinnableslice_t> value;
  Try(errptr, [&] {
    value = std::make_unique<tamis_pinnableslice_t>();
    const Status status = read(&value->rep);
    if (status.ok()) return status;
    value.reset();
    return status.IsNotFound() ? Status::OK() : status;
  });
  return value.release();
}

}  // namespace tamis::capi
