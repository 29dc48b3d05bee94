// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "table/block_builder.h"
#include "table/table_builder_rep.h"
#include "table/table_file_writer.h"
#include "util/base/check.h"
#include "util/coding/checksum.h"
#include "util/coding/shared_prefix.h"
#include "util/compression/compression.h"

namespace tamis {

namespace {

// Keeps offsets in a block below 2^32, whatever is added.
constexpr uint64_t kEntryBytesMax = uint64_t{3} << 30;

// Maximum bytes of full data blocks waiting to be written. Enough to keep a
// woken thread busy; little enough to stay in a core's cache.
constexpr uint64_t kFullBlockBytesMax = 128 << 10;

// Maximum number of full blocks, including the one being written; 1 without
// helpers.
size_t FullBlocksMax(const TableBuildOptions& options) {
  if (!options.helpers.schedule || options.table.block_size == 0) return 1;
  return static_cast<size_t>(std::clamp<uint64_t>(
      kFullBlockBytesMax / options.table.block_size, 2, 32));
}

// Larger blocks are written immediately, to limit memory.
uint64_t LargeBlockBytes(const TableBuildOptions& options) {
  return std::max(kFullBlockBytesMax, 2 * options.table.block_size);
}

// Hash indexes need keys that are equal only if their bytes are.
bool HasHashIndex(const TableBuildOptions& options) {
  return options.table.data_block_index_type ==
             BlockBasedTableOptions::kDataBlockBinaryAndHash &&
         options.order.equal_keys_have_equal_bytes();
}

BlockBuilder::Options DataBlockOptions(const TableBuildOptions& options) {
  return {
      .restart_interval = options.table.block_restart_interval,
      .share_prefixes = options.table.use_delta_encoding,
      .hash_util_ratio = HasHashIndex(options)
                             ? options.table.data_block_hash_table_util_ratio
                             : 0};
}

}  // namespace

Status CheckTableOptions(const TableBuildOptions& options) {
  const BlockBasedTableOptions& table = options.table;
  const auto bad = [&](const std::string& what) {
    return Status::InvalidArgument(options.file_name, what);
  };
  if (table.block_restart_interval < 1) {
    return bad("block_restart_interval is below 1");
  }
  if (table.block_size == 0 || table.block_size > kEntryBytesMax / 3) {
    return bad("block_size is 0 or above 1 GiB");
  }
  if (table.index_block_restart_interval < 1) {
    return bad("index_block_restart_interval is below 1");
  }
  if (table.block_align && (table.block_size & (table.block_size - 1)) != 0) {
    return bad("block_align, but block_size " +
               std::to_string(table.block_size) + " is no power of two");
  }
  if (table.block_align && options.compression != kNoCompression) {
    return bad("block_align together with compression");
  }
  if (HasHashIndex(options) && !(table.data_block_hash_table_util_ratio > 0)) {
    return bad("data_block_hash_table_util_ratio is not above 0");
  }
  if (table.range_filter > BlockBasedTableOptions::kSurf) {
    return bad("unknown range_filter " +
               std::to_string(static_cast<int>(table.range_filter)));
  }
  if (!(table.range_filter_bits_per_key >= 4 &&
        table.range_filter_bits_per_key <= 32)) {
    return bad("range_filter_bits_per_key is " +
               std::to_string(table.range_filter_bits_per_key) +
               ", expected 4 to 32");
  }
  if (table.index_type != BlockBasedTableOptions::kBinarySearch &&
      table.index_type != BlockBasedTableOptions::kTwoLevelIndexSearch &&
      table.index_type != BlockBasedTableOptions::kBinarySearchWithFirstKey) {
    return bad("unknown index_type " +
               std::to_string(static_cast<uint32_t>(table.index_type)));
  }
  if (!IsKnownChecksumType(table.checksum)) {
    return bad("unknown checksum type " +
               std::to_string(static_cast<int>(table.checksum)));
  }
  if (table.format_version > kFormatVersionMax) {
    return bad("format_version " + std::to_string(table.format_version) +
               " is above " + std::to_string(kFormatVersionMax));
  }
  if (table.format_version == 0 && table.checksum != kCRC32c) {
    return bad(
        std::string("format_version 0 has no checksum but CRC32c, not ") +
        ChecksumTypeName(table.checksum));
  }
  if (!CompressionSupported(options.compression)) {
    return bad(std::string("this build cannot compress with ") +
               CompressionTypeName(options.compression));
  }
  return Status::OK();
}

namespace {

class BlockBasedTableBuilder final : public TableBuilder::Rep {
 public:
  BlockBasedTableBuilder(const TableBuildOptions& build_options,
                         WritableFile* file)
      : Rep(build_options),
        cut_rule_{options.table.block_size, options.table.block_size_deviation,
                  options.table.block_align},
        never_cut_below_(cut_rule_.NeverCutBelow()),
        large_block_bytes_(LargeBlockBytes(options)),
        writer_(options, file),
        data_block_(writer_.status().ok() ? DataBlockOptions(options)
                                          : BlockBuilder::Options()),
        full_blocks_(FullBlocksMax(options)),
        pipeline_(
            options.helpers, full_blocks_.size(),
            [this](size_t slot) { PassOn(&full_blocks_[slot]); },
            [this] { return writer_.BuildOneFilter(); }) {
    status = writer_.status();
  }

  void Add(const Slice& internal_key, const Slice& value) override;
  void AddRangeDeletion(const Slice& begin, const Slice& end,
                        SequenceNumber sequence) override;
  Status Finish() override;
  void Abandon() override;
  Slice last_key() const override { return data_block_.last_key(); }
  uint64_t EstimatedFileSize() override;
  bool HasReached(uint64_t file_size) override;
  uint64_t FileSize() const override { return writer_.offset(); }
  std::string DescribeFormat() const override { return "block-based"; }
  std::string DescribeFilters() const override {
    return writer_.DescribeFilters();
  }
  const std::string& filter_reason() const override {
    return writer_.filter_reason();
  }

 private:
  // Returns whether the key is greater than the last one, otherwise sets
  // status. Sets *shared to the length of their common prefix.
  bool FollowsLast(const Slice& internal_key, size_t* shared);
  bool CheckSize(size_t entry_bytes);
  bool IsTimeToCut(const Slice& internal_key, const Slice& value) const {
    return data_block_.CurrentSize() >= never_cut_below_ &&
           !data_block_.empty() &&
           cut_rule_.ShouldCut(data_block_, internal_key.size(), value.size());
  }
  // next_key is the next entry's key, empty at the end of the table.
  void EndDataBlock(const Slice& next_key);
  // Called by the pipeline, from one thread at a time.
  void PassOn(RawDataBlock* block);
  // Waits until all full blocks are written, and takes over their error.
  void DrainBlocks();
  void NoteFailure() {
    if (status.ok() && writer_.failed()) status = writer_.status();
  }
  uint64_t OpenBlockBytes() const {
    return data_block_.empty() ? 0 : data_block_.CurrentSize();
  }
  // Returns the block of range tombstones, empty if there are none.
  std::string EncodeTombstones();

  const BlockCutRule cut_rule_;
  const uint64_t never_cut_below_;
  const uint64_t large_block_bytes_;
  TableFileWriter writer_;
  BlockBuilder data_block_;
  // Internal key of the begin, and the end, in the order added.
  std::vector<std::pair<std::string, std::string>> tombstones_;
  size_t tombstone_bytes_ = 0;
  // Upper bound on the file bytes of the full data blocks.
  uint64_t full_block_bytes_ = 0;
  std::vector<RawDataBlock> full_blocks_;
  OrderedPipeline pipeline_;  // of full_blocks_; must be destroyed first
};

bool BlockBasedTableBuilder::FollowsLast(const Slice& internal_key,
                                         size_t* shared) {
  const Slice last = data_block_.last_key();
  if (last.empty()) return true;
  *shared = SharedPrefixLength(last, internal_key);
  const size_t user_bytes =
      std::min(last.size(), internal_key.size()) - kInternalKeyTailBytes;
  // In bytewise order, the first differing byte decides.
  const bool ascending =
      options.order.kind() == KeyOrder::Kind::kBytewise && *shared < user_bytes
          ? static_cast<uint8_t>(last[*shared]) <
                static_cast<uint8_t>(internal_key[*shared])
          : IsAscending(last, internal_key);
  if (ascending) [[likely]]
    return true;
  // Errors of earlier blocks come first.
  DrainBlocks();
  if (!status.ok()) return false;
  status = OutOfOrder(last, internal_key);
  return false;
}

bool BlockBasedTableBuilder::CheckSize(size_t entry_bytes) {
  if (entry_bytes <= kEntryBytesMax) [[likely]]
    return true;
  // Errors of earlier blocks come first.
  DrainBlocks();
  if (!status.ok()) return false;
  status = Status::InvalidArgument(
      options.file_name, "an entry of " + std::to_string(entry_bytes) +
                             " bytes is too large for a block");
  return false;
}

void BlockBasedTableBuilder::EndDataBlock(const Slice& next_key) {
  TAMIS_CHECK(!data_block_.empty());
  RawDataBlock& block = full_blocks_[pipeline_.slot()];
  block.last_key.Clear();
  block.last_key.Append(data_block_.last_key());
  block.next_key.Clear();
  block.next_key.Append(next_key);
  data_block_.FinishInto(&block.bytes);
  if (!collectors.empty()) [[unlikely]]
    collectors.AddBlock(block.bytes.size());
  TAMIS_DCHECK(data_block_.empty());
  const size_t bytes = block.bytes.size();
  full_block_bytes_ += writer_.BytesAtMost(bytes);
  pipeline_.Push();
  if (bytes > large_block_bytes_) pipeline_.Drain();
  NoteFailure();
}

void BlockBasedTableBuilder::PassOn(RawDataBlock* block) {
  writer_.AddDataBlock(*block);
  if (block->bytes.size() > large_block_bytes_) block->bytes = ByteBuffer();
}

void BlockBasedTableBuilder::DrainBlocks() {
  pipeline_.Drain();
  NoteFailure();
}

std::string BlockBasedTableBuilder::EncodeTombstones() {
  if (tombstones_.empty()) return {};
  // Stable, since keys may be equal: all sequences of external files are 0.
  std::stable_sort(tombstones_.begin(), tombstones_.end(),
                   [this](const auto& a, const auto& b) {
                     return options.order.Compare(a.first, b.first) < 0;
                   });
  BlockBuilder block(1);
  for (const auto& [begin, end] : tombstones_) block.Add(begin, end);
  return block.Finish().ToString();
}

void BlockBasedTableBuilder::Add(const Slice& internal_key,
                                 const Slice& value) {
  if (!status.ok()) return;
  CheckForm(internal_key);
  if (!CheckSize(internal_key.size() + value.size())) return;
  size_t shared = 0;
  if (!FollowsLast(internal_key, &shared)) return;
  if (IsTimeToCut(internal_key, value)) {
    EndDataBlock(internal_key);
    if (!status.ok()) return;
  }
  data_block_.AddSharing(shared, internal_key, value);
  CountEntry(internal_key, value, full_block_bytes_ + OpenBlockBytes());
}

void BlockBasedTableBuilder::AddRangeDeletion(const Slice& begin,
                                              const Slice& end,
                                              SequenceNumber sequence) {
  if (!status.ok() ||
      !CheckSize(tombstone_bytes_ + begin.size() + end.size())) {
    return;
  }
  std::string key;
  AppendInternalKey(&key, begin, sequence, kTypeRangeDeletion);
  tombstone_bytes_ += key.size() + end.size();
  CountEntry(key, end, full_block_bytes_ + OpenBlockBytes());
  ++properties.num_range_deletions;
  tombstones_.emplace_back(std::move(key), end.ToString());
}

Status BlockBasedTableBuilder::Finish() {
  if (status.ok() && !data_block_.empty()) EndDataBlock(Slice());
  DrainBlocks();
  if (!status.ok()) {
    writer_.DropFilters();
    return status;
  }
  collectors.Finish(&properties);
  writer_.Finish(EncodeTombstones(), &properties);
  status = writer_.status();
  return status;
}

void BlockBasedTableBuilder::Abandon() {
  pipeline_.Drop();
  writer_.DropFilters();
}

bool BlockBasedTableBuilder::HasReached(uint64_t file_size) {
  const uint64_t open = OpenBlockBytes();
  TAMIS_DCHECK(writer_.bytes_spared() <= full_block_bytes_);
  const uint64_t at_most = full_block_bytes_ - writer_.bytes_spared() + open;
  if (at_most < file_size) [[likely]]
    return false;
  DrainBlocks();
  return !writer_.is_buffering() && writer_.offset() + open >= file_size;
}

uint64_t BlockBasedTableBuilder::EstimatedFileSize() {
  DrainBlocks();
  return writer_.offset() + writer_.buffered_bytes() + OpenBlockBytes();
}

}  // namespace

std::unique_ptr<TableBuilder::Rep> NewBlockBasedTableBuilder(
    const TableBuildOptions& options, WritableFile* file) {
  return std::make_unique<BlockBasedTableBuilder>(options, file);
}

}  // namespace tamis
