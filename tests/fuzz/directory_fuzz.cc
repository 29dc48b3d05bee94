// SPDX-License-Identifier: Apache-2.0
//
// Any files as a database: opened in each way (fuzz_opens.h), read, rewritten.
// A directory that does not open is unchanged; one that was repaired opens.
#include "tests/fuzz/fuzz_directory.h"
#include "tests/fuzz/fuzz_opens.h"

namespace tamis {
namespace {

void Fuzz(FuzzInput input) {
  const auto directory = FuzzDirectoryInput::Take(input);
  OpenFuzzFiles(directory.Files(), directory.mode % 8, directory.flags,
                nullptr);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
