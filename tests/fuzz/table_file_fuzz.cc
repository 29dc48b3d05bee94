// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a whole table: opened, read, walked, laid out and verified.
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_tables.h"

namespace tamis {
namespace {

void Fuzz(FuzzInput input) {
  const auto table = OpenFuzzTable(input.Rest());
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
