// SPDX-License-Identifier: Apache-2.0
//
// A read pins the state, then loads the sequence number, then searches
// memtables and tables, newest first.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "db/base/error_iterator.h"
#include "db/compaction/entry_filter.h"
#include "db/db_impl.h"
#include "db/db_iterator.h"
#include "table/merging_iterator.h"
#include "table/point_read.h"
#include "util/base/fixed_vector.h"
#include "util/stats/histogram_timer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

// A MultiGet of more keys takes a reference to the state, because one Guard
// over all of it would delay freeing evicted blocks.
constexpr size_t kGuardedReadsMax = 4 * Version::kReadsMax;

// Looks the key up in the memtables, newest first. They are newer than all
// tables.
inline void GetFromMemTables(const ReadState& state, PointRead* read) {
  PerfTimer timer(&tls_perf_context.get_from_memtable_time);
  state.memtable->Get(read->key, read->filter_key, &read->get);
  for (const auto& memtable : state.immutables) {
    if (read->get.needs_no_older()) return;
    memtable->Get(read->key, read->filter_key, &read->get);
  }
}

// Returns the state that the snapshot of the options keeps, or nullptr.
inline ReadStatePtr StateOfSnapshot(const ReadOptions& options,
                                    const ColumnFamily& family) {
  if (options.snapshot == nullptr) return nullptr;
  return static_cast<const SnapshotImpl*>(options.snapshot)->StateOf(family);
}

}  // namespace

SequenceNumber DBImpl::SequenceOf(const ReadOptions& options) const {
  return options.snapshot != nullptr ? options.snapshot->GetSequenceNumber()
                                     : versions_.last_sequence();
}

// Loads the state before the sequence number: a state loaded later may lack
// versions that an older number needs. A state that was replaced meanwhile may
// have a memtable with entries of a failed write, whose numbers are below those
// of the writes that followed: tries again.
const ReadState& DBImpl::CurrentStateAt(const ReadOptions& options,
                                        const ColumnFamily& family,
                                        SequenceNumber* sequence) const {
  const auto kept = StateOfSnapshot(options, family);
  if (kept != nullptr) [[unlikely]] {
    *sequence = SequenceOf(options);
    return *kept;  // the snapshot keeps it
  }
  for (;;) {
    const ReadState& state = family.CurrentReadState();
    *sequence = std::min(SequenceOf(options), state.readable_to);
    if (&family.CurrentReadState() == &state) [[likely]]
      return state;
  }
}

// For the same reasons. The references are counted where few others are.
ReadStatePtr DBImpl::AcquireStateAt(const ReadOptions& options,
                                    const ColumnFamily& family,
                                    SequenceNumber* sequence) const {
  const EpochDomain::Guard guard(family.epochs());
  ReadStatePtr state = StateOfSnapshot(options, family);
  if (state != nullptr) {
    *sequence = SequenceOf(options);
    return state;
  }
  for (;;) {
    state = family.AcquireReadState();
    *sequence = std::min(SequenceOf(options), state->readable_to);
    if (&family.CurrentReadState() == state.get()) [[likely]]
      return state;
  }
}

// Loads all states before the sequence number, and tries again, for the same
// reasons. If a memtable was switched meanwhile, writes up to that number may
// also be in a memtable that its state lacks, so that one family would lag
// behind the others. So it would while a secondary instance replaces states.
SequenceNumber DBImpl::AcquireReadStates(const ReadOptions& options,
                                         const Families& families,
                                         ReadStates* states) const {
  for (;;) {
    for (const ColumnFamilyPtr& family : families) {
      ReadStatePtr& state = (*states)[family.get()];
      if (state == nullptr) state = StateOfSnapshot(options, *family);
      if (state == nullptr) state = family->AcquireReadState();
    }
    const SequenceNumber sequence = SequenceOf(options);
    if (options.snapshot != nullptr || states->empty()) return sequence;
    const SequenceNumber readable_to = states->begin()->second->readable_to;
    if (std::all_of(states->begin(), states->end(), [&](const auto& one) {
          return one.first->AcquireReadState() == one.second &&
                 one.second->readable_to == readable_to;
        })) {
      return std::min(sequence, readable_to);
    }
    states->clear();
  }
}

template <size_t kReads>
inline void DBImpl::Search(const ReadState& state, const ReadOptions& options,
                           std::span<PointRead* const, kReads> reads) const {
  PointRead* left[std::min(kReads, Version::kReadsMax)];
  size_t n = 0;
  for (PointRead* read : reads) {
    GetFromMemTables(state, read);
    if (!read->get.needs_no_older()) left[n++] = read;
  }
  RecordTick(context_.statistics(), MEMTABLE_HIT, reads.size() - n);
  RecordTick(context_.statistics(), MEMTABLE_MISS, n);
  if (n == 0) return;
  PerfTimer timer(&tls_perf_context.get_from_output_files_time);
  ReadContext context(options, context_.statistics());
  ReadLimits limits;
  if (ReadLimits::AreSet(options)) [[unlikely]] {
    limits = ReadLimits(options, context_.clock(),
                        context_.options.rate_limiter.get());
    context.limits = &limits;
  }
  state.version->Get({left, n}, std::move(context));
}

Status DBImpl::Get(const ReadOptions& options, ColumnFamilyHandle* handle,
                   const Slice& key, PinnableSlice* value) {
  const HistogramTimer timing(context_.statistics(), DB_GET);
  const PerfCpuTimer cpu(&tls_perf_context.get_cpu_nanos);
  value->Reset();
  TAMIS_RETURN_IF_ERROR(CheckReadable());
  const ColumnFamily& family = *FamilyOf(handle);
  EpochDomain::Guard guard(family.epochs());
  SequenceNumber sequence;
  PerfTimer snapshot_timer(&tls_perf_context.get_snapshot_time);
  const ReadState& state = CurrentStateAt(options, family, &sequence);
  snapshot_timer.Stop();
  PointRead read(key, sequence, family.merge_with(), value);
  read.get.set_ignores_tombstones(options.ignore_range_deletions);
  PointRead* const one = &read;
  Search(state, options, std::span<PointRead* const, 1>(&one, 1));
  // Merges operands outside the Guard: a slow operator must not delay freeing.
  guard.Leave();
  const PerfTimer post_timer(&tls_perf_context.get_post_process_time);
  Status status = Finish(&read);
  if (status.ok()) TAMIS_PERF_COUNT(get_read_bytes, value->size());
  if (context_.statistics() != nullptr) [[unlikely]]
    CountGet(status, value->size());
  return status;
}

Status DBImpl::GetMergeOperands(const ReadOptions& options,
                                ColumnFamilyHandle* handle, const Slice& key,
                                std::span<PinnableSlice> operands, int* count) {
  *count = 0;
  TAMIS_RETURN_IF_ERROR(CheckReadable());
  const ColumnFamily& family = *FamilyOf(handle);
  PinnableSlice value;
  EpochDomain::Guard guard(family.epochs());
  SequenceNumber sequence;
  const ReadState& state = CurrentStateAt(options, family, &sequence);
  PointRead read(key, sequence, family.merge_with(), &value);
  read.get.set_ignores_tombstones(options.ignore_range_deletions);
  PointRead* const one = &read;
  Search(state, options, std::span<PointRead* const, 1>(&one, 1));
  guard.Leave();
  std::vector<std::string> found;
  const Status status = read.get.FinishOperands(&found);
  *count = static_cast<int>(found.size());
  uint64_t bytes = 0;
  for (const std::string& operand : found) bytes += operand.size();
  CountGet(status, bytes);
  if (found.size() > operands.size()) {
    return Status::Incomplete(Status::KMergeOperandsInsufficientCapacity);
  }
  for (size_t i = 0; i < found.size(); ++i) {
    operands[i].Reset();
    *operands[i].GetSelf() = std::move(found[i]);
    operands[i].PinSelf();
  }
  return status;
}

void DBImpl::CountGet(const Status& status, uint64_t bytes) const {
  Statistics* const statistics = context_.statistics();
  RecordTick(statistics, NUMBER_KEYS_READ);
  if (!status.ok()) return;
  RecordTick(statistics, BYTES_READ, bytes);
  RecordInHistogram(statistics, BYTES_PER_READ, bytes);
}

void DBImpl::MultiGet(const ReadOptions& options, ColumnFamilyHandle* handle,
                      size_t num_keys, const Slice* keys, PinnableSlice* values,
                      Status* statuses) {
  const HistogramTimer timing(context_.statistics(), DB_MULTIGET);
  const PerfCpuTimer cpu(&tls_perf_context.get_cpu_nanos);
  const Status open = CheckReadable();
  if (!open.ok()) {
    for (size_t i = 0; i < num_keys; ++i) {
      values[i].Reset();
      statuses[i] = open;
    }
    return;
  }
  std::vector<ReadRequest> requests;
  requests.reserve(num_keys);
  for (size_t i = 0; i < num_keys; ++i) {
    values[i].Reset();
    requests.push_back({keys[i], &values[i], &statuses[i]});
  }
  const ColumnFamily& family = *FamilyOf(handle);
  EpochDomain::Guard guard(family.epochs());
  SequenceNumber sequence;
  const ReadState& state = CurrentStateAt(options, family, &sequence);
  // Takes a reference if one Guard over all searches would delay freeing: for
  // many reads, or if a merge operator runs between two searches.
  ReadStatePtr counted;
  if (num_keys > Version::kReadsMax &&
      (num_keys > kGuardedReadsMax || family.fixed_options().merge_operator)) {
    counted = state.shared_from_this();
    guard.Leave();
  }
  uint64_t value_bytes = 0;
  ReadAll(family, state, sequence, options, requests, &guard, &value_bytes);
  CountMultiGet(requests);
}

void DBImpl::CountMultiGet(std::span<const ReadRequest> requests) const {
  Statistics* const statistics = context_.statistics();
  if (statistics == nullptr) return;
  uint64_t found = 0;
  uint64_t bytes = 0;
  for (const ReadRequest& request : requests) {
    if (!request.status->ok()) continue;
    ++found;
    bytes += request.value->size();
  }
  RecordTick(statistics, NUMBER_MULTIGET_CALLS);
  RecordTick(statistics, NUMBER_MULTIGET_KEYS_READ, requests.size());
  RecordTick(statistics, NUMBER_MULTIGET_KEYS_FOUND, found);
  RecordTick(statistics, NUMBER_MULTIGET_BYTES_READ, bytes);
  RecordInHistogram(statistics, BYTES_PER_MULTIGET, bytes);
}

void DBImpl::MultiGet(const ReadOptions& options, size_t num_keys,
                      ColumnFamilyHandle* const* families, const Slice* keys,
                      PinnableSlice* values, Status* statuses) {
  const HistogramTimer timing(context_.statistics(), DB_MULTIGET);
  const PerfCpuTimer cpu(&tls_perf_context.get_cpu_nanos);
  std::vector<ReadRequest> all;
  all.reserve(num_keys);
  for (size_t i = 0; i < num_keys; ++i) {
    values[i].Reset();
    all.push_back({keys[i], &values[i], &statuses[i]});
  }
  const Status open = CheckReadable();
  if (!open.ok()) {
    for (const ReadRequest& request : all) *request.status = open;
    return;
  }
  // Takes references, not a Guard: families may have caches, and so epochs, of
  // their own, and the states are loaded again until they fit one sequence
  // number.
  ReadStates states;
  const SequenceNumber sequence = AcquireReadStates(
      options, FamiliesOf({families, families + num_keys}), &states);
  std::map<const ColumnFamily*, std::vector<ReadRequest>> requests;
  for (size_t i = 0; i < num_keys; ++i) {
    requests[FamilyOf(families[i]).get()].push_back(all[i]);
  }
  uint64_t value_bytes = 0;
  for (const auto& [family, of_family] : requests) {
    ReadAll(*family, *states[family], sequence, options, of_family,
            /*guard=*/nullptr, &value_bytes);
  }
  CountMultiGet(all);
}

void DBImpl::Abort(std::span<const ReadRequest> requests) {
  for (const ReadRequest& request : requests) {
    request.value->Reset();
    *request.status =
        Status::Aborted("MultiGet", "value_size_soft_limit is exceeded");
  }
}

void DBImpl::ReadAll(const ColumnFamily& family, const ReadState& state,
                     SequenceNumber sequence, const ReadOptions& options,
                     std::span<const ReadRequest> requests,
                     EpochDomain::Guard* guard, uint64_t* value_bytes) const {
  const MergeWith merge = family.merge_with();
  if (*value_bytes > options.value_size_soft_limit) return Abort(requests);
  while (!requests.empty()) {
    const size_t n = std::min(requests.size(), Version::kReadsMax);
    FixedVector<PointRead, Version::kReadsMax> reads;
    PointRead* all[Version::kReadsMax];
    for (size_t i = 0; i < n; ++i) {
      all[i] = &reads.emplace_back(requests[i].key, sequence, merge,
                                   requests[i].value);
      all[i]->get.set_ignores_tombstones(options.ignore_range_deletions);
    }
    {
      const EpochDomain::Guard of_search(family.epochs());
      Search(state, options, std::span<PointRead* const>(all, n));
    }
    if (n == requests.size() && guard != nullptr) guard->Leave();
    for (size_t i = 0; i < n; ++i) {
      *requests[i].status = Finish(all[i]);
      if (!requests[i].status->ok()) continue;
      *value_bytes += requests[i].value->size();
      TAMIS_PERF_COUNT(multiget_read_bytes, requests[i].value->size());
      if (*value_bytes > options.value_size_soft_limit) [[unlikely]]
        return Abort(requests.subspan(i + 1));
    }
    requests = requests.subspan(n);
  }
}

Status DBImpl::Finish(PointRead* read) const {
  Status status = read->get.Finish();
  if (!read->get.operands().empty()) [[unlikely]] {
    RecordInHistogram(context_.statistics(), READ_NUM_MERGE_OPERANDS,
                      read->get.operands().size());
  }
  return status;
}

Iterator* DBImpl::NewIterator(const ReadOptions& options,
                              ColumnFamilyHandle* handle) {
  const Status checked = CheckScan(options);
  if (!checked.ok()) return NewErrorIterator(checked).release();
  ColumnFamilyPtr family = ShareFamilyOf(handle);
  const KeyOrder& order = family->order();
  return NewDBIterator(order, CurrentInputs(options, std::move(family)))
      .release();
}

Status DBImpl::NewIterators(const ReadOptions& options,
                            const std::vector<ColumnFamilyHandle*>& handles,
                            std::vector<Iterator*>* iterators) {
  iterators->clear();
  TAMIS_RETURN_IF_ERROR(CheckScan(options));
  ReadStates states;
  const SequenceNumber sequence =
      AcquireReadStates(options, FamiliesOf(handles), &states);
  iterators->reserve(handles.size());  // so that push_back leaks no iterator
  for (const ColumnFamilyHandle* handle : handles) {
    ColumnFamilyPtr family = ShareFamilyOf(handle);
    const KeyOrder& order = family->order();
    ReadStatePtr state = states[family.get()];
    iterators->push_back(
        NewDBIterator(order, InputsOver(options, std::move(family),
                                        std::move(state), sequence))
            .release());
  }
  return Status::OK();
}

Status DBImpl::CheckScan(const ReadOptions& options) const {
  TAMIS_RETURN_IF_ERROR(CheckReadable());
  if (options.managed) {
    return Status::NotSupported("ReadOptions::managed",
                                "there are no managed iterators");
  }
  if (!options.tailing || options.snapshot == nullptr) return Status::OK();
  return Status::InvalidArgument("ReadOptions",
                                 "tailing and snapshot exclude each other");
}

bool DBImpl::CatchUp(DBIteratorInputs* in) const {
  const EpochDomain::Guard guard(in->family->epochs());
  SequenceNumber sequence;
  const ReadState& state = CurrentStateAt(in->options, *in->family, &sequence);
  if (&state != in->state.get()) return false;
  if (sequence == in->sequence) return true;
  // The iterator's view of tombstones is of the old sequence number.
  if (!in->options.ignore_range_deletions &&
      !state.memtable->RangeTombstones(sequence).empty()) {
    return false;
  }
  in->sequence = sequence;
  in->tombstones->ReadAt(sequence);
  return true;
}

DBIteratorInputs DBImpl::CurrentInputs(const ReadOptions& options,
                                       ColumnFamilyPtr family) {
  SequenceNumber sequence;
  ReadStatePtr state = AcquireStateAt(options, *family, &sequence);
  return InputsOver(options, std::move(family), std::move(state), sequence);
}

DBIteratorInputs DBImpl::InputsOver(const ReadOptions& options,
                                    ColumnFamilyPtr owned_family,
                                    ReadStatePtr state,
                                    SequenceNumber sequence) {
  DBIteratorInputs in;
  in.family = std::move(owned_family);
  const ColumnFamily* const family = in.family.get();
  in.state = std::move(state);
  in.sequence = sequence;
  in.options = options;
  in.prefix_extractor = in.state->options->prefix_extractor.get();
  in.merge_with = family->merge_with();
  in.statistics = context_.statistics();
  in.on_close = [this, by_job = options.background_purge_on_iterator_cleanup] {
    PurgeAfterRead(by_job);
  };
  in.renew = [this](const DBIteratorInputs& old, DBIteratorInputs* fresh) {
    TAMIS_RETURN_IF_ERROR(CheckReadable());
    *fresh = CurrentInputs(old.options, old.family);
    return Status::OK();
  };
  if (options.tailing) {
    in.catch_up = [this](DBIteratorInputs* all) { return CatchUp(all); };
  }
  in.scope->table_filter = options.table_filter;
  in.scope->limits = ReadLimits(options, context_.clock(),
                                context_.options.rate_limiter.get());
  if (options.ignore_range_deletions) in.tombstones->IgnoreAll();

  std::vector<std::unique_ptr<InternalIterator>> children;
  // Views taken after the sequence number was loaded include all tombstones
  // visible at it.
  const auto add = [&](const MemTable& memtable) {
    children.push_back(memtable.NewIterator());
    in.tombstones->Keep(memtable.RangeTombstones(sequence));
  };
  add(*in.state->memtable);
  for (const auto& memtable : in.state->immutables) add(*memtable);
  in.state->version->AddIterators(
      ReadContext::ForScan(options, context_.statistics(), in.scope.get()),
      in.tombstones.get(), &children);
  in.entries = NewMergingIterator(family->order(), std::move(children));
  return in;
}

const Snapshot* DBImpl::GetSnapshot() {
  for (const ColumnFamilyPtr& family : *versions_.families().view()) {
    if (family->fixed_options().inplace_update_support) return nullptr;
  }
  const uint64_t now_micros = context_.clock()->NowMicros();
  MutexLock lock(&mutex_);
  mutex_.Wait(context_.runner(), scheduler_.changed(), [this] {
    mutex_.AssertHeld();
    return snapshot_holds_ == 0;
  });
  SnapshotImpl::KeptStates kept;
  // A primary does not know of the snapshots of its secondary instances.
  const bool keeps_all = primary_ != nullptr;
  if (keeps_all || scheduler_.is_filtering()) {
    // Before the sequence number is loaded, as in every read.
    for (const ColumnFamilyPtr& family : *versions_.families().view()) {
      if (!keeps_all && !HasCompactionFilter(family->fixed_options())) continue;
      kept.push_back({family, family->AcquireReadState()});
    }
  }
  return snapshots_.New(versions_.last_sequence(), std::move(kept),
                        static_cast<int64_t>(now_micros / 1'000'000));
}

void DBImpl::ReleaseSnapshot(const Snapshot* snapshot) {
  if (snapshot == nullptr) return;
  SnapshotImpl::KeptStates kept;
  {
    MutexLock lock(&mutex_);
    kept = snapshots_.Delete(snapshot);
  }
  if (kept.empty()) return;
  kept.clear();
  PurgeAfterRead();
}

void DBImpl::PurgeAfterRead(bool by_job) {
  // After Close, another process may own the directory.
  if (!obsolete_.maybe_pending() || !CheckOpen().ok()) return;
  MutexLock lock(&mutex_);
  if (by_job) {
    scheduler_.SchedulePurge();
  } else {
    scheduler_.PurgeObsoleteFiles();
  }
}

}  // namespace tamis
