// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's full filter for tables of format_version below 5: the k bits of a
// key lie in one line, and the number of lines is odd.
//
//   ┌────────┬────────┬─────┬────────┬───┬─────────────┐
//   │ line 0 │ line 1 │ ... │ line   │ k │ lines (u32) │   k: 1 to 127
//   └────────┴────────┴─────┴────────┴───┴─────────────┘
//
// A line is 64 bytes where we write it. Files from machines with other cache
// lines have other lines: any power of two is read.
#pragma once

#include "filter/filter_codec.h"

namespace tamis {

const FilterCodec* CacheLocalBloomCodec();

}  // namespace tamis
