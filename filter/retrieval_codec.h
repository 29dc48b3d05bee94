// SPDX-License-Identifier: Apache-2.0
//
// The common part of Tamis's own point filters. Each maps a key's hash to a few
// positions of a table, and stores values there such that a function of them
// gives the key's result, r bits of its hash. An absent key gives the right
// result with probability 2^-r.
//
//   filter   │ body, in the codec's layout │ trailer, 16 bytes │
//   trailer  │ u64 entries │ u16 r * 256 │ u8 seed │ marker │ 0 0 0 0 │
//
// The sizes are functions of the entries and of r. Where FastLocalBloom is
// smaller, or if no seed works, the filter is FastLocalBloom in the same
// family; the marker, five bytes before the end in both, tells them apart.
// Estimates assume that a seed works, as one of 256 nearly always does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "filter/filter_codec.h"

namespace tamis {

// What the trailer says.
struct RetrievalShape {
  uint64_t entries = 0;  // with duplicates that are not adjacent; at least 1
  uint16_t result_bits = 0;  // r in units of 1/256
  uint8_t seed = 0;
};

inline constexpr size_t kRetrievalTrailerBytes = 16;
inline constexpr uint64_t kRetrievalEntriesMax = uint64_t{1} << 31;
// A wanted rate comes from a number of bits per key, and is inexact. Codecs
// that round results up to whole bits allow for this part of a bit.
inline constexpr double kResultBitsError = 1e-6;

// Any thread.
class RetrievalCodec : public FilterCodec {
 public:
  std::string_view name() const final { return name_; }
  std::string_view family() const final { return family_; }
  // Returns the byte by which filters of this codec differ from others.
  int8_t marker() const { return marker_; }
  std::unique_ptr<FilterBuilder> NewBuilder(double bits_per_key) const final;
  size_t EstimateSizeBytes(double bits_per_key, size_t keys) const final;
  size_t KeysThatFit(double bits_per_key, size_t bytes) const final;
  FilterView Open(const Slice& filter) const final;
  double PredictedFalsePositiveRate(const Slice& filter,
                                    size_t num_keys) const final;
  std::string Parameters(const Slice& filter) const final;

 protected:
  // The family begins with "tamis."; each codec has a marker of its own.
  RetrievalCodec(std::string_view name, std::string_view family, int8_t marker)
      : name_(name), family_(family), marker_(marker) {}

 private:
  class Builder;

  // Returns r for a false-positive rate of 1 / one_in, as near as the codec
  // can; at least 1 bit.
  virtual uint16_t ResultBits(double one_in) const = 0;
  // Returns the size of the body, whatever the seed; nullopt if the codec
  // stores no such filter.
  virtual std::optional<uint64_t> BodyBytes(
      const RetrievalShape& shape) const = 0;
  // Writes the body, BodyBytes(shape) zero bytes at the call. Returns false if
  // this seed has no solution. May reorder the hashes. At most shape.entries
  // hashes; they may repeat until a seed has failed, and are distinct from then
  // on. The helpers may run a part of the work; the body does not depend on
  // them.
  virtual bool Build(std::span<uint64_t> hashes, const RetrievalShape& shape,
                     const Helpers& helpers, char* body) const = 0;
  // Returns a view of the body; FilterView::AlwaysMatch() if its size is not
  // BodyBytes(shape). Lookups open a filter of the block cache for every probe.
  virtual FilterView OpenBody(const RetrievalShape& shape,
                              const Slice& body) const = 0;
  // Returns the false-positive rate, apart from equal hashes.
  virtual double Rate(const RetrievalShape& shape) const = 0;

  // Returns what the trailer says, whatever the size of the body; nullopt if it
  // is no trailer of this codec.
  std::optional<RetrievalShape> ParseTrailer(const Slice& filter) const;
  // Returns nullopt if the bytes are no filter of this codec.
  std::optional<RetrievalShape> Parse(const Slice& filter) const;
  std::optional<uint64_t> BodyBytesIfSmaller(const RetrievalShape& shape,
                                             double bits_per_key) const;

  const std::string_view name_;
  const std::string_view family_;
  const int8_t marker_;
};

}  // namespace tamis
