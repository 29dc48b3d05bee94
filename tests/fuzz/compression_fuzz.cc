// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as what a codec compressed: refused, or uncompressed to no more
// than a block may hold. What a codec compresses, it gives back.
//
//   input := mode u8 | codec u8 | payload
//   mode: bit 0 a round trip; above it the form of payloads
#include <iterator>

#include "tests/fuzz/fuzz_input.h"
#include "util/compression.h"

namespace tamis {
namespace {

// More than any block of a fuzzed file could honestly hold.
constexpr uint64_t kExpansionMax = uint64_t{1} << 30;

void Fuzz(FuzzInput input) {
  constexpr PayloadForm kForms[] = {
      PayloadForm::kVersion2, PayloadForm::kVersion1, PayloadForm::kLevelDB};
  const uint8_t mode = input.Byte();
  const bool round_trip = mode % 2 == 1;
  const PayloadForm form = kForms[mode / 2 % std::size(kForms)];
  const auto codec = static_cast<CompressionType>(input.Byte());
  const std::string payload = input.Rest();
  if (!round_trip) {
    if (codec == kNoCompression) return;
    const Result<std::string> raw = Uncompress(codec, payload, form);
    if (raw.ok()) Claim(raw->size() <= kExpansionMax);
    return;
  }
  std::string compressed;
  if (!Compress(codec, payload, &compressed, form)) return;
  const Result<std::string> raw = Uncompress(codec, compressed, form);
  Claim(raw.ok());
  Claim(*raw == payload);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
