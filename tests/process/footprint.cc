// SPDX-License-Identifier: Apache-2.0
#include "tests/process/footprint.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <unistd.h>

namespace tamis::process {

namespace {

// The descriptor that reads the directory is not counted.
size_t CountEntries(const char* directory) {
  const std::filesystem::directory_iterator entries(directory);
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

size_t CountLines(const char* path) {
  std::ifstream in(path);
  return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(in),
                                        std::istreambuf_iterator<char>(),
                                        '\n'));
}

size_t ResidentBytes() {
  std::ifstream in("/proc/self/statm");
  size_t pages = 0;
  size_t resident_pages = 0;
  in >> pages >> resident_pages;
  return resident_pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

// malloc keeps up to seven freed pieces of each of 64 small sizes for each
// thread, and counts them as allocated. Afterwards it keeps seven of each.
void FillCacheOfThisThread() {
  constexpr size_t kSizes = 64;
  constexpr size_t kPieces = 7;
  std::array<void*, kSizes * kPieces> pieces;
  for (size_t i = 0; i < pieces.size(); ++i) {
    pieces[i] = std::malloc(24 + 16 * (i / kPieces));
  }
  for (void* const piece : pieces) std::free(piece);
}

}  // namespace

Footprint MeasureFootprint() {
  FillCacheOfThisThread();
  ::malloc_trim(0);
  const struct mallinfo2 info = ::mallinfo2();
  Footprint footprint;
  footprint.descriptors = CountEntries("/proc/self/fd") - 1;
  footprint.threads = CountEntries("/proc/self/task");
  footprint.mappings = CountLines("/proc/self/maps");
  footprint.allocated_bytes = info.uordblks + info.hblkhd;
  footprint.resident_bytes = ResidentBytes();
  return footprint;
}

std::ostream& operator<<(std::ostream& out, const Footprint& footprint) {
  return out << footprint.descriptors << " descriptors, " << footprint.threads
             << " threads, " << footprint.mappings << " mappings, "
             << footprint.allocated_bytes << " bytes allocated, "
             << footprint.resident_bytes << " bytes resident";
}

}  // namespace tamis::process
