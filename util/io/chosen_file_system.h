// SPDX-License-Identifier: Apache-2.0
//
// The file system of options: their file_system, otherwise that of their Env,
// otherwise that of the operating system.
#pragma once

#include <memory>

#include "tamis/env.h"
#include "tamis/file_system.h"

namespace tamis {

// Both may be nullptr. Each caller gets an object of its own for the operating
// system's, whose threads and rings for reads end with it.
inline std::shared_ptr<FileSystem> ChosenFileSystem(
    std::shared_ptr<FileSystem> file_system, const Env* env) {
  if (file_system != nullptr) return file_system;
  if (env != nullptr && env != Env::Default()) return env->GetFileSystem();
  return NewPosixFileSystem();
}

}  // namespace tamis
