// SPDX-License-Identifier: Apache-2.0
//
// A filter that has all of its keys, and that is still to be made: a placement
// hands it to its sink, and any thread that has time makes its bytes. Making
// them costs up to 200 ns per key; the table's next blocks need not wait for
// that.
//
//   keys ─▶ builder ─▶ PendingFilter ─▶ FilterSink ─▶ Build, in any thread
//
// A value type; one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "filter/filter_codec.h"
#include "util/base/check.h"

namespace tamis {

class PendingFilter {
 public:
  // Takes the bytes of a filter that is made already.
  explicit PendingFilter(std::string bytes) : bytes_(std::move(bytes)) {}
  // Takes a builder that gets no more keys.
  explicit PendingFilter(std::unique_ptr<FilterBuilder> builder)
      : builder_(std::move(builder)) {
    TAMIS_CHECK(builder_ != nullptr);
  }

  // Returns the filter, or the error of a user's policy, and frees the keys.
  // Called once.
  Result<std::string> Build() {
    if (builder_ == nullptr) return std::move(bytes_);
    const std::unique_ptr<FilterBuilder> builder = std::move(builder_);
    return builder->Finish();
  }

  // Returns the bytes of memory that hold the keys, or the filter.
  size_t ApproximateMemoryUsage() const {
    return builder_ != nullptr ? builder_->ApproximateMemoryUsage()
                               : bytes_.capacity();
  }

 private:
  std::unique_ptr<FilterBuilder> builder_;  // nullptr: bytes_ is the filter
  std::string bytes_;
};

}  // namespace tamis
