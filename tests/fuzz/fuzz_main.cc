// SPDX-License-Identifier: Apache-2.0
//
// The program of all fuzz targets: it runs the target whose name it is called
// by. Of the mutations of a target that has a mutator of its own, three of four
// are that one's; with --plain, none is.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/mutators.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

const tamis::FuzzTarget* target = nullptr;
tamis::InputMutator mutate = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
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
  mutate = tamis::FindMutator(name);
  for (int i = 1; i < *argc; ++i) {
    if (std::string_view((*argv)[i]) == "--plain") mutate = nullptr;
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return target->run(data, size);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  tamis::Mutator mutator(seed, LLVMFuzzerMutate);
  if (mutate == nullptr || mutator.OneIn(4)) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const std::string input(data, data + size);
  const std::string output = mutate(input, &mutator);
  if (output.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, output.data(), output.size());
  return output.size();
}
