// SPDX-License-Identifier: Apache-2.0
//
// The flags of mixgraph, by the names and with the defaults of RocksDB's
// db_bench.
#pragma once

#include <cstdint>

#include "tamis/status.h"

#include "tools/tamis_db_bench/benchmarks.h"

namespace tamis::bench {

// Sets *mix to what the flags say, for `num` keys. InvalidArgument names the
// flag.
Status MixOfFlags(uint64_t num, MixSettings* mix);

}  // namespace tamis::bench
