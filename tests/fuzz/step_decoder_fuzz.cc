// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a snappy or lz4 block: decoded in steps, it is what the codec's
// library makes of it, or both reject it.
//
//   input := codec u8 | step count u8 | steps u16 ... | payload
//   codec    even: snappy, odd: lz4
//   steps    bytes to decode until DecodeTo returns; then the rest
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_input.h"
#include "tests/support/library_codecs.h"
#include "util/compression/step_decoder.h"

namespace tamis {
namespace {

constexpr uint64_t kCap = uint64_t{1} << 20;

void Fuzz(FuzzInput input) {
  const CompressionType type =
      (input.Byte() & 1) == 0 ? kSnappyCompression : kLZ4Compression;
  if (!StepDecoder::Supports(type)) return;
  std::vector<size_t> steps(input.Byte());
  for (size_t& step : steps) step = input.Short();
  const std::string rest = input.Rest();
  // On its own piece of the heap, so that AddressSanitizer sees its end.
  const std::vector<char> bytes(rest.begin(), rest.end());
  const Slice payload(bytes.data(), bytes.size());
  const std::optional<std::string> expected =
      LibraryUncompress(type, payload, kCap);

  const Result<ByteBuffer> whole =
      Uncompress(type, payload, PayloadForm::kVersion2, nullptr, kCap);
  Claim(whole.ok() == expected.has_value());
  Claim(!whole.ok() || *whole == Slice(*expected));

  StepDecoder decoder;
  ByteBuffer out;
  if (!decoder.Start(type, payload, PayloadForm::kVersion2, kCap, &out).ok()) {
    Claim(!expected.has_value());
    return;
  }
  size_t target = 0;
  bool good = true;
  for (const size_t step : steps) {
    target += step;
    good = decoder.DecodeTo(target);
    if (!good) break;
    Claim(decoder.decoded() >= std::min(target, decoder.size()));
    Claim(decoder.decoded() <= decoder.size());
    if (!expected.has_value()) continue;
    Claim(std::string_view(decoder.data(), decoder.decoded()) ==
          std::string_view(*expected).substr(0, decoder.decoded()));
  }
  good = good && decoder.Finish();
  Claim(good == expected.has_value());
  Claim(!good || out == Slice(*expected));
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
