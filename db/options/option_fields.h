// SPDX-License-Identifier: Apache-2.0
//
// The tables of all options that have a text.
#pragma once

#include "tamis/options.h"
#include "tamis/table.h"

#include "db/options/option_field.h"

namespace tamis {

// The table of a struct, one of those below.
template <typename Struct>
const OptionTable<Struct>& OptionTableOf();

template <>
const OptionTable<DBOptions>& OptionTableOf();
template <>
const OptionTable<ColumnFamilyOptions>& OptionTableOf();
template <>
const OptionTable<CompressionOptions>& OptionTableOf();
template <>
const OptionTable<CompactionOptionsUniversal>& OptionTableOf();
template <>
const OptionTable<CompactionOptionsFIFO>& OptionTableOf();
template <>
const OptionTable<MetadataCacheOptions>& OptionTableOf();
template <>
const OptionTable<BlockBasedTableOptions>& OptionTableOf();
template <>
const OptionTable<PlainTableOptions>& OptionTableOf();
template <>
const OptionTable<CuckooTableOptions>& OptionTableOf();

}  // namespace tamis
