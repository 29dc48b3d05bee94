// SPDX-License-Identifier: Apache-2.0
//
// Many sorted walks as one. Entries of equal internal keys do not occur among
// the children of one database.
#pragma once

#include <memory>
#include <vector>

#include "table/internal_iterator.h"
#include "table/internal_key.h"

namespace tamis {

// A child that fails makes the whole invalid, with its Status: what the others
// hold may be hidden by what could not be read.
std::unique_ptr<InternalIterator> NewMergingIterator(
    const KeyOrder& order,
    std::vector<std::unique_ptr<InternalIterator>> children);

}  // namespace tamis
