// SPDX-License-Identifier: Apache-2.0
//
// Reads the recorded vectors: $TAMIS_GOLDEN_DIR/vectors/<name>.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tamis {

// Declares `name` as the parsed file, or skips the test loudly.
#define TAMIS_LOAD_VECTORS(name, file)                                \
  if (std::getenv("TAMIS_GOLDEN_DIR") == nullptr) {                   \
    GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set: " file " not read"; \
  }                                                                   \
  const nlohmann::json name = ::tamis::LoadVectors(file);             \
  ASSERT_FALSE(name.is_discarded() || name.empty()) << file

inline nlohmann::json LoadVectors(const std::string& name) {
  std::ifstream in(std::string(std::getenv("TAMIS_GOLDEN_DIR")) + "/vectors/" +
                   name);
  return nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
}

inline uint64_t FromHexNumber(const std::string& hex) {
  return std::strtoull(hex.c_str(), nullptr, 16);
}

inline std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(FromHexNumber(hex.substr(i, 2))));
  }
  return bytes;
}

}  // namespace tamis
