// SPDX-License-Identifier: Apache-2.0
//
// A FilterBuilder that probes the finished filter for every key that went into
// it: BlockBasedTableOptions::detect_filter_construct_corruption. A filter that
// denies a key hides its entry from reads, and no checksum finds that.
#pragma once

#include <memory>

#include "filter/filter_codec.h"

namespace tamis {

// Returns a builder of the codec's filters whose Finish returns Corruption if a
// key does not match. Keeps 16 bytes more of each key until then. The codec
// must outlive the builder.
std::unique_ptr<FilterBuilder> NewCheckedBuilder(const FilterCodec* codec,
                                                 double bits_per_key);

}  // namespace tamis
