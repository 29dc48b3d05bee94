// SPDX-License-Identifier: Apache-2.0
//
// Point reads. A lookup searches one table for one key. The lookups of a batch
// take each step together. Each prefetches what its next step will read, while
// the others run:
//
//   filter  →  its bits  →  index  →  node of the block  →  slot by its tags
//   →  entry
//
// Blocks that are not resident are read last, by file and offset, once for all
// keys in them, and at the same time.
#include <algorithm>
#include <memory>
#include <utility>

#include "table/block_tags.h"
#include "table/cold_blocks.h"
#include "table/key_filter.h"
#include "table/stored_search.h"
#include "table/table_reader_rep.h"
#include "util/base/fixed_vector.h"
#include "util/io/async_reads.h"
#include "util/stats/perf_counters.h"

namespace tamis {

// The search of a table whose filter matched. On the stack; within a Guard of
// the table's epochs.
class TableLookup {
 public:
  // All must outlive *this.
  TableLookup(const TableProbe& probe, KeyFilter* filter,
              const ReadContext& context)
      : table_(*probe.table->rep_),
        read_(*probe.read),
        context_(context),
        filter_(*filter),
        target_(&read_.key),
        index_(table_.index.get(), &context, IndexIterator::Hold::kByGuard) {}
  TableLookup(const TableLookup&) = delete;
  TableLookup& operator=(const TableLookup&) = delete;

  // Seeks the index to the only block that can hold the newest visible version.
  void FindBlock();
  void PrefetchNode();
  void PrefetchSlot() const;
  void PrefetchEntry() const;
  // Passes the versions in that block to the read, and those in the blocks
  // after it if they continue there. `shared` tells that the next lookup needs
  // the same block.
  void Search(ColdBlocks* cold, bool shared = false);

  // Begins to read that block, for *this and for those that are with it.
  BlockFetcher::Started StartRead(StartedBlock* started,
                                  AsyncReads* reads) const {
    return table_.fetcher.StartData(index_.place(), context_, started, reads);
  }
  // Has Search use the bytes, which must outlive its call.
  void UseRead(const StartedBlock* started) { started_ = started; }

  // Returns, after PrefetchNode, whether the block has to be read.
  bool needs_read() const { return has_block() && node_ == nullptr; }
  // Returns whether both need the same block. REQUIRES: needs_read(), of both.
  bool IsWith(const TableLookup& other) const {
    return &table_ == &other.table_ &&
           index_.handle().offset == other.index_.handle().offset;
  }
  // By file and offset. REQUIRES: needs_read(), of both.
  bool IsBefore(const TableLookup& other) const {
    const int order =
        &table_ == &other.table_
            ? 0
            : table_.context.file_name.compare(other.table_.context.file_name);
    return order < 0 || (order == 0 &&
                         index_.handle().offset < other.index_.handle().offset);
  }

 private:
  // The result of searching one data block.
  enum class BlockAnswer : uint8_t {
    kDone,     // no older version is needed, or a greater key follows
    kRunsOn,   // the block ended first: the next one may hold older versions
    kTryNext,  // by its hash index the block has none; the next one may
    kScan,     // this search cannot tell; scan the block
    kUnreadable
  };
  bool has_block() const { return !excluded_ && index_.Valid(); }
  bool BlockMayMatch() {
    return !filter_.is_by_block() ||
           filter_.BlockMayMatch(index_.handle().offset);
  }
  Status SearchBlocks(ColdBlocks* cold, bool shared);
  // Searches the block of the current index entry, by one of the next three.
  BlockAnswer SearchOneBlock(ColdBlocks* cold, bool shared, Status* status);
  // Searches a node.
  BlockAnswer SearchBlock(PinnedBytes block, Status* status);
  // Reads a block that is not resident, and searches it.
  BlockAnswer SearchColdBlock(const BlockPlace& place, ColdBlocks* cold,
                              bool shared, Status* status);
  // Searches a stored block while it is decoded. Returns kScan if it cannot
  // tell, and sets *decoded to the block if all of it is decoded then.
  BlockAnswer SearchStoredBlock(const StoredPayload& stored,
                                BlockScratch* scratch, Slice* decoded);
  BlockAnswer ScanBlock(PinnedBytes block, Status* status);
  // Passes the newest visible version to the read. Returns false if its type
  // needs older ones, too.
  bool ConsumeOnly(uint64_t tail, const Slice& value, PinnedBytes* pin);
  bool MayRunOn() const;

  const TableReader::Rep& table_;
  PointRead& read_;
  const ReadContext& context_;
  KeyFilter& filter_;
  // The target with a global sequence number: the newest version in the file.
  std::unique_ptr<const LookupKey> newest_;
  const LookupKey* target_;
  IndexIterator index_;
  // Set by PrefetchNode. nullptr if not resident, or not prefetched.
  const BlockBuffer* node_ = nullptr;
  const StartedBlock* started_ = nullptr;  // nullptr: Search reads the block
  bool excluded_ = false;  // the table has no version of the key
  bool seen_ = false;      // any version
};

void TableLookup::FindBlock() {
  if (const auto* const ranges = table_.key_range_filter()) [[unlikely]] {
    excluded_ = !ranges->KeyMayMatch(read_.key.user_key(), context_);
    if (excluded_) return;
  }
  if (table_.global_sequence != 0) [[unlikely]] {
    if (table_.global_sequence > read_.key.sequence()) {
      excluded_ = true;
      return;
    }
    newest_ = std::make_unique<const LookupKey>(read_.key.user_key(),
                                                kMaxSequenceNumber);
    target_ = newest_.get();
  }
  index_.Seek(target_->internal_key());
  if (!index_.Valid()) return;
  index_.PrefetchPlace();
  excluded_ = !BlockMayMatch();
}

void TableLookup::PrefetchNode() {
  if (!has_block()) return;
  node_ = BlockCache::Peek(*index_.place().slot);
  if (node_ == nullptr) return;
  __builtin_prefetch(node_);
  BlockTags::PrefetchTags(node_->side());
}

void TableLookup::PrefetchSlot() const {
  if (node_ == nullptr || node_->side_bytes() == 0) return;
  BlockTags(node_->side(), node_->bytes())
      .PrefetchSlot(read_.filter_key.Hash64());
}

void TableLookup::PrefetchEntry() const {
  if (node_ == nullptr || node_->side_bytes() == 0) return;
  BlockTags(node_->side(), node_->bytes())
      .PrefetchEntry(read_.filter_key.Hash64());
}

void TableLookup::Search(ColdBlocks* cold, bool shared) {
  if (excluded_) return;
  Status status = SearchBlocks(cold, shared);
  if (!status.ok()) {
    read_.get.Fail(std::move(status));
  } else if (seen_) {
    filter_.CountFound();
  }
}

Status TableLookup::SearchBlocks(ColdBlocks* cold, bool shared) {
  Status status;
  while (index_.Valid()) {
    const BlockAnswer answer = SearchOneBlock(cold, shared, &status);
    if (answer == BlockAnswer::kUnreadable) return status;
    if (answer == BlockAnswer::kDone ||
        (answer == BlockAnswer::kRunsOn && !MayRunOn())) {
      break;
    }
    index_.Next();
    if (!index_.Valid() || !BlockMayMatch()) break;
  }
  return index_.status();
}

TableLookup::BlockAnswer TableLookup::SearchOneBlock(ColdBlocks* cold,
                                                     bool shared,
                                                     Status* status) {
  const BlockPlace place = index_.place();
  if (cold->Has(table_.index.get(), place.handle.offset)) {
    return ScanBlock(PinnedBytes::Borrow(cold->bytes), status);
  }
  PinnedBytes resident = table_.fetcher.FindData(place, context_);
  return resident.buffer() != nullptr
             ? SearchBlock(std::move(resident), status)
             : SearchColdBlock(place, cold, shared, status);
}

TableLookup::BlockAnswer TableLookup::SearchColdBlock(const BlockPlace& place,
                                                      ColdBlocks* cold,
                                                      bool shared,
                                                      Status* status) {
  cold->index = nullptr;
  BlockScratch* const scratch = cold->scratch.get();
  const bool is_started =
      started_ != nullptr && started_->request.offset == place.handle.offset;
  Result<BlockFetcher::DataBlock> block =
      table_.fetcher.ReadData(place, table_.data_form, context_, scratch,
                              is_started ? started_ : nullptr);
  if (!block.ok()) {
    *status = block.status();
    return BlockAnswer::kUnreadable;
  }
  if (block->has_block()) {
    if (place.slot->empty()) {
      cold->refused = block->block.Share();
      cold->Set(table_.index.get(), place.handle.offset, cold->refused.bytes());
    }
    return SearchBlock(std::move(block->block), status);
  }
  Slice bytes;
  if (!shared) {
    const BlockAnswer answer =
        SearchStoredBlock(block->stored, scratch, &bytes);
    if (answer != BlockAnswer::kScan) return answer;
  }
  if (bytes.empty()) {
    const Result<Slice> unpacked =
        table_.fetcher.Unpack(place.handle, BlockKind::kData, block->stored,
                              context_, &scratch->uncompressed);
    if (!unpacked.ok()) {
      *status = unpacked.status();
      return BlockAnswer::kUnreadable;
    }
    bytes = *unpacked;
  }
  cold->Set(table_.index.get(), place.handle.offset, bytes);
  return ScanBlock(PinnedBytes::Borrow(bytes), status);
}

TableLookup::BlockAnswer TableLookup::SearchStoredBlock(
    const StoredPayload& stored, BlockScratch* scratch, Slice* decoded) {
  StepDecoder decoder;
  if (!table_.may_search_stored ||
      !table_.fetcher.StartSteps(stored, &decoder, &scratch->uncompressed)) {
    return BlockAnswer::kScan;
  }
  StoredMatch match;
  StoredAnswer answer;
  {
    TAMIS_PERF_TIMER(timer, block_decompress_time);
    answer = SearchStored(&decoder, read_.key.user_key(),
                          ExtractTail(read_.key.internal_key()), &match);
  }
  // The scan reports the error.
  if (answer == StoredAnswer::kMalformed) return BlockAnswer::kScan;
  if (answer == StoredAnswer::kFound &&
      !ConsumeOnly(match.tail, match.value, /*pin=*/nullptr)) {
    TAMIS_PERF_TIMER(timer, block_decompress_time);
    if (!decoder.Finish()) return BlockAnswer::kScan;
    *decoded = scratch->uncompressed.bytes();
  }
  RecordTick(context_.statistics, NUMBER_BLOCK_DECOMPRESSED);
  if (!decoded->empty()) return BlockAnswer::kScan;
  return answer == StoredAnswer::kEnded ? BlockAnswer::kRunsOn
                                        : BlockAnswer::kDone;
}

bool TableLookup::ConsumeOnly(uint64_t tail, const Slice& value,
                              PinnedBytes* pin) {
  const auto type = static_cast<ValueType>(tail & 0xff);
  if (type != kTypeValue && type != kTypeDeletion &&
      type != kTypeSingleDeletion) {
    return false;
  }
  seen_ = true;
  read_.get.Consume(
      {.user_key = read_.key.user_key(), .sequence = tail >> 8, .type = type},
      value, pin);
  return true;
}

// Searches the tags, if the block has them.
TableLookup::BlockAnswer TableLookup::SearchBlock(PinnedBytes block,
                                                  Status* status) {
  const BlockBuffer* const node = block.buffer();
  if (node != nullptr && node->side_bytes() > 0 && table_.global_sequence == 0)
      [[likely]] {
    // Prefetches tags and slots before the right slot is known.
    if (node != node_) BlockTags::Prefetch(node->side());
    BlockTags::Found found;
    if (!BlockTags(node->side(), node->bytes())
             .Find(read_.key.user_key(), read_.filter_key.Hash64(),
                   ExtractTail(read_.key.internal_key()), &found)) {
      return BlockAnswer::kRunsOn;
    }
    if (ConsumeOnly(found.tail, found.value, &block)) return BlockAnswer::kDone;
  }
  return ScanBlock(std::move(block), status);
}

// Searches entry by entry. A global sequence number replaces those of entries.
TableLookup::BlockAnswer TableLookup::ScanBlock(PinnedBytes block,
                                                Status* status) {
  const KeyOrder& order = table_.context.order;
  BlockIterator it;
  it.Open(std::move(block), table_.data_format(),
          {&table_.context.file_name, index_.handle().offset});
  const bool by_order = it.SeekForGet(target_->internal_key());
  for (; it.Valid(); it.Next()) {
    if (order.CompareUserKeys(ExtractUserKey(it.key()), read_.key.user_key()) !=
        0) {
      return BlockAnswer::kDone;
    }
    ParsedInternalKey parsed;
    if (!ParseInternalKey(it.key(), &parsed)) {
      *status = it.origin().Corruption("key " + PrintableInternalKey(it.key()) +
                                       " has a type that tables do not store");
      return BlockAnswer::kUnreadable;
    }
    seen_ = true;
    if (table_.global_sequence != 0) [[unlikely]] {
      parsed.sequence = table_.global_sequence;
    }
    if (!read_.get.Consume(parsed, it.value(), it.pin())) {
      return BlockAnswer::kDone;
    }
  }
  *status = it.status();
  if (!status->ok()) return BlockAnswer::kUnreadable;
  return by_order ? BlockAnswer::kRunsOn : BlockAnswer::kTryNext;
}

// Returns whether the next block may begin with older versions of the key. The
// separator between the two is then an internal key with the same user key.
bool TableLookup::MayRunOn() const {
  KeyBuffer buffer;
  return !table_.index_format->user_keys() &&
         table_.context.order.CompareUserKeys(
             ExtractUserKey(index_.separator(&buffer)), read_.key.user_key()) ==
             0;
}

// Searches the blocks of lookups that are not resident. Lookups of one block
// are a group. Blocks that the files return at once are searched at once, the
// others when all of them are under way.
class ColdSearch {
 public:
  explicit ColdSearch(ColdBlocks* cold) : cold_(*cold) {}
  ColdSearch(const ColdSearch&) = delete;
  ColdSearch& operator=(const ColdSearch&) = delete;

  // REQUIRES: needs_read(), of all; they are sorted.
  void Run(std::span<TableLookup* const> lookups);

 private:
  using Lookups = std::span<TableLookup* const>;
  struct Group {
    Lookups lookups;
    StartedBlock block;
  };

  void Begin(Lookups lookups);
  void Search(Lookups group, const StartedBlock* block);

  ColdBlocks& cold_;
  FixedVector<Group, TableReader::kProbesMax> groups_;
  // The last of groups_ if it is not under way. It has the thread's memory,
  // unless one that is under way does.
  Group* spare_ = nullptr;
  AsyncReads reads_;  // waits for them before their memory is freed
};

void ColdSearch::Run(Lookups lookups) {
  size_t n = 0;
  for (Lookups left = lookups; !left.empty(); left = left.subspan(n)) {
    for (n = 1; n < left.size() && left[n]->IsWith(*left[0]);) ++n;
    if (n == lookups.size()) return Search(lookups, nullptr);  // only one block
    Begin(left.first(n));
  }
  for (Group& group : groups_) {
    if (&group == spare_) break;
    {
      TAMIS_PERF_TIMER(timer, block_read_time);
      reads_.Finish(&group.block.request);
    }
    TAMIS_PERF_COUNT(block_async_read_count, 1);
    Search(group.lookups, &group.block);
  }
  if (spare_ != nullptr) {
    cold_.index = nullptr;  // its bytes may be in that memory
    cold_.scratch.get()->stored = std::move(spare_->block.memory);
  }
}

void ColdSearch::Begin(Lookups lookups) {
  using Started = BlockFetcher::Started;
  if (spare_ == nullptr) {
    spare_ = &groups_.emplace_back();
    spare_->block.memory = std::move(cold_.scratch.get()->stored);
  }
  cold_.index = nullptr;  // its bytes may be in that memory
  const Started started = lookups[0]->StartRead(&spare_->block, &reads_);
  if (started == Started::kUnderWay) {
    spare_->lookups = lookups;
    spare_ = nullptr;
    return;
  }
  Search(lookups, started == Started::kDone ? &spare_->block : nullptr);
}

void ColdSearch::Search(Lookups group, const StartedBlock* block) {
  for (size_t i = 0; i < group.size(); ++i) {
    group[i]->UseRead(block);
    group[i]->Search(&cold_, /*shared=*/i + 1 < group.size());
  }
}

void TableReader::Get(PointRead* read, const ReadContext& context) const {
  const EpochDomain::Guard guard(rep_->fetcher.epochs());
  const TableProbe probe{this, read};
  MultiGet({&probe, 1}, context);
}

// There is nothing to overlap. A lookup that the filter ends sets nothing up.
void TableReader::GetOne(const TableProbe& probe, const ReadContext& context) {
  KeyFilter filter(probe.table->rep_->filter_of_keys(), probe.read->filter_key,
                   context);
  if (filter.TableMayMatch()) {
    ColdBlocks cold;
    TableLookup lookup(probe, &filter, context);
    lookup.FindBlock();
    lookup.Search(&cold);
  }
  probe.read->filter_outcome = filter.outcome();
}

void TableReader::MultiGet(std::span<const TableProbe> probes,
                           const ReadContext& context) {
  TAMIS_DCHECK(probes.size() <= kProbesMax);
  static_assert(kProbesMax <= FilterBatch::kKeysMax);
  if (probes.size() == 1) return GetOne(probes.front(), context);
  FilterBatch batch;
  FixedVector<KeyFilter, kProbesMax> filters;
  for (const TableProbe& probe : probes) {
    filters
        .emplace_back(probe.table->rep_->filter_of_keys(),
                      probe.read->filter_key, context)
        .Find(&batch);
  }
  for (KeyFilter& filter : filters) filter.Prefetch();
  FixedVector<TableLookup, kProbesMax> lookups;
  for (size_t i = 0; i < probes.size(); ++i) {
    if (filters[i].TableMayMatch()) {
      lookups.emplace_back(probes[i], &filters[i], context).FindBlock();
    }
  }
  for (TableLookup& lookup : lookups) lookup.PrefetchNode();
  for (const TableLookup& lookup : lookups) lookup.PrefetchSlot();
  for (const TableLookup& lookup : lookups) lookup.PrefetchEntry();
  ColdBlocks cold;
  TableLookup* to_read[kProbesMax];
  size_t n = 0;
  for (TableLookup& lookup : lookups) {
    if (lookup.needs_read()) {
      to_read[n++] = &lookup;
    } else {
      lookup.Search(&cold);
    }
  }
  std::sort(to_read, to_read + n,
            [](const TableLookup* a, const TableLookup* b) {
              return a->IsBefore(*b);
            });
  if (n > 0) ColdSearch(&cold).Run({to_read, n});
  for (size_t i = 0; i < probes.size(); ++i) {
    probes[i].read->filter_outcome = filters[i].outcome();
  }
}

}  // namespace tamis
