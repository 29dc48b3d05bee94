// SPDX-License-Identifier: Apache-2.0
//
// The version of the library: at compile time as macros, at run time (of the
// shared library that was loaded) as a call.
#pragma once

#include <string>

#define TAMIS_MAJOR 0
#define TAMIS_MINOR 1
#define TAMIS_PATCH 0

namespace tamis {

// "MAJOR.MINOR.PATCH".
std::string GetVersion();

}  // namespace tamis
