// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a properties block. The properties that are read do not change
// when they are written and read again.
#include "table/properties.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

void Fuzz(FuzzInput input) {
  const std::string name = "table";
  const BlockOrigin origin{&name, 77};
  const auto properties =
      DecodeProperties(PinnedBytes::Own(input.Rest()), origin);
  if (!properties.ok()) {
    const std::string message(properties.status().message());
    Claim(message.find(name) != std::string::npos);
    Claim(message.find("77") != std::string::npos);
    return;
  }
  const std::string written = EncodeProperties(*properties);
  const auto again = DecodeProperties(PinnedBytes::Own(written), origin);
  Claim(again.ok());
  Claim(EncodeProperties(*again) == written);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
