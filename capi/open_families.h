// SPDX-License-Identifier: Apache-2.0
//
// An open with column families: their names and options come, and their handles
// go, in C arrays.
#pragma once

#include <memory>
#include <vector>

#include "tamis/column_family.h"

#include "capi/types.h"

namespace tamis::capi {

// Returns open(families, take), a database or nullptr, and fills the handles;
// all are nullptr without a database. `open` calls families() for the
// descriptors, where an exception is reported, then take(handles).
template <typename Open>
auto WithFamilies(int count, const char* const* names,
                  const tamis_options_t* const* options,
                  tamis_column_family_handle_t** handles, const Open& open) {
  // Made before the open, so that nothing can fail after it.
  std::vector<std::unique_ptr<tamis_column_family_handle_t>> made;
  const auto families = [&] {
    std::vector<ColumnFamilyDescriptor> all;
    for (int i = 0; i < count; ++i) {
      all.emplace_back(names[i], options[i]->rep);
      made.push_back(std::make_unique<tamis_column_family_handle_t>());
    }
    return all;
  };
  const auto take = [&](const std::vector<ColumnFamilyHandle*>& reps) {
    for (size_t i = 0; i < reps.size(); ++i) *made[i] = {reps[i], true};
  };
  auto* const db = open(families, take);
  for (int i = 0; i < count; ++i) {
    handles[i] =
        db == nullptr ? nullptr : made[static_cast<size_t>(i)].release();
  }
  return db;
}

}  // namespace tamis::capi
