// SPDX-License-Identifier: Apache-2.0
//
// Result<T> holds a T, or the Status of the failure.
#pragma once

#include <optional>
#include <utility>

#include "tamis/status.h"

#include "util/base/check.h"

namespace tamis {

template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that `return value;` and `return Status::...;` both work.
  // NOLINTNEXTLINE(google-explicit-constructor): see above
  Result(T value) : value_(std::move(value)) {}
  // REQUIRES: !status.ok()
  // NOLINTNEXTLINE(google-explicit-constructor): see above
  Result(Status status) : status_(std::move(status)) {
    TAMIS_CHECK(!status_.ok());
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  // REQUIRES: ok()
  T& value() & {
    TAMIS_DCHECK(ok());
    return *value_;
  }
  const T& value() const& {
    TAMIS_DCHECK(ok());
    return *value_;
  }
  T&& value() && {
    TAMIS_DCHECK(ok());
    return *std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace tamis

// Returns from the enclosing function if `expression` is not OK.
#define TAMIS_RETURN_IF_ERROR(expression)          \
  do {                                             \
    ::tamis::Status tamis_status_ = (expression);  \
    if (!tamis_status_.ok()) return tamis_status_; \
  } while (false)
