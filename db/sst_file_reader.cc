// SPDX-License-Identifier: Apache-2.0
//
// SstFileReader reads one table outside a database. It is in db/, not in
// table/, because it shows entries as users see them.
#include "tamis/sst_file_reader.h"

#include <utility>

#include "tamis/snapshot.h"

#include "db/base/db_options.h"
#include "db/base/error_iterator.h"
#include "db/db_iterator.h"
#include "filter/filter_key.h"
#include "table/range_tombstones.h"
#include "table/table_reader.h"
#include "util/base/exceptions.h"
#include "util/cache/block_cache.h"
#include "util/io/chosen_file_system.h"
#include "util/io/file_io.h"

namespace tamis {

struct SstFileReader::Rep {
  explicit Rep(const Options& user_options)
      : options(user_options),
        order(user_options.comparator),
        clock(user_options.clock) {
    options.file_system = ChosenFileSystem(options.file_system, options.env);
    if (clock == nullptr) clock = NewSystemClock();
    if (options.table_factory == nullptr) {
      options.table_factory.reset(NewBlockBasedTableFactory());
    }
  }

  TableContext ContextFor(const std::string& file_path) const;
  Result<std::unique_ptr<TableReader>> OpenTable(
      const TableContext& context) const;
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& read) const;
  static SequenceNumber SequenceOf(const ReadOptions& read) {
    return read.snapshot != nullptr ? read.snapshot->GetSequenceNumber()
                                    : kMaxSequenceNumber;
  }

  Options options;
  const KeyOrder order;
  std::shared_ptr<Clock> clock;
  // Shared with iterators.
  std::shared_ptr<const TableReader> table;
  std::shared_ptr<const RangeTombstoneFragments> tombstones;  // may be nullptr
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
  context.metadata_pins = PinsOf(format, /*flushed=*/false);
  context.max_decompressed_block_bytes = format.max_decompressed_block_bytes;
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
  TAMIS_RETURN_IF_ERROR(file_io::Open(options.file_system.get(),
                                      context.file_name,
                                      FileOptionsForReads(options), &file));
  return TableReader::Open(std::move(file), size, context);
}

SstFileReader::SstFileReader(const Options& options)
    : rep_(std::make_unique<Rep>(options)) {}

SstFileReader::~SstFileReader() = default;

Status SstFileReader::Open(const std::string& file_path) {
  return CatchExceptions([&] {
    Rep& r = *rep_;
    r.table.reset();
    r.tombstones.reset();
    TAMIS_RETURN_IF_ERROR(
        CheckFileReads(r.options, FileOptionsForReads(r.options), file_path));
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
  });
}

Iterator* SstFileReader::NewIterator(const ReadOptions& options) const {
  Iterator* iterator = nullptr;
  const Status status = CatchExceptions([&] {
    iterator = rep_->NewIterator(options).release();
    return Status::OK();
  });
  return iterator != nullptr ? iterator : NewErrorIterator(status).release();
}

std::unique_ptr<Iterator> SstFileReader::Rep::NewIterator(
    const ReadOptions& read) const {
  DBIteratorInputs in;
  in.options = read;
  in.sequence = SequenceOf(read);
  in.prefix_extractor = options.prefix_extractor.get();
  in.merge_with = {options.merge_operator.get(), options.info_log.get()};
  if (tombstones != nullptr && !read.ignore_range_deletions) {
    in.tombstones->Add(/*source=*/nullptr, tombstones.get());
  }
  in.statistics = options.statistics.get();
  in.scope->limits = ReadLimits(read, clock.get(), options.rate_limiter.get());
  in.entries = table->NewIterator(
      ReadContext::ForScan(read, options.statistics.get(), in.scope.get()));
  // Kept until the iterator is destroyed.
  in.on_close =
      [kept = table, kept_tombstones = tombstones,
       statistics = options.statistics, extractor = options.prefix_extractor,
       merge_operator = options.merge_operator, logger = options.info_log,
       limiter = options.rate_limiter, kept_clock = clock] {};
  return NewDBIterator(order, std::move(in));
}

Status SstFileReader::Get(const ReadOptions& options, const Slice& key,
                          std::string* value) const {
  return CatchExceptions([&] {
    const Rep& r = *rep_;
    PinnableSlice found;
    PointRead lookup(key, Rep::SequenceOf(options),
                     {r.options.merge_operator.get(), r.options.info_log.get()},
                     &found);
    if (r.tombstones != nullptr && !options.ignore_range_deletions) {
      lookup.get.CoverBy(r.tombstones->Covering(key, lookup.key.sequence()));
    }
    ReadContext context(options, r.options.statistics.get());
    const ReadLimits limits(options, r.clock.get(),
                            r.options.rate_limiter.get());
    if (ReadLimits::AreSet(options)) context.limits = &limits;
    r.table->Get(&lookup, std::move(context));
    TAMIS_RETURN_IF_ERROR(lookup.get.Finish());
    value->assign(found.data(), found.size());
    return Status::OK();
  });
}

Status SstFileReader::VerifyChecksum() const {
  return CatchExceptions([&] { return rep_->table->VerifyChecksums(); });
}

std::shared_ptr<const TableProperties> SstFileReader::GetTableProperties()
    const {
  return rep_->table->properties();
}

Status SstFileReader::PredictedFpr(double* fpr) const {
  return CatchExceptions([&] {
    const Result<double> rate = rep_->table->PredictedFpr();
    if (rate.ok()) *fpr = *rate;
    return rate.status();
  });
}

Status SstFileReader::PredictedRangeFpr(double* fpr) const {
  return CatchExceptions([&] {
    const Result<double> rate = rep_->table->PredictedRangeFpr();
    if (rate.ok()) *fpr = *rate;
    return rate.status();
  });
}

}  // namespace tamis
