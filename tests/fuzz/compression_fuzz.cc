// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the output of a codec: rejected, or uncompressed to at most the
// size of a block. Uncompressing what was compressed gives the original.
//
//   input := mode u8 | codec u8 | [dictionary length u8 | dictionary] | payload
//   mode     bit 0 compress and uncompress, else uncompress
//            bits 1-2 the form: 0 version 2, 1 version 1, 2 LevelDB's
//            bit 3 a dictionary (not with bit 0)
#include <memory>

#include "tests/fuzz/fuzz_input.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

// More than any block of a fuzzed file could honestly hold.
constexpr uint64_t kExpansionMax = uint64_t{1} << 30;

PayloadForm FormOf(uint8_t mode) {
  switch ((mode >> 1) % 4) {
    case 1:
      return PayloadForm::kVersion1;
    case 2:
      return PayloadForm::kLevelDB;
    default:
      return PayloadForm::kVersion2;
  }
}

void Fuzz(FuzzInput input) {
  const uint8_t mode = input.Byte();
  const PayloadForm form = FormOf(mode);
  const auto codec = static_cast<CompressionType>(input.Byte());
  if ((mode & 1) == 0) {
    if (codec == kNoCompression) return;
    std::unique_ptr<UncompressionDictionary> dictionary;
    if ((mode & 8) != 0) {
      dictionary =
          std::make_unique<UncompressionDictionary>(input.Bytes(input.Byte()));
    }
    const std::string payload = input.Rest();
    const Result<ByteBuffer> raw =
        Uncompress(codec, payload, form, dictionary.get());
    if (raw.ok()) Claim(raw->size() <= kExpansionMax);
    // Memory that another block used changes nothing.
    ByteBuffer reused(Slice("of another block"));
    const Status status = UncompressInto(codec, payload, form, dictionary.get(),
                                         kMaxUncompressedBytes, &reused);
    Claim(status.ToString() == raw.status().ToString());
    Claim(!raw.ok() || reused == raw->bytes());
    return;
  }
  const std::string payload = input.Rest();
  std::string compressed;
  if (!Compress(codec, payload, &compressed, form)) return;
  const Result<ByteBuffer> raw = Uncompress(codec, compressed, form);
  Claim(raw.ok());
  Claim(*raw == payload);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
