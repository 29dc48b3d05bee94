// SPDX-License-Identifier: Apache-2.0
//
// A filter whose keys are complete but whose bytes may not be built yet.
// Building costs up to 200 ns per key: a placement hands the filter to its sink
// (filter_placement.h), and a free thread builds it while the table's next
// blocks are written.
//
//   keys ─▶ builder ─▶ PendingFilter ─▶ FilterSink ─▶ Build, in any thread
//
// Moved, not copied; one thread at a time.
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
  // Takes the bytes of a filter that is built already.
  explicit PendingFilter(std::string bytes) : bytes_(std::move(bytes)) {}
  // Takes a builder that gets no more keys.
  explicit PendingFilter(std::unique_ptr<FilterBuilder> builder)
      : builder_(std::move(builder)) {
    TAMIS_CHECK(builder_ != nullptr);
  }

  // Builds the filter, with the helpers if there are any, and frees the keys.
  // Fails if a user's policy returns no filter for keys (user_filter.h). Called
  // once.
  Result<std::string> Build(const Helpers& helpers) {
    if (builder_ == nullptr) return std::move(bytes_);
    const std::unique_ptr<FilterBuilder> builder = std::move(builder_);
    builder->UseHelpers(helpers);
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
