// SPDX-License-Identifier: Apache-2.0
//
// HomogeneousRibbon is the homogeneous Ribbon filter (P. C. Dillinger, S.
// Walzer, "Ribbon filter: practically smaller than Bloom and Xor", 2021): every
// key's result is zero, so that equations never contradict each other. Rows
// that no equation determines are random; otherwise, all rows would be zero.
//
//   body     │ words in blocks (ribbon64.h) │
//
// It takes about 10 % more rows than keys. With fewer, stretches of rows where
// keys crowd are determined too far: absent keys that start there match more
// often. The builder measures that, and takes another seed if the filter would
// err more than predicted, which happens to one set in 20 to 100 at seven
// columns.
#pragma once

#include "filter/filter_codec.h"
#include "filter/ribbon_probe.h"

namespace tamis {

const FilterCodec* HomogeneousRibbonCodec();

// The probes of its views, for tests and benchmarks.
RibbonProbes HomogeneousRibbonProbes();

}  // namespace tamis
