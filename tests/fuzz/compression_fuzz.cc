// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as what a codec compressed: refused, or uncompressed to no more
// than a block may hold. What a codec compresses, it gives back.
//
//   input := mode u8 | codec u8 | payload
#include "tests/fuzz/fuzz_input.h"
#include "util/compression.h"

namespace tamis {
namespace {

// More than any block of a fuzzed file could honestly hold.
constexpr uint64_t kExpansionMax = uint64_t{1} << 30;

void Fuzz(FuzzInput input) {
  const bool round_trip = input.Byte() % 2 == 1;
  const auto codec = static_cast<CompressionType>(input.Byte());
  const std::string payload = input.Rest();
  if (!round_trip) {
    if (codec == kNoCompression) return;
    const Result<std::string> raw = Uncompress(codec, payload);
    if (raw.ok()) Claim(raw->size() <= kExpansionMax);
    return;
  }
  std::string compressed;
  if (!Compress(codec, payload, &compressed)) return;
  const Result<std::string> raw = Uncompress(codec, compressed);
  Claim(raw.ok());
  Claim(*raw == payload);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
