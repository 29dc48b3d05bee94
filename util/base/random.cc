// SPDX-License-Identifier: Apache-2.0
#include "util/base/random.h"

#include <sys/random.h>
#include <unistd.h>

#include "util/base/check.h"

namespace tamis {

uint64_t RandomSeedFromSystem() {
  uint64_t seed = 0;
  TAMIS_CHECK(getentropy(&seed, sizeof(seed)) == 0);
  return seed;
}

}  // namespace tamis
