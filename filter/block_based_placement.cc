// SPDX-License-Identifier: Apache-2.0
#include "filter/block_based_placement.h"

#include <limits>
#include <optional>

#include "util/coding/coding.h"

namespace tamis {

namespace {

constexpr unsigned kBaseLog2 = 11;
constexpr uint64_t kBase = uint64_t{1} << kBaseLog2;
constexpr size_t kTrailerBytes = sizeof(uint32_t) + 1;

// Returns the chunk for a data block at this offset, or nullopt if the block is
// malformed or the offset out of range.
std::optional<Slice> FindChunk(const Slice& block, uint64_t data_block_offset) {
  if (block.size() < kTrailerBytes) return std::nullopt;
  const size_t trailer = block.size() - kTrailerBytes;
  const uint32_t offsets_start = DecodeFixed32(block.data() + trailer);
  if (offsets_start > trailer) return std::nullopt;
  const uint64_t num_chunks = (trailer - offsets_start) / sizeof(uint32_t);
  const auto base_log2 = static_cast<uint8_t>(block[block.size() - 1]);
  if (base_log2 >= 64) return std::nullopt;
  const uint64_t index = data_block_offset >> base_log2;
  if (index >= num_chunks) return std::nullopt;

  // The offsets are followed by offsets_start, the end of the last chunk.
  const char* const entry =
      block.data() + offsets_start + index * sizeof(uint32_t);
  const uint32_t start = DecodeFixed32(entry);
  const uint32_t limit = DecodeFixed32(entry + sizeof(uint32_t));
  if (start == limit) return Slice();
  if (start > limit || limit > offsets_start) return std::nullopt;
  return Slice(block.data() + start, limit - start);
}

Status CheckOffset(size_t offset) {
  if (offset <= std::numeric_limits<uint32_t>::max()) return Status::OK();
  return Status::NotSupported(
      "a block-based filter holds at most 4 GiB: write smaller tables or use "
      "a full filter");
}

}  // namespace

BlockBasedFilterWriter::BlockBasedFilterWriter(const FilterPlan& plan)
    : entries_(plan.entries()), builder_(plan.new_builder()) {}

void BlockBasedFilterWriter::StartDataBlock(uint64_t file_offset) {
  while (status_.ok() && file_offset / kBase > offsets_.size()) {
    status_ = CloseChunk();
  }
}

void BlockBasedFilterWriter::Add(const FilterKey& key) {
  const size_t added = entries_.Add(key, builder_.get());
  num_keys_ += added;
  if (added != 0) chunk_has_keys_ = true;
}

Status BlockBasedFilterWriter::EndDataBlock(const Slice* /*next_key*/,
                                            bool /*cut*/,
                                            FilterSink& /*sink*/) {
  return status_;
}

Status BlockBasedFilterWriter::CloseChunk() {
  TAMIS_RETURN_IF_ERROR(CheckOffset(chunks_.size()));
  offsets_.push_back(static_cast<uint32_t>(chunks_.size()));
  entries_.NextChunk();
  if (!chunk_has_keys_) return Status::OK();
  Result<std::string> chunk = builder_->Finish();
  if (!chunk.ok()) return chunk.status();
  chunks_ += *chunk;
  chunk_has_keys_ = false;
  return Status::OK();
}

Status BlockBasedFilterWriter::Finish(FilterSink& sink) {
  TAMIS_RETURN_IF_ERROR(status_);
  if (chunk_has_keys_) TAMIS_RETURN_IF_ERROR(CloseChunk());
  if (num_keys_ == 0) return Status::OK();
  TAMIS_RETURN_IF_ERROR(CheckOffset(chunks_.size()));
  std::string block = std::move(chunks_);
  const auto offsets_start = static_cast<uint32_t>(block.size());
  TAMIS_CHECK(!offsets_.empty());
  TAMIS_CHECK(offsets_.back() <= offsets_start);
  for (uint32_t offset : offsets_) PutFixed32(&block, offset);
  PutFixed32(&block, offsets_start);
  block.push_back(static_cast<char>(kBaseLog2));
  return sink.WriteFilter(0, PendingFilter(std::move(block)),
                          /*last_key=*/nullptr);
}

bool BlockBasedFilterReader::BlockMayMatch(const FilterKey& key,
                                           uint64_t data_block_offset,
                                           const ReadContext& context) const {
  if (!opener_.known() && policy_ == nullptr) return true;
  const Result<PinnedBytes> block = source().LoadFor(key.user_key(), context);
  if (!block.ok()) return true;
  const std::optional<Slice> chunk =
      FindChunk(block->bytes(), data_block_offset);
  if (!chunk) return true;
  if (policy_ == nullptr) return opener_.Open(*chunk).MayMatch(key);
  return !chunk->empty() && policy_->KeyMayMatch(key.user_key(), *chunk);
}

}  // namespace tamis
