// SPDX-License-Identifier: Apache-2.0
#include "tools/decimal.h"

#include <cstdio>

namespace tamis {

std::string Decimal(double value, int digits, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f%s", digits, value, unit);
  return text;
}

}  // namespace tamis
