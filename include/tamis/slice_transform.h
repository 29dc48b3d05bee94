// SPDX-License-Identifier: Apache-2.0
//
// A SliceTransform extracts a prefix from each key, so that a filter can answer
// for all keys with a common prefix. Its name is stored in every table: a
// prefix filter is used only if the database is opened with the extractor that
// the table was written with.
//
// Threads: immutable, any thread.
// Lifetime: must outlive every database and every file object that uses it.
#pragma once

#include <cstddef>
#include <string>

#include "tamis/slice.h"

namespace tamis {

class SliceTransform {
 public:
  virtual ~SliceTransform();

  // The rule, without parameters: "rocksdb.FixedPrefix".
  virtual const char* Name() const = 0;
  // Rule and parameters, as in the property rocksdb.prefix.extractor.name:
  // "rocksdb.FixedPrefix.8". Must change whenever any prefix changes. Default:
  // Name().
  virtual std::string GetId() const;

  // Returns the prefix of `key`, a range of its bytes. Keys with equal prefixes
  // must be contiguous in the key order.
  // REQUIRES: InDomain(key)
  virtual Slice Transform(const Slice& key) const = 0;
  // True if the key has a prefix.
  virtual bool InDomain(const Slice& key) const = 0;

  // True, and sets *length, if every prefix has that length or is capped at it.
  virtual bool FullLengthEnabled(size_t* /*length*/) const { return false; }
};

// The first `prefix_length` bytes; shorter keys are out of domain. The caller
// (usually a shared_ptr) deletes it. "rocksdb.FixedPrefix.<n>".
const SliceTransform* NewFixedPrefixTransform(size_t prefix_length);
// The first `cap_length` bytes, or the whole of a shorter key.
// "rocksdb.CappedPrefix.<n>".
const SliceTransform* NewCappedPrefixTransform(size_t cap_length);
// The whole key. "rocksdb.Noop".
const SliceTransform* NewNoopTransform();

}  // namespace tamis
