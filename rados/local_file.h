// SPDX-License-Identifier: Apache-2.0
//
// A LocalFile has pages of one closed file of a volume, on this machine. It is
// a sparse file of slots:
//
//   slot n of 4096 bytes, at n * 4096
//   ┌──────────┬─────────────────────────────────────────────────┐
//   │ XXH3     │ bytes [n * 4088, (n + 1) * 4088) of the file    │
//   │ 8 bytes  │ the last page has fewer                         │
//   └──────────┴─────────────────────────────────────────────────┘
//
// The hash is seeded with the key of the file and n. A page is here if its hash
// is right. What was never written, was damaged, or was cut off by a crash is
// not here; so nothing needs to be synced, and nothing else says what is here.
// Pages of a closed file never change, and no key is used twice.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tamis::rados {

inline constexpr size_t kSlotBytes = 4096;
inline constexpr size_t kPageBytes = kSlotBytes - sizeof(uint64_t);

class LocalFile {
 public:
  // Creates the file if there is none. Without `stays_open`, each call opens
  // it.
  LocalFile(std::string path, const std::string& key, bool stays_open);
  ~LocalFile();
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;

  // False: the file cannot be opened or created.
  bool exists() const { return exists_; }

  // What a call did.
  struct Outcome {
    bool done = false;     // all pages were here, or were written
    uint64_t slots = 0;    // that were written
    uint64_t damaged = 0;  // pages that were not empty, and not right
    bool failed = false;   // the file system refused
  };
  // Reads bytes of a file that has `size` bytes.
  // REQUIRES: offset + n <= size, n > 0
  Outcome Read(uint64_t size, uint64_t offset, size_t n, char* to) const;
  // Writes the pages of which bytes [offset, offset + n) of the file have
  // everything. `size` is that of the file; UINT64_MAX: it still grows.
  // REQUIRES: offset + n <= size
  Outcome Write(uint64_t size, uint64_t offset, size_t n, const char* from);
  // Forgets all pages.
  void Clear();

 private:
  class Opened;
  uint64_t HashOf(uint64_t page, const char* bytes, size_t n) const;

  const std::string path_;
  const uint64_t seed_;
  bool exists_ = false;
  int descriptor_ = -1;  // -1: it does not stay open
};

// Widens [*offset, *offset + *n) to whole pages of a file of `size` bytes.
void WidenToPages(uint64_t size, uint64_t* offset, size_t* n);

}  // namespace tamis::rados
