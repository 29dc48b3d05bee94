// SPDX-License-Identifier: Apache-2.0
//
// Zeros in the place of a mapping that failed, for the handler of SIGBUS.
//
// A process that has as many mappings as it may have (vm.max_map_count) gets
// ENOMEM for every mmap, even for one that replaces a whole mapping. The first
// mapped file therefore reserves a spare mapping, which the handler gives up.
// Another thread of the program may take the place of the spare first; the
// handler then fails, as it does if memory runs out.
#pragma once

#include <cstddef>

namespace tamis {

// Reserves the spare mapping if there is none. Returns false if the system
// refuses. Any thread.
bool ReserveSpareMapping();

// Replaces the `bytes` bytes at `data` by private zeros. Returns false if the
// system refuses. Takes no lock and allocates nothing. Any thread.
// REQUIRES: `data` is the start of a page, and mapped.
bool MapZeros(void* data, size_t bytes, bool writable);

// Does the same, and gives up the spare mapping if the system refuses.
// REQUIRES: the bytes are one or several whole mappings.
bool MapZerosAtTheLimit(void* data, size_t bytes, bool writable);

}  // namespace tamis
