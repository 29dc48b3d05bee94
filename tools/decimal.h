// SPDX-License-Identifier: Apache-2.0
//
// Formats fractions for people.
#pragma once

#include <string>

namespace tamis {

// Decimal(0.5, 2, " %") is "0.50 %".
std::string Decimal(double value, int digits, const char* unit = "");

}  // namespace tamis
