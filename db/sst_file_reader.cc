// SPDX-License-Identifier: Apache-2.0
//
// Stands in db/, not beside the tables, for it shows what a user sees.
#include "tamis/sst_file_reader.h"

#include <utility>

#include "tamis/snapshot.h"

#include "db/db_iterator.h"
#include "filter/filter_key.h"
#include "table/get_context.h"
#include "table/range_tombstones.h"
#include "table/table_reader.h"
#include "util/block_cache.h"

namespace tamis {

struct SstFileReader::Rep {
  explicit Rep(const Options& user_options)
      : options(user_options), order(user_options.comparator) {
    if (options.file_system == nullptr) {
      options.file_system = NewPosixFileSystem();
    }
    if (options.table_factory == nullptr) {
      options.table_factory.reset(NewBlockBasedTableFactory());
    }
  }

  TableContext ContextFor(const std::string& file_path) const;
  Result<std::unique_ptr<TableReader>> OpenTable(
      const TableContext& context) const;
  static SequenceNumber SequenceOf(const ReadOptions& read) {
    return read.snapshot != nullptr ? read.snapshot->GetSequenceNumber()
                                    : kMaxSequenceNumber;
  }

  Options options;
  const KeyOrder order;
  // Shared with iterators.
  std::shared_ptr<const TableReader> table;
  std::shared_ptr<const RangeTombstoneFragments> tombstones;  // nullptr: none
};

TableContext SstFileReader::Rep::ContextFor(
    const std::string& file_path) const {
  const BlockBasedTableOptions& format =
      options.table_factory->block_based_options();
  TableContext context(order);
  context.file_name = file_path;
  context.block_cache =
      std::dynamic_pointer_cast<BlockCache>(format.block_cache);
  context.cache_data_blocks = !format.no_block_cache;
  context.cache_index_and_filter_blocks = format.cache_index_and_filter_blocks;
  context.statistics = options.statistics.get();
  context.filter_policy = format.filter_policy;
  context.prefix_extractor = options.prefix_extractor;
  return context;
}

Result<std::unique_ptr<TableReader>> SstFileReader::Rep::OpenTable(
    const TableContext& context) const {
  uint64_t size = 0;
  TAMIS_RETURN_IF_ERROR(
      options.file_system->GetFileSize(context.file_name, &size));
  std::unique_ptr<RandomAccessFile> file;
  TAMIS_RETURN_IF_ERROR(
      options.file_system->NewRandomAccessFile(context.file_name, &file));
  return TableReader::Open(std::move(file), size, context);
}

SstFileReader::SstFileReader(const Options& options)
    : rep_(std::make_unique<Rep>(options)) {}

SstFileReader::~SstFileReader() = default;

Status SstFileReader::Open(const std::string& file_path) {
  Rep& r = *rep_;
  r.table.reset();
  r.tombstones.reset();
  auto table = r.OpenTable(r.ContextFor(file_path));
  if (!table.ok()) return table.status();
  const auto tombstones = (*table)->ReadRangeTombstones();
  if (!tombstones.ok()) return tombstones.status();
  if (!tombstones->empty()) {
    r.tombstones =
        std::make_shared<const RangeTombstoneFragments>(r.order, *tombstones);
  }
  r.table = std::move(table).value();
  return Status::OK();
}

Iterator* SstFileReader::NewIterator(const ReadOptions& options) const {
  const Rep& r = *rep_;
  DBIteratorInputs in;
  in.options = options;
  in.sequence = Rep::SequenceOf(options);
  in.prefix_extractor = r.options.prefix_extractor.get();
  in.merge_operator = r.options.merge_operator.get();
  in.tombstones->Keep(r.tombstones);
  in.statistics = r.options.statistics.get();
  in.entries = r.table->NewIterator(ReadContext::ForWalk(
      options, r.options.statistics.get(), in.scope.get()));
  // Kept as long as the iterator lives.
  in.on_close = [table = r.table, statistics = r.options.statistics,
                 extractor = r.options.prefix_extractor,
                 merge_operator = r.options.merge_operator] {};
  return NewDBIterator(r.order, std::move(in)).release();
}

Status SstFileReader::Get(const ReadOptions& options, const Slice& key,
                          std::string* value) const {
  const Rep& r = *rep_;
  PinnableSlice found;
  GetContext get(&found, r.options.merge_operator.get(), key);
  const LookupKey lookup(key, Rep::SequenceOf(options));
  if (r.tombstones != nullptr) {
    get.CoverBy(r.tombstones->Covering(key, lookup.sequence()));
  }
  TAMIS_RETURN_IF_ERROR(
      r.table->Get(lookup, FilterKey(key),
                   ReadContext(options, r.options.statistics.get()), &get));
  TAMIS_RETURN_IF_ERROR(get.Finish());
  value->assign(found.data(), found.size());
  return Status::OK();
}

Status SstFileReader::VerifyChecksum() const {
  return rep_->table->VerifyChecksums();
}

std::shared_ptr<const TableProperties> SstFileReader::GetTableProperties()
    const {
  return rep_->table->properties();
}

}  // namespace tamis
