// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a complete table: opened, read, scanned, listed and verified. If
// their number is odd, the block cache loads and evicts the index and filter.
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_tables.h"

namespace tamis {
namespace {

void Fuzz(FuzzInput input) {
  std::string bytes = input.Rest();
  const bool cached = bytes.size() % 2 == 1;
  const auto table = OpenFuzzTable(std::move(bytes), cached);
  if (table.ok()) {
    ReadFuzzTable(**table, nullptr);
  } else {
    Claim(table.status().message().find("table") != std::string::npos);
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
