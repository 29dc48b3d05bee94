// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/open_loop.h"

#include <cmath>

namespace tamis::peers {

uint64_t PoissonArrivals::Next() {
  // 53 random bits, in (0, 1].
  const double uniform =
      static_cast<double>((random_.Next() >> 11) + 1) * 0x1p-53;
  now_ -= mean_nanos_ * std::log(uniform);
  return static_cast<uint64_t>(now_);
}

}  // namespace tamis::peers
