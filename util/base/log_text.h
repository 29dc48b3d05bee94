// SPDX-License-Identifier: Apache-2.0
//
// What lines of logs are made of.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <string>

namespace tamis {

// Returns "2026/11/21-10:03:04.123456", in UTC. `micros`: since 1970.
std::string FormatUtcTime(uint64_t micros);

// Returns what vprintf would print, or an empty string if it fails.
std::string FormatText(const char* format, va_list arguments);

}  // namespace tamis
