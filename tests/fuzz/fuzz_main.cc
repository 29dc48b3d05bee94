// SPDX-License-Identifier: Apache-2.0
//
// The program of all fuzz targets: it runs the target whose name it is called
// by.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/fuzz_targets.h"

namespace {

const tamis::FuzzTarget* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
  std::string_view name = (*argv)[0];
  name.remove_prefix(name.rfind('/') + 1);
  for (const tamis::FuzzTarget& known : tamis::kFuzzTargets) {
    if (name == known.name) target = &known;
  }
  if (target == nullptr) {
    std::fprintf(stderr, "call it by the name of a target:\n");
    for (const tamis::FuzzTarget& known : tamis::kFuzzTargets) {
      std::fprintf(stderr, "  %s\n", known.name);
    }
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return target->run(data, size);
}
