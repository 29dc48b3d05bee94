// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_db_bench/function_benchmarks.h"

#include <cstdio>
#include <string>

#include "tools/bench_data.h"
#include "tools/tamis_db_bench/bench_thread.h"
#include "util/coding/checksum.h"
#include "util/compression/compression.h"

namespace tamis::bench {

namespace {

// A block of values, as in a table without keys.
std::string BlockOfValues(const ThreadContext& t) {
  const Settings& s = *t.settings;
  ValuePool values(static_cast<size_t>(s.value_size), SeedOf(t),
                   s.compression_ratio);
  std::string block;
  while (block.size() < s.block_size) block += values.Next();
  block.resize(s.block_size);
  return block;
}

// Calls function(), which works on `bytes` bytes, --reads times; without it,
// once for each MiB of half a GiB, as RocksDB's takes that many bytes. Returns
// false after the first false of the function.
template <typename Function>
void Repeat(const ThreadContext& t, uint64_t bytes, Function&& function) {
  constexpr uint64_t kBytesByDefault = uint64_t{512} << 20;
  const uint64_t calls =
      t.settings->reads != 0 ? t.settings->reads : kBytesByDefault / bytes + 1;
  t.stats->Start();  // without the preparation
  Quota quota(t, calls);
  while (quota.Take(1) != 0) {
    if (!function()) return;
    t.stats->Done(1, bytes);
  }
}

void Checksum(const ThreadContext& t, ChecksumType type) {
  const std::string block = BlockOfValues(t);
  uint32_t all = 0;
  Repeat(t, block.size(), [&] {
    all += BlockChecksum(type, block, 0);
    return true;
  });
  // Used, so that no call is left out.
  if (all == 1) t.stats->Message(" ");
}

bool CompressedBlock(const ThreadContext& t, const std::string& block,
                     std::string* out) {
  if (Compress(t.settings->compression, block, out)) return true;
  t.stats->Fail(std::string("--compression_type: ") +
                CompressionTypeName(t.settings->compression) +
                " does not compress");
  return false;
}

}  // namespace

void Crc32c(const ThreadContext& t) { Checksum(t, kCRC32c); }
void XxHash(const ThreadContext& t) { Checksum(t, kxxHash); }
void XxHash64(const ThreadContext& t) { Checksum(t, kxxHash64); }
void Xxh3(const ThreadContext& t) { Checksum(t, kXXH3); }

void CompressBlock(const ThreadContext& t) {
  const std::string block = BlockOfValues(t);
  std::string out;
  Repeat(t, block.size(), [&] { return CompressedBlock(t, block, &out); });
  if (t.stats->failed()) return;
  char text[64];
  std::snprintf(text, sizeof(text), "output: %.1f%%\n",
                100.0 * static_cast<double>(out.size()) /
                    static_cast<double>(block.size()));
  t.stats->Message(text);
}

void UncompressBlock(const ThreadContext& t) {
  const std::string block = BlockOfValues(t);
  std::string compressed;
  if (!CompressedBlock(t, block, &compressed)) return;
  ByteBuffer out;
  Repeat(t, block.size(), [&] {
    return Ok(t, UncompressInto(t.settings->compression, compressed,
                                PayloadForm::kVersion2, nullptr,
                                kMaxUncompressedBytes, &out));
  });
}

}  // namespace tamis::bench
