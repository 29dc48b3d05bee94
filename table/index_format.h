// SPDX-License-Identifier: Apache-2.0
//
// The format of index blocks, whose entries map separators to handles.
//
//   last key of block i <= separator i < first key of block i + 1
//
// From format_version 3 on, separators are user keys, unless two adjacent
// blocks share a user key. Otherwise every separator of the file is an internal
// key. Handles are delta-encoded (block.h) or length-prefixed. The table's
// properties name both choices, which hold for the index, its partitions, their
// top level, and the index of filter partitions alike. In a
// kBinarySearchWithFirstKey index with delta-encoded handles, the first key of
// the data block follows each handle.
#pragma once

#include "tamis/table_properties.h"

#include "table/block.h"

namespace tamis {

// Immutable; any thread.
class IndexFormat {
 public:
  // `order` must outlive *this and all copies of its formats.
  IndexFormat(const TableProperties& properties, const KeyOrder* order);

  const BlockFormat& top_level() const { return top_level_; }
  const BlockFormat& leaf() const { return leaf_; }
  bool two_level() const { return two_level_; }
  bool user_keys() const { return leaf_.keys == BlockFormat::Keys::kUser; }

  // Returns the part of an internal key that the index compares.
  Slice Target(const Slice& internal_key) const {
    return user_keys() ? ExtractUserKey(internal_key) : internal_key;
  }

 private:
  bool two_level_;
  BlockFormat leaf_;
  BlockFormat top_level_;
};

// Sets *handle to the handle of an index entry. Returns false if a
// length-prefixed handle is malformed; BlockIterator checks the other forms.
// REQUIRES: entry.Valid(); the iterator was opened with `format`.
bool HandleOf(const BlockIterator& entry, const BlockFormat& format,
              BlockHandle* handle);

}  // namespace tamis
