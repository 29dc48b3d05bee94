// SPDX-License-Identifier: Apache-2.0
#include "tools/filter_bench/filter_format.h"

namespace tamis {

FilterFormats NewPeerFormats(double /*bits_per_key*/) { return {}; }

}  // namespace tamis
