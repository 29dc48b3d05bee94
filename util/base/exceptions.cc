// SPDX-License-Identifier: Apache-2.0
#include "util/base/exceptions.h"

#include <exception>
#include <new>
#include <system_error>

namespace tamis {

Status StatusOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return Status::MemoryLimit();
  } catch (const std::system_error& e) {
    return e.code() == std::errc::resource_unavailable_try_again
               ? Status::TryAgain("no thread could be started", e.what())
               : Status::Aborted("an exception was thrown", e.what());
  } catch (const std::exception& e) {
    return Status::Aborted("an exception was thrown", e.what());
  } catch (...) {
    return Status::Aborted("an exception was thrown", "not a std::exception");
  }
}

}  // namespace tamis
