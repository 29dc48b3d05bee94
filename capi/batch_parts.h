// SPDX-License-Identifier: Apache-2.0
//
// What both kinds of batches share: errors that are kept for their write, keys
// and values in parts, a handler that calls C functions.
#pragma once

#include <utility>
#include <vector>

#include "tamis/write_batch.h"

#include "capi/call.h"
#include "capi/types.h"

namespace tamis::capi {

// Runs an operation of a batch, and keeps its error.
template <typename Call>
void Keep(BatchErrors* errors, const Call& call) {
  Status status;
  try {
    status = call();
  } catch (const std::exception&) {
    status = StatusOfCurrentException();
  }
  if (errors->first.ok() && !status.ok()) errors->first = std::move(status);
}

// REQUIRES: there is a save point.
inline void ReturnToSaved(BatchErrors* errors) {
  errors->first = std::move(errors->saved.back());
  errors->saved.pop_back();
}

// Parts of a key or value, as C has them.
class Parts {
 public:
  Parts(int count, const char* const* list, const size_t* sizes) {
    for (int i = 0; i < count; ++i) slices_.emplace_back(list[i], sizes[i]);
  }
  SliceParts get() const {
    return {slices_.data(), static_cast<int>(slices_.size())};
  }

 private:
  std::vector<Slice> slices_;
};

// Calls C functions for the entries of the default family. The first of another
// kind or family ends it.
class PutAndDelete final : public WriteBatch::Handler {
 public:
  PutAndDelete(void* state,
               void (*put)(void*, const char*, size_t, const char*, size_t),
               void (*deleted)(void*, const char*, size_t))
      : state_(state), put_(put), deleted_(deleted) {}

  void Put(const Slice& key, const Slice& value) override {
    put_(state_, key.data(), key.size(), value.data(), value.size());
  }
  void Delete(const Slice& key) override {
    deleted_(state_, key.data(), key.size());
  }

 private:
  void* const state_;
  void (*const put_)(void*, const char*, size_t, const char*, size_t);
  void (*const deleted_)(void*, const char*, size_t);
};

}  // namespace tamis::capi
