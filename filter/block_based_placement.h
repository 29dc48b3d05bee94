// SPDX-License-Identifier: Apache-2.0
//
// LevelDB's placement stores one small filter, a chunk, for the data blocks
// that begin within the same 2 KiB of the file.
//
//   ┌─────────┬─────┬─────────┬────────────────┬────────────────┬─────────┐
//   │ chunk 0 │ ... │ chunk n │ u32 offset × n │ u32 start of   │ 0b      │
//   │         │     │         │ of the chunks  │ the offsets    │ log2 of │
//   └─────────┴─────┴─────────┴────────────────┴────────────────┴─────────┘
//                                                                 2 KiB
// A chunk without keys is empty: its offset equals the next one. The start of
// the offsets doubles as the end of the last chunk.
//
// A lookup finds the data block in the index first, then probes the chunk: the
// filter saves reading the data block, not the index.
#pragma once

#include <string>
#include <vector>

#include "filter/filter_placement.h"

namespace tamis {

// Writes a block-based filter. One thread. If StartDataBlock is called once
// more at the end of the data, before Finish, the filter ends with the same
// empty chunks as LevelDB's.
class BlockBasedFilterWriter final : public FilterBlockWriter {
 public:
  explicit BlockBasedFilterWriter(const FilterPlan& plan);

  FilterPlacement placement() const override {
    return FilterPlacement::kBlockBased;
  }
  void StartDataBlock(uint64_t file_offset) override;
  void Add(const FilterKey& key) override;
  bool WantsCut() const override { return false; }
  Status EndDataBlock(const Slice* next_key, bool cut,
                      FilterSink& sink) override;
  Status Finish(FilterSink& sink) override;
  // Counts duplicates too, since they take space in a chunk.
  uint64_t num_keys() const override { return num_keys_; }
  size_t ApproximateMemoryUsage() const override {
    return builder_->ApproximateMemoryUsage() + chunks_.capacity() +
           offsets_.capacity() * sizeof(uint32_t);
  }

 private:
  Status CloseChunk();

  ChunkEntries entries_;
  const std::unique_ptr<FilterBuilder> builder_;
  bool chunk_has_keys_ = false;
  uint64_t num_keys_ = 0;
  std::string chunks_;
  std::vector<uint32_t> offsets_;
  Status status_;  // of the first chunk that failed to build
};

class BlockBasedFilterReader final : public FilterBlockReader {
 public:
  BlockBasedFilterReader(const FilterLocator& where, const FilterSource* source)
      : FilterBlockReader(FilterPlacement::kBlockBased, source),
        opener_(where),
        policy_(nullptr) {}
  // Reads chunks in a user's format through `policy`, which must outlive *this.
  BlockBasedFilterReader(const FilterPolicy* policy, const FilterSource* source)
      : FilterBlockReader(FilterPlacement::kBlockBased, source),
        opener_({FilterPlacement::kBlockBased, std::string()}),
        policy_(policy) {}

  bool BlockMayMatch(const FilterKey& key, uint64_t data_block_offset,
                     const ReadContext& context) const override;

 private:
  const FilterOpener opener_;
  const FilterPolicy* const policy_;
};

}  // namespace tamis
