// SPDX-License-Identifier: Apache-2.0
//
// The benchmarks of functions that tables are made with: checksums of blocks of
// --block_size bytes, and the codec of --compression_type. Each function does
// the work of one thread.
#pragma once

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

void Crc32c(const ThreadContext& thread);
void XxHash(const ThreadContext& thread);
void XxHash64(const ThreadContext& thread);
void Xxh3(const ThreadContext& thread);
// Compress a block of values; the message tells the ratio.
void CompressBlock(const ThreadContext& thread);
void UncompressBlock(const ThreadContext& thread);

}  // namespace tamis::bench
