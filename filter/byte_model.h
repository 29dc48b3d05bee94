// SPDX-License-Identifier: Apache-2.0
//
// A model of how frequent each byte is in a set of strings, and an arithmetic
// code under it that preserves the order of strings.
//
//   shares   divide [0, 2^15) among the end of a string and the bytes from the
//            least to the greatest of the set, by frequency
//   code     the shares divide [0, 2^56); the part of the first byte is divided
//            in the same way for the second, and so on; the code of a string is
//            where its part begins
//
// The codes of strings that resemble the set spread evenly. They are computed
// with integers only, so that they are the same on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tamis/slice.h"

#include "util/coding/coding.h"

namespace tamis {

inline constexpr int kByteCodeBits = 56;
inline constexpr int kByteShareBits = 15;

// Codes strings. Any bytes may be the shares; they must outlive the model. A
// value type; any thread.
class ByteModel {
 public:
  // The least part_min of CodeOf: smaller parts cannot be divided.
  static constexpr uint64_t kPartMin = uint64_t{1} << kByteShareBits;

  // `starts` has a fixed16 for each of `num_bytes` byte values from `first`,
  // where the share of the byte begins, and one where the last share ends.
  ByteModel(const char* starts, uint8_t first, uint32_t num_bytes)
      : starts_(starts), first_(first), num_bytes_(num_bytes) {}

  static size_t StoredSize(uint32_t num_bytes) {
    return (num_bytes + 1) * sizeof(uint16_t);
  }

  // The part of [0, 2^56) that belongs to the bytes read so far.
  struct Code {
    uint64_t begin = 0;
    uint64_t part = uint64_t{1} << kByteCodeBits;  // its size
  };
  // Narrows *code by the bytes s[from, to). Stops when the size of the part
  // becomes smaller than `part_min`. Sets it to 0 and stops at a byte without a
  // share. REQUIRES: part_min >= kPartMin.
  void Read(const Slice& s, size_t from, size_t to, uint64_t part_min,
            Code* code) const {
    for (size_t i = from; i < to && code->part >= part_min; ++i) {
      const uint64_t unit = code->part >> kByteShareBits;
      const uint32_t byte = static_cast<uint8_t>(s[i]);
      const uint32_t at = byte - first_;
      if (at >= num_bytes_) {  // no share: between the others
        code->begin += unit * Start(byte < first_ ? 0 : num_bytes_);
        code->part = 0;
        return;
      }
      const uint64_t start = Start(at);
      code->begin += unit * start;
      code->part = unit * (Start(at + 1) - start);
    }
  }

  // Returns the code of s[from, ...). Ignores the bytes after the size of the
  // part becomes smaller than `part_min`. If a <= b and both begin with the
  // same `from` bytes, CodeOf(a) <= CodeOf(b).
  // REQUIRES: from <= s.size(), part_min >= kPartMin.
  uint64_t CodeOf(const Slice& s, size_t from, uint64_t part_min) const {
    Code code;
    Read(s, from, s.size(), part_min, &code);
    return code.begin;
  }

 private:
  uint64_t Start(uint32_t at) const {
    return DecodeFixed16(starts_ + at * sizeof(uint16_t));
  }

  const char* starts_;
  uint32_t first_;
  uint32_t num_bytes_;
};

// Counts bytes and makes a model. One thread. Calls: Add* Finish
class ByteModelTrainer {
 public:
  // Returns the step at which keys of n are to be counted: a sample is enough.
  static size_t StepOf(size_t n) {
    constexpr size_t kTrainingKeys = 16384;
    return n < kTrainingKeys ? 1 : n / kTrainingKeys;
  }

  // Counts the first kBytesCounted bytes of s[from, ...).
  void Add(const Slice& s, size_t from);
  // Appends the shares of a model to *out.
  void Finish(std::string* out);

  // Of the model, after Finish.
  uint8_t first() const { return first_; }
  uint32_t num_bytes() const { return num_bytes_; }

 private:
  // Codes end soon after the first bytes that differ.
  static constexpr size_t kBytesCounted = 8;

  uint64_t ends_ = 0;
  std::array<uint64_t, 256> counts_{};
  uint8_t first_ = 0;
  uint32_t num_bytes_ = 1;
};

}  // namespace tamis
