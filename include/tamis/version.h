// SPDX-License-Identifier: Apache-2.0
//
// The library version. The macros give it at compile time, GetVersion() for the
// shared library loaded at run time.
#pragma once

#include <string>

#include "tamis/export.h"

// The parts of the version.
#define TAMIS_MAJOR 0
#define TAMIS_MINOR 1
#define TAMIS_PATCH 0

namespace tamis {

// Returns "MAJOR.MINOR.PATCH".
TAMIS_EXPORT std::string GetVersion();

}  // namespace tamis
