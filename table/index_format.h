// SPDX-License-Identifier: Apache-2.0
//
// What an index block holds: separators and handles.
//
//   last key of block i <= separator i < first key of block i + 1
//
// Separators are user keys, unless two neighbouring blocks share a user key:
// then every separator of the file is an internal key. Handles are
// delta-encoded (block.h) or stand as ordinary values. The two facts are
// properties of the file; they hold for its index, the partitions of it, their
// top level, and the index of filter partitions alike.
#pragma once

#include "tamis/table_properties.h"

#include "table/block.h"

namespace tamis {

// Immutable; any thread.
class IndexFormat {
 public:
  // `order` outlives *this.
  IndexFormat(const TableProperties& properties, const KeyOrder* order);

  const BlockFormat& top_level() const { return top_level_; }
  const BlockFormat& leaf() const { return leaf_; }
  bool two_level() const { return two_level_; }
  bool user_keys() const { return leaf_.keys == BlockFormat::Keys::kUser; }

  // An internal key as the index compares it.
  Slice Target(const Slice& internal_key) const {
    return user_keys() ? ExtractUserKey(internal_key) : internal_key;
  }

 private:
  bool two_level_;
  BlockFormat leaf_;
  BlockFormat top_level_;
};

// The handle an index entry holds, in either form. False: malformed.
bool HandleOf(const BlockIterator& entry, const BlockFormat& format,
              BlockHandle* handle);

}  // namespace tamis
