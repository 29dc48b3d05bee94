// SPDX-License-Identifier: Apache-2.0
//
// CacheLocalBloom is RocksDB's full filter for tables of format_version < 5.
// All k bits of a key lie in one line. The number of lines is odd.
//
//   ┌────────┬────────┬─────┬────────┬───┬─────────────┐
//   │ line 0 │ line 1 │ ... │ line   │ k │ lines (u32) │   k: 1 to 127
//   └────────┴────────┴─────┴────────┴───┴─────────────┘
//
// Tamis writes lines of 64 bytes. RocksDB writes other sizes on machines with
// other cache lines; any power of two is readable.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

const FilterCodec* CacheLocalBloomCodec();

}  // namespace tamis
