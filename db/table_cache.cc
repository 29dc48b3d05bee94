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
  table.cache_data_blocks =
      !context_.options.table_factory->block_based_options().no_block_cache;
  table.expected_unique_id = meta.unique_id;
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

Result<const TableReader*> TableCache::Reader(const TableFile& file,
                                              ReadTier tier) const {
  if (const TableReader* reader = ReaderIfOpen(file)) return reader;
  if (tier == kBlockCacheTier) {
    return Status::Incomplete(
        TableFileName(context_.directory, file.meta.number),
        "it is not open, and only memory may be read");
  }
  MutexLock lock(&file.open_mutex_);
  if (const TableReader* reader = ReaderIfOpen(file)) return reader;

  RecordTick(context_.statistics(), NO_FILE_OPENS);
  auto opened = OpenFile(file.meta.number);
  auto reader = opened.ok()
                    ? TableReader::Open(std::move(opened).value(),
                                        file.meta.size, ContextFor(file.meta))
                    : Result<std::unique_ptr<TableReader>>(opened.status());
  if (!reader.ok()) {
    RecordTick(context_.statistics(), NO_FILE_ERRORS);
    return reader.status();
  }
  file.owned_ = std::move(reader).value();
  file.reader_.store(file.owned_.get(), std::memory_order_release);
  return file.owned_.get();
}

}  // namespace tamis
