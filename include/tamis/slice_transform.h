// SPDX-License-Identifier: Apache-2.0
//
// A SliceTransform extracts a prefix from each key, so that a filter can answer
// for all keys with a common prefix. Every table stores its id. A prefix filter
// is used only if the database is opened with the extractor that the table was
// written with.
//
// Threads: any. A SliceTransform is immutable.
// Lifetime: must outlive every database and every file object that uses it.
#pragma once

#include <cstddef>
#include <string>

#include "tamis/export.h"
#include "tamis/slice.h"

namespace tamis {

class TAMIS_EXPORT SliceTransform {
 public:
  virtual ~SliceTransform();

  // Returns the rule without parameters, such as "rocksdb.FixedPrefix".
  virtual const char* Name() const = 0;
  // Returns rule and parameters, such as "rocksdb.FixedPrefix.8", by default
  // Name(). The property rocksdb.prefix.extractor.name records it. It must
  // change whenever any prefix changes.
  virtual std::string GetId() const;

  // Returns the prefix of `key`, a range of its bytes. Keys with equal prefixes
  // must be contiguous in the key order.
  // REQUIRES: InDomain(key)
  virtual Slice Transform(const Slice& key) const = 0;
  // Returns whether the key has a prefix.
  virtual bool InDomain(const Slice& key) const = 0;

  // Returns whether every prefix has one length or is capped at it, and sets
  // *length to it.
  virtual bool FullLengthEnabled(size_t* /*length*/) const { return false; }
};

// Creates an extractor of the first `prefix_length` bytes; shorter keys are not
// in its domain. Its id is "rocksdb.FixedPrefix.<n>". The caller (usually a
// shared_ptr) deletes it, as with the two below.
TAMIS_EXPORT const SliceTransform* NewFixedPrefixTransform(
    size_t prefix_length);
// Creates an extractor of the first `cap_length` bytes, or of a whole shorter
// key. Its id is "rocksdb.CappedPrefix.<n>".
TAMIS_EXPORT const SliceTransform* NewCappedPrefixTransform(size_t cap_length);
// Creates an extractor of the whole key. Its id is "rocksdb.Noop".
TAMIS_EXPORT const SliceTransform* NewNoopTransform();

}  // namespace tamis
