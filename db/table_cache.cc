// SPDX-License-Identifier: Apache-2.0
#include "db/table_cache.h"

#include <utility>

#include "db/file_names.h"
#include "util/perf_counters.h"

namespace tamis {

TableCache::TableCache(const DBContext& context, const KeyOrder& order)
    : context_(context), order_(order) {}

TableContext TableCache::ContextFor(const FileMetaData& meta) const {
  TableContext table(order_);
  table.file_name = TableFileName(context_.directory, meta.number);
  table.block_cache = context_.block_cache;
  table.statistics = context_.statistics();
  const BlockBasedTableOptions& options =
      context_.options.table_factory->block_based_options();
  table.cache_data_blocks = !options.no_block_cache;
  table.filter_policy = options.filter_policy;
  table.prefix_extractor = context_.options.prefix_extractor;
  table.expected_unique_id = meta.unique_id;
  if (meta.seqnos_known) table.largest_seqno = meta.largest_seqno;
  return table;
}

Result<std::unique_ptr<RandomAccessFile>> TableCache::OpenFile(
    uint64_t number) const {
  std::unique_ptr<RandomAccessFile> file;
  Status status = context_.fs()->NewRandomAccessFile(
      TableFileName(context_.directory, number), &file);
  if (status.IsPathNotFound()) {
    std::unique_ptr<RandomAccessFile> alias;
    if (context_.fs()
            ->NewRandomAccessFile(
                LevelDBTableFileName(context_.directory, number), &alias)
            .ok()) {
      return alias;
    }
  }
  if (!status.ok()) return status;
  return file;
}

Result<std::shared_ptr<const TableReader>> TableCache::Open(
    const TableFile& file) const {
  RecordTick(context_.statistics(), NO_FILE_OPENS);
  if (file.cache_file_id_ == 0 && context_.block_cache != nullptr) {
    file.cache_file_id_ = context_.block_cache->NewFileId();
  }
  TableContext table = ContextFor(file.meta);
  table.cache_file_id = file.cache_file_id_;
  auto opened = OpenFile(file.meta.number);
  auto reader =
      opened.ok()
          ? TableReader::Open(std::move(opened).value(), file.meta.size, table)
          : Result<std::unique_ptr<TableReader>>(opened.status());
  if (!reader.ok()) {
    RecordTick(context_.statistics(), NO_FILE_ERRORS);
    return reader.status();
  }
  return std::shared_ptr<const TableReader>(std::move(reader).value());
}

Result<TableHandle> TableCache::ReaderSlow(const TableFile& file,
                                           ReadTier tier) const {
  OpenTables* const ring = context_.open_tables.get();
  if (ring != nullptr) {
    if (auto reader = file.open_.Get()) return TableHandle(std::move(reader));
  }
  if (tier == kBlockCacheTier) {
    return Status::Incomplete(
        TableFileName(context_.directory, file.meta.number),
        "it is not open, and only memory may be read");
  }
  MutexLock lock(&file.open_mutex_);
  if (auto reader = file.open_.Get()) return TableHandle(std::move(reader));

  if (ring != nullptr) ring->Reserve();
  std::shared_ptr<const TableReader> reader = file.open_.StillInUse();
  if (reader == nullptr) {
    auto opened = Open(file);
    if (!opened.ok()) {
      if (ring != nullptr) ring->GiveUp();
      return opened.status();
    }
    reader = std::move(opened).value();
  }
  file.open_.Set(reader);
  if (ring != nullptr) {
    ring->Join(&file.open_);
  } else {
    file.reader_.store(reader.get(), std::memory_order_release);
  }
  return TableHandle(std::move(reader));
}

}  // namespace tamis
