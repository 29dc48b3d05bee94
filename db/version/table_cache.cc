// SPDX-License-Identifier: Apache-2.0
#include "db/version/table_cache.h"

#include <utility>
#include <vector>

#include "db/base/db_options.h"
#include "db/manifest/table_path.h"
#include "util/base/check.h"
#include "util/io/file_io.h"
#include "util/io/rate_limited_file.h"
#include "util/io/timed_reads.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

// Advances the key to the next one in its order. Returns false if that is
// unknown. In reverse bytewise order, "b" is followed by "a\xff\xff..." without
// end. What is stored instead skips longer keys, which begin with it and sort
// before it.
bool AdvanceUserKey(KeyOrder::Kind kind, std::string* key) {
  if (kind == KeyOrder::Kind::kBytewise) {
    key->push_back('\0');
    return true;
  }
  if (kind != KeyOrder::Kind::kReverseBytewise || key->empty()) return false;
  if (key->back() == '\0') {
    key->pop_back();
    return true;
  }
  --key->back();
  key->append(256, '\xff');
  return true;
}

// CheckOptions accepted the user's cache only if it is a BlockCache.
std::shared_ptr<BlockCache> CacheOf(
    const BlockBasedTableOptions& table,
    const std::shared_ptr<BlockCache>& otherwise) {
  auto given = std::dynamic_pointer_cast<BlockCache>(table.block_cache);
  return given != nullptr ? given : otherwise;
}

}  // namespace

Status ClipToFile(const KeyOrder& order, const FileMetaData& meta,
                  RangeTombstone* tombstone) {
  const Slice first = ExtractUserKey(meta.smallest);
  if (order.CompareUserKeys(tombstone->begin, first) < 0) {
    tombstone->begin = first.ToString();
  }
  const Slice last = ExtractUserKey(meta.largest);
  if (order.CompareUserKeys(tombstone->end, last) <= 0) return Status::OK();
  std::string end = last.ToString();
  if (!meta.ends_in_tombstone() && !AdvanceUserKey(order.kind(), &end)) {
    return Status::NotSupported(
        "a range deletion ends after the last key of the file",
        std::string("the next key in the order of ") +
            order.user_comparator()->Name() + " is not known");
  }
  if (order.CompareUserKeys(end, tombstone->end) < 0) {
    tombstone->end = std::move(end);
  }
  return Status::OK();
}

Result<std::unique_ptr<RandomAccessFile>> OpenTableFile(
    const DBContext& context, const FileMetaData& table, const FileOptions& how,
    std::string* path) {
  std::unique_ptr<RandomAccessFile> file;
  *path = TablePath(context, table);
  Status status = file_io::Open(context.fs(), *path, how, &file);
  if (status.IsPathNotFound()) {
    std::string alias = TableAliasPath(context, table);
    const Status other = file_io::Open(context.fs(), alias, how, &file);
    if (!other.IsPathNotFound()) {
      status = other;
      *path = std::move(alias);
    }
  }
  if (!status.ok()) return status;
  return file;
}

TableCache::TableCache(const DBContext& context, const KeyOrder& order,
                       const ColumnFamilyOptions& options)
    : context_(context),
      paths_(context.directory, options.cf_paths),
      order_(order),
      table_factory_(options.table_factory),
      filter_policy_(table_factory_->block_based_options().filter_policy),
      prefix_extractor_(options.prefix_extractor),
      write_buffer_size_(options.write_buffer_size),
      block_cache_(
          CacheOf(table_factory_->block_based_options(), context.block_cache)),
      read_latencies_(context.statistics() == nullptr
                          ? nullptr
                          : std::make_unique<PerLevel<Histogram>>()) {}

void TableCache::ClearReadLatencies() const {
  if (read_latencies_ == nullptr) return;
  for (Histogram& level : *read_latencies_) level.Clear();
}

std::unique_ptr<RandomAccessFile> TableCache::Timed(
    std::unique_ptr<RandomAccessFile> base, const TableFile& file) const {
  if (read_latencies_ == nullptr ||
      context_.statistics()->get_stats_level() < kExceptDetailedTimers) {
    return base;
  }
  return std::make_unique<TimedReads>(
      std::move(base), [this, &file](uint64_t micros) {
        (*read_latencies_)[file.level()].Add(micros);
      });
}

// The last references to the old ones are dropped without the mutex.
void TableCache::SetOptions(const ColumnFamilyOptions& options) {
  std::shared_ptr<const FilterPolicy> policy =
      options.table_factory->block_based_options().filter_policy;
  std::shared_ptr<const SliceTransform> extractor = options.prefix_extractor;
  MutexLock lock(&options_mutex_);
  filter_policy_.swap(policy);
  prefix_extractor_.swap(extractor);
  write_buffer_size_ = options.write_buffer_size;
}

// As in RocksDB: larger ones at level 0 come from compactions there, or from a
// larger write buffer, and would pin more than is expected.
bool TableCache::IsLikeFlushed(const TableFile& file) const {
  if (file.level() != kLevelZero) return false;
  MutexLock lock(&options_mutex_);
  return file.meta.size / 3 <= write_buffer_size_ / 2;
}

TableContext TableCache::ContextFor(const FileMetaData& meta) const {
  TableContext table(order_);
  table.file_name = TablePath(context_, meta);
  table.block_cache = block_cache_;
  table.statistics = context_.statistics();
  const BlockBasedTableOptions& options = table_factory_->block_based_options();
  table.cache_data_blocks = !options.no_block_cache;
  table.max_decompressed_block_bytes = options.max_decompressed_block_bytes;
  {
    MutexLock lock(&options_mutex_);
    table.filter_policy = filter_policy_;
    table.prefix_extractor = prefix_extractor_;
  }
  table.expected_unique_id = meta.unique_id;
  if (meta.seqnos_known) table.largest_seqno = meta.largest_seqno;
  return table;
}

Result<std::unique_ptr<RandomAccessFile>> TableCache::OpenFile(
    const FileMetaData& meta, TableContext* table) const {
  return OpenTableFile(context_, meta,
                       FileOptionsForCompaction(context_.options),
                       &table->file_name);
}

Result<std::unique_ptr<TableReader>> TableCache::OpenUncached(
    const FileMetaData& meta) const {
  TableContext table = ContextFor(meta);
  auto file = OpenFile(meta, &table);
  if (!file.ok()) return file.status();
  return OpenPastCaches(std::move(file).value(), meta, std::move(table));
}

Result<std::unique_ptr<TableReader>> TableCache::OpenForCompaction(
    const FileMetaData& meta) const {
  TableContext table = ContextFor(meta);
  table.skip_filters = true;
  auto file = OpenFile(meta, &table);
  if (!file.ok()) return file.status();
  RateLimiter* const limiter = context_.options.rate_limiter.get();
  if (limiter != nullptr &&
      limiter->IsRateLimited(RateLimiter::OpType::kRead)) {
    file = std::unique_ptr<RandomAccessFile>(std::make_unique<RateLimitedReads>(
        std::move(file).value(), meta.size, limiter, IO_LOW,
        context_.statistics()));
  }
  return OpenPastCaches(std::move(file).value(), meta, std::move(table));
}

Result<std::unique_ptr<TableReader>> TableCache::OpenPastCaches(
    std::unique_ptr<RandomAccessFile> file, const FileMetaData& meta,
    TableContext table) {
  table.block_cache = nullptr;
  table.filter_policy = nullptr;
  return TableReader::Open(std::move(file), meta.size, table);
}

Result<TableReaderPtr> TableCache::Open(const TableFile& file) const {
  RecordTick(context_.statistics(), NO_FILE_OPENS);
  const HistogramTimer timing(context_.statistics(), TABLE_OPEN_IO_MICROS);
  TableContext table = ContextFor(file.meta);
  table.filter_counts = file.filter_counts();
  table.metadata_pins =
      PinsOf(table_factory_->block_based_options(), IsLikeFlushed(file));
  auto opened =
      OpenTableFile(context_, file.meta, FileOptionsForReads(context_.options),
                    &table.file_name);
  auto reader = opened.ok()
                    ? TableReader::Open(Timed(std::move(opened).value(), file),
                                        file.meta.size, table)
                    : Result<std::unique_ptr<TableReader>>(opened.status());
  if (!reader.ok()) {
    RecordTick(context_.statistics(), NO_FILE_ERRORS);
    return reader.status();
  }
  const Status status = ReadRangeTombstones(file, **reader);
  if (!status.ok()) {
    RecordTick(context_.statistics(), NO_FILE_ERRORS);
    return status;
  }
  return TableReaderPtr(std::move(reader).value());
}

// REQUIRES: file.open_mutex_ is held.
Status TableCache::ReadRangeTombstones(const TableFile& file,
                                       const TableReader& reader) const {
  if (file.tombstones_known_.load(std::memory_order_acquire)) {
    return Status::OK();
  }
  auto tombstones = reader.ReadRangeTombstones();
  if (!tombstones.ok()) return tombstones.status();
  if (!tombstones->empty()) {
    for (RangeTombstone& tombstone : *tombstones) {
      const Status status = ClipToFile(order_, file.meta, &tombstone);
      if (!status.ok()) {
        return Status::NotSupported(TablePath(context_, file.meta),
                                    status.message());
      }
    }
    auto fragments =
        std::make_shared<const RangeTombstoneFragments>(order_, *tombstones);
    if (!fragments->empty()) file.tombstones_ = std::move(fragments);
  }
  const TableProperties& properties = *reader.properties();
  file.num_range_deletions_ = properties.num_range_deletions;
  file.num_entries_.store(properties.num_entries, std::memory_order_relaxed);
  file.num_deletions_.store(properties.num_deletions,
                            std::memory_order_relaxed);
  file.tombstones_known_.store(true, std::memory_order_release);
  return Status::OK();
}

Result<std::shared_ptr<const RangeTombstoneFragments>>
TableCache::RangeTombstones(const TableFile& file, ReadTier tier) const {
  if (!file.tombstones_known_.load(std::memory_order_acquire)) {
    const auto reader = Reader(file, tier);
    if (!reader.ok()) return reader.status();
  }
  return file.tombstones_;
}

Result<std::shared_ptr<const RangeTombstoneFragments>>
TableCache::RangeTombstonesForCompaction(const TableFile& file) const {
  if (!file.tombstones_known_.load(std::memory_order_acquire)) {
    const auto reader = OpenForCompaction(file.meta);
    if (!reader.ok()) return reader.status();
    MutexLock lock(&file.open_mutex_);
    TAMIS_RETURN_IF_ERROR(ReadRangeTombstones(file, **reader));
  }
  return file.tombstones_;
}

// A reservation for one more open table. The destructor cancels it unless the
// table joined the ring.
class TableCache::Room {
 public:
  // Closes other tables until there is room. If `open` is nullptr, there is no
  // limit.
  explicit Room(OpenTables* open) : open_(open) {
    while (open_ != nullptr) {
      TableReaderPtr closed;  // destroyed without the mutex: it is I/O
      MutexLock lock(&open_->mutex);
      std::vector<const TableFile*>& ring = open_->ring;
      const size_t used = ring.size() + open_->being_opened;
      if (!ring.empty() && used >= open_->limit) {
        closed = CloseOne(open_);
        continue;
      }
      if (ring.capacity() <= used) ring.reserve(2 * (used + 1));
      ++open_->being_opened;
      return;
    }
  }
  ~Room() {
    if (open_ == nullptr) return;
    MutexLock lock(&open_->mutex);
    --open_->being_opened;
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // REQUIRES: there is a limit; the file's reader is set, and the file is not
  // in the ring; one thread at a time per file.
  void JoinRing(const TableFile& file) noexcept {
    OpenTables* const open = std::exchange(open_, nullptr);
    for (;;) {
      TableReaderPtr closed;
      MutexLock lock(&open->mutex);
      // More threads than the limit may open tables at once.
      if (!open->ring.empty() && open->ring.size() >= open->limit) {
        closed = CloseOne(open);
        continue;
      }
      TAMIS_CHECK(file.place_ == TableFile::kNoPlace &&
                  open->ring.size() < open->ring.capacity());
      --open->being_opened;
      file.open_tables_ = open;
      file.place_ = open->ring.size();
      open->ring.push_back(&file);
      return;
    }
  }

 private:
  OpenTables* open_;
};

void TableCache::CloseBeyondLimit(OpenTables* open) {
  for (;;) {
    TableReaderPtr closed;  // destroyed without the mutex
    MutexLock lock(&open->mutex);
    if (open->ring.size() <= open->limit) return;
    closed = CloseOne(open);
  }
}

TableReaderPtr TableCache::CloseOne(OpenTables* open) {
  const size_t round = open->ring.size();
  for (size_t step = 0;; ++step, ++open->hand) {
    if (open->hand >= open->ring.size()) open->hand = 0;
    const TableFile& file = *open->ring[open->hand];
    MutexLock lock(&file.mutex_);
    const bool was_used = std::exchange(file.used_, false);
    if (step < round && was_used) continue;
    if (step < 2 * round && file.reader_.use_count() > 1) continue;
    LeaveRing(open, file);
    file.closed_reader_ = file.reader_;
    return std::exchange(file.reader_, nullptr);
  }
}

void TableCache::LeaveRing(OpenTables* open, const TableFile& file) {
  std::vector<const TableFile*>& ring = open->ring;
  TAMIS_CHECK(file.place_ < ring.size() && ring[file.place_] == &file);
  ring.back()->place_ = file.place_;
  ring[file.place_] = ring.back();
  ring.pop_back();
  file.place_ = TableFile::kNoPlace;
}

std::optional<uint64_t> TableFile::point_entries_if_known() const {
  const uint64_t entries = num_entries_if_known();
  const bool counts_ranges = num_range_deletions_ > 0 || tombstones_ == nullptr;
  if (entries < num_range_deletions_ || entries == 0 || !counts_ranges) {
    return std::nullopt;
  }
  return entries - num_range_deletions_;
}

TableFile::~TableFile() {
  if (open_tables_ == nullptr) return;
  MutexLock lock(&open_tables_->mutex);
  if (place_ != kNoPlace) TableCache::LeaveRing(open_tables_, *this);
}

Result<TableReaderPtr> TableCache::FindOrOpen(const TableFile& file,
                                              ReadTier tier) const {
  const PerfTimer timer(&tls_perf_context.find_table_nanos);
  OpenTables* const open = context_.open_tables.get();
  if (open != nullptr) {
    if (auto reader = file.FindReader()) return reader;
  }
  if (tier == kBlockCacheTier) {
    return Status::Incomplete(
        TablePath(context_, file.meta),
        "it is not open, and read_tier allows no file reads");
  }
  MutexLock lock(&file.open_mutex_);
  if (auto reader = file.FindReader()) return reader;

  Room room(open);
  TableReaderPtr reader;
  {
    MutexLock pointers(&file.mutex_);
    reader = file.closed_reader_.lock();
  }
  if (reader == nullptr) {
    auto opened = Open(file);
    if (!opened.ok()) return opened.status();
    reader = *std::move(opened);
  }
  {
    MutexLock pointers(&file.mutex_);
    file.reader_ = reader;
    file.used_ = true;
  }
  if (open != nullptr) {
    room.JoinRing(file);
  } else {
    file.kept_reader_.store(reader.get(), std::memory_order_release);
  }
  return reader;
}

}  // namespace tamis
