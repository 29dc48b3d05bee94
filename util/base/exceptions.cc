// SPDX-License-Identifier: Apache-2.0
#include "util/base/exceptions.h"

#include <exception>
#include <new>

namespace tamis {

Status StatusOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return Status::MemoryLimit();
  } catch (const std::exception& e) {
    return Status::Aborted("an exception was thrown", e.what());
  } catch (...) {
    return Status::Aborted("an exception was thrown", "not a std::exception");
  }
}

}  // namespace tamis
