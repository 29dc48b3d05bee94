// SPDX-License-Identifier: Apache-2.0
//
// The library version. The macros give it at compile time, GetVersion() for the
// shared library loaded at run time.
#pragma once

#include <string>

#define TAMIS_MAJOR 0
#define TAMIS_MINOR 1
#define TAMIS_PATCH 0

#include "tamis/export.h"

namespace tamis {

// Returns "MAJOR.MINOR.PATCH".
TAMIS_EXPORT std::string GetVersion();

}  // namespace tamis
