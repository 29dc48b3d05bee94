// SPDX-License-Identifier: Apache-2.0
#include "tamis/version.h"

namespace tamis {

std::string GetVersion() {
  return std::to_string(TAMIS_MAJOR) + "." + std::to_string(TAMIS_MINOR) + "." +
         std::to_string(TAMIS_PATCH);
}

}  // namespace tamis
