// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the end of a table. The handles of an accepted footer are within
// the file, and it is the same after it is written and read again.
//
//   input := bytes of the file before the tail u64 | tail
#include "table/format.h"
#include "tests/fuzz/fuzz_input.h"
#include "util/coding/checksum.h"

namespace tamis {
namespace {

void Fuzz(FuzzInput input) {
  uint64_t before = 0;
  for (int i = 0; i < 8; ++i) before = before << 8 | input.Byte();
  before &= (uint64_t{1} << 50) - 1;
  const std::string tail = input.Bytes(kFooterBytes);
  const uint64_t file_size = before + tail.size();
  const Result<Footer> footer = Footer::Decode(tail, file_size, "table");
  if (!footer.ok()) {
    Claim(footer.status().message().find("table") != std::string::npos);
    return;
  }
  Claim(footer->metaindex.FitsIn(file_size));
  Claim(footer->index.FitsIn(file_size));
  Claim(footer->format_version <= kFormatVersionMax);
  Claim(IsKnownChecksumType(footer->checksum));
  const Result<Footer> again =
      Footer::Decode(footer->Encode(), file_size, "table");
  Claim(again.ok());
  Claim(again->checksum == footer->checksum);
  Claim(again->metaindex == footer->metaindex);
  Claim(again->index == footer->index);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
