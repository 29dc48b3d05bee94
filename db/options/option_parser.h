// SPDX-License-Identifier: Apache-2.0
//
// Applies names and values to a struct of options, and prints a struct.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tamis/convenience.h"
#include "tamis/status.h"

#include "db/options/option_text.h"

namespace tamis {

// Sets the fields that are named, in order. A name may have the form
// struct.field. With mutable_options_only, the value of a field that is fixed
// must be the present one. The message of an error begins with the name. After
// an error, some fields are set.
template <typename Struct>
Status ApplyOptions(const ConfigOptions& config, const OptionPairs& pairs,
                    Struct* options);

// Makes *factory one of this kind ("BlockBasedTable"), with these options;
// others are those of the present factory, if it is of the same kind.
// NotSupported: an unknown kind, unless config.ignore_unsupported_options.
Status ApplyTableOptions(const ConfigOptions& config, std::string_view kind,
                         const OptionPairs& pairs,
                         std::shared_ptr<TableFactory>* factory);

// Returns whether the name is one of DBOptions and not of ColumnFamilyOptions:
// a field, or else an option that Tamis lacks.
bool IsDatabaseOption(std::string_view name);

// Returns "name=value<delimiter>" for each field that has a text; with
// mutable_options_only, for those that may change.
template <typename Struct>
std::string PrintOptions(const ConfigOptions& config, const Struct& options);

}  // namespace tamis
