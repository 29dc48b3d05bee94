// SPDX-License-Identifier: Apache-2.0
#include "tests/writeback/pages.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/power_cut.h"

namespace tamis::writeback {

namespace {

// A failure here is not the engine's.
void Require(bool right) {
  if (!right) std::abort();
}

// Reads [begin, end) of the file, with zeros after its end.
std::string BytesOf(int file, uint64_t begin, uint64_t end) {
  std::string bytes(end - begin, '\0');
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::pread(file, bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(begin + done));
    Require(got >= 0);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return bytes;
}

void Write(int file, const char* bytes, uint64_t n, uint64_t offset) {
  Require(::pwrite(file, bytes, n, static_cast<off_t>(offset)) ==
          static_cast<ssize_t>(n));
}

}  // namespace

uint64_t LengthOf(int file) {
  struct stat info = {};
  Require(::fstat(file, &info) == 0);
  return static_cast<uint64_t>(info.st_size);
}

void WriteBack(int from, int to, uint64_t begin, uint64_t end,
               uint64_t pages_of_16, Random* luck) {
  begin = begin / kPageBytes * kPageBytes;
  end = std::min(end, LengthOf(from));
  if (begin >= end) return;
  const std::string current = BytesOf(from, begin, end);
  const std::string safe = BytesOf(to, begin, end);
  for (uint64_t at = 0; at < current.size(); at += kPageBytes) {
    const uint64_t n = std::min<uint64_t>(kPageBytes, current.size() - at);
    if (std::memcmp(current.data() + at, safe.data() + at, n) == 0) continue;
    if (luck->Uniform(kAllPages) >= pages_of_16) continue;
    const bool torn = pages_of_16 < kAllPages && luck->OneIn(4);
    for (uint64_t sector = at; sector < at + n; sector += kSectorBytes) {
      if (torn && luck->OneIn(2)) continue;
      Write(to, current.data() + sector,
            std::min<uint64_t>(kSectorBytes, at + n - sector), begin + sector);
    }
  }
}

void WriteBackAll(int from, int to) {
  Random unused(0);
  const uint64_t length = LengthOf(from);
  WriteBack(from, to, 0, length, kAllPages, &unused);
  Require(::ftruncate(to, static_cast<off_t>(length)) == 0);
}

}  // namespace tamis::writeback
