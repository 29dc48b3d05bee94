// SPDX-License-Identifier: Apache-2.0
//
// A SliceTransform takes the prefix out of a key, so that a filter can answer
// for all keys that begin alike. Its name is stored in every table: a prefix
// filter is asked only by a database that opens with the extractor it was
// written with.
//
// Threads: immutable, any thread at once.
// Lifetime: outlives every database and every file object that uses it.
#pragma once

#include <cstddef>
#include <string>

#include "tamis/slice.h"

namespace tamis {

class SliceTransform {
 public:
  virtual ~SliceTransform();

  // Names the rule, without its parameters: "rocksdb.FixedPrefix".
  virtual const char* Name() const = 0;
  // Names rule and parameters, as in the property
  // rocksdb.prefix.extractor.name: "rocksdb.FixedPrefix.8". Changes whenever
  // any prefix does. Default: Name().
  virtual std::string GetId() const;

  // The prefix of `key`: a part of its bytes, and the same for all keys that
  // belong together. Keys with one prefix stand together in the order of keys.
  // REQUIRES: InDomain(key)
  virtual Slice Transform(const Slice& key) const = 0;
  // Whether the key has a prefix.
  virtual bool InDomain(const Slice& key) const = 0;

  // Whether every prefix is of one length, or cut at one, and which.
  virtual bool FullLengthEnabled(size_t* /*length*/) const { return false; }
};

// The first `prefix_length` bytes; shorter keys have no prefix. The caller
// (usually a shared_ptr) deletes it. "rocksdb.FixedPrefix.<n>".
const SliceTransform* NewFixedPrefixTransform(size_t prefix_length);
// The first `cap_length` bytes, or the whole of a shorter key.
// "rocksdb.CappedPrefix.<n>".
const SliceTransform* NewCappedPrefixTransform(size_t cap_length);
// The whole key. "rocksdb.Noop".
const SliceTransform* NewNoopTransform();

}  // namespace tamis
