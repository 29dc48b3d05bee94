// SPDX-License-Identifier: Apache-2.0
#include "tests/kill/expected_state.h"

#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace tamis::kill {

ExpectedState::ExpectedState(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (file < 0) return;
  void* mapping = MAP_FAILED;
  if (::ftruncate(file, sizeof(Threads)) == 0) {
    mapping = ::mmap(nullptr, sizeof(Threads), PROT_READ | PROT_WRITE,
                     MAP_SHARED, file, 0);
  }
  ::close(file);
  if (mapping != MAP_FAILED) threads_ = new (mapping) Threads();
}

ExpectedState::~ExpectedState() {
  if (mapped()) ::munmap(threads_, sizeof(Threads));
}

void ExpectedState::Reset() {
  for (Progress& thread : *threads_) {
    thread.begun = 0;
    thread.acknowledged = 0;
  }
}

}  // namespace tamis::kill
