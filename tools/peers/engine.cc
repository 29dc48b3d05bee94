// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/engine.h"

#include <cstdio>
#include <cstdlib>

#include "tools/tool_main.h"

namespace tamis::peers {

namespace {

constexpr const char* kCompressionNames[] = {"none", "snappy", "lz4", "zstd"};

}  // namespace

bool ParseCompression(std::string_view name, Compression* compression) {
  for (size_t i = 0; i < std::size(kCompressionNames); ++i) {
    if (name == kCompressionNames[i]) {
      *compression = static_cast<Compression>(i);
      return true;
    }
  }
  return false;
}

const char* NameOf(Compression compression) {
  return kCompressionNames[static_cast<size_t>(compression)];
}

void Fail(const std::string& message) {
  std::fprintf(stderr, "tamis_peer_bench: %s\n", message.c_str());
  std::exit(kExitFailed);
}

}  // namespace tamis::peers
