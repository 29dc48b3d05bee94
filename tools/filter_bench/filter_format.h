// SPDX-License-Identifier: Apache-2.0
//
// A FilterFormat builds and probes the filters of one format. Our codecs
// implement it, and so do the formats of RocksDB and LevelDB.
//
//   keys ─▶ FilterFormat::Build ─▶ bytes ─▶ Open ─▶ OpenFilter ─▶ match?
//
// A probe takes a key and hashes it: other libraries cannot be asked with a
// hash.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/slice.h"

namespace tamis {

// One thread.
class ProbedFilter {
 public:
  virtual ~ProbedFilter() = default;
  // By value: a probe that loads both words at once would wait for the stores
  // of a caller that has just made the Slice.
  virtual bool MayMatch(Slice key) const = 0;
  // Probes for all keys, as a MultiGet does, and returns how many match.
  virtual size_t CountMatches(std::span<const Slice> keys) const = 0;
};

// Which keys share a filter.
enum class KeyGroups {
  kTable,      // all
  kPartition,  // as many as fit into 4 KiB: a partitioned filter
  kBlock,      // those of 2 KiB of data: LevelDB's block-based filter
};
const char* NameOf(KeyGroups groups);

class FilterFormat {
 public:
  virtual ~FilterFormat() = default;
  // Whose it is, "tamis", and its name, "Ribbon".
  virtual std::string_view engine() const = 0;
  virtual std::string_view name() const = 0;
  // The ways in which an engine uses it.
  virtual std::vector<KeyGroups> groups() const = 0;

  // Keys ascend.
  virtual std::string Build(std::span<const Slice> keys) const = 0;
  // `bytes` must outlive the result, and are aligned as the engine aligns them
  // in memory.
  virtual std::unique_ptr<ProbedFilter> Open(Slice bytes) const = 0;
  virtual size_t alignment() const = 0;
  // How many keys fit into a filter of this size.
  virtual size_t KeysThatFit(size_t bytes) const = 0;
  // What theory says of the filter; nullopt: the engine does not tell.
  virtual std::optional<double> PredictedRate(const std::string& bytes,
                                              size_t keys) const = 0;
};

using FilterFormats = std::vector<std::unique_ptr<FilterFormat>>;

// Ours, each at the rate of a Bloom filter of bits_per_key, or the next
// lower rate that it has.
FilterFormats NewCodecFormats(double bits_per_key);
// Those of RocksDB and LevelDB. Defined only where these are installed, with
// TAMIS_BENCH_WITH_PEERS.
FilterFormats NewPeerFormats(double bits_per_key);

}  // namespace tamis
