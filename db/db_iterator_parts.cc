// SPDX-License-Identifier: Apache-2.0
#include "db/db_iterator_parts.h"

#include <algorithm>

#include "table/key_buffer.h"
#include "util/stats/perf_counters.h"

namespace tamis {

bool ParseUncommonEntry(const Slice& key, ParsedInternalKey* parsed,
                        Status* error) {
  if (!ParseInternalKey(key, parsed)) {
    *error = Status::Corruption("an entry of a kind that is never stored",
                                PrintableInternalKey(key));
    return false;
  }
  if (parsed->type != kTypeValue && parsed->type != kTypeMerge &&
      parsed->type != kTypeDeletion && parsed->type != kTypeSingleDeletion) {
    *error =
        Status::NotSupported(std::string("an iterator over an entry of type ") +
                                 ValueTypeName(parsed->type),
                             PrintableInternalKey(key));
    return false;
  }
  return true;
}

void SeekToKey(const Slice& user_key, SequenceNumber sequence,
               InternalIterator* entries) {
  PerfTimer timer(&tls_perf_context.seek_internal_seek_time);
  const LookupKey target(user_key, sequence);
  entries->Seek(target.internal_key());
}

// `first` sorts before every stored version of the key.
void SeekBeforeKey(const Slice& user_key, InternalIterator* entries) {
  PerfTimer timer(&tls_perf_context.seek_internal_seek_time);
  const LookupKey first(user_key, kMaxSequenceNumber);
  entries->SeekForPrev(first.internal_key());
}

void SeekToOldestOrBefore(const Slice& user_key, InternalIterator* entries) {
  PerfTimer timer(&tls_perf_context.seek_internal_seek_time);
  char tail[kInternalKeyTailBytes];
  EncodeFixed64(tail, PackSequenceAndType(0, kTypeDeletion));
  KeyBuffer last;
  entries->SeekForPrev(
      last.Assemble(user_key, user_key.size(), Slice(tail, sizeof(tail))));
}

namespace {

// Of the tombstones that an iterator knows.
class KnownRun final : public HiddenRun {
 public:
  KnownRun(const KeyOrder& order, const RangeDelAggregator& tombstones,
           const Slice& user_key, bool forward)
      : order_(order),
        tombstones_(tombstones),
        user_key_(user_key),
        forward_(forward) {}
  bool Find(SequenceNumber newest, std::string* end) const override {
    return tombstones_.FindRun(order_, user_key_, forward_, newest, end);
  }

 private:
  const KeyOrder& order_;
  const RangeDelAggregator& tombstones_;
  const Slice user_key_;
  const bool forward_;
};

}  // namespace

void PastGone::Seek(const ParsedInternalKey& gone,
                    const RangeDelAggregator& tombstones, bool forward,
                    InternalIterator* entries) {
  gone_ = 0;
  const KnownRun run(order_, tombstones, gone.user_key, forward);
  if (forward) {
    entries->NextAfterHidden(run);
  } else {
    entries->PrevBeforeHidden(run);
  }
}

Status OperandList::Merge(const MergeWith& merge_with, const Slice& user_key,
                          const Slice* base, bool newest_first,
                          std::string* result) {
  TAMIS_PERF_COUNT(internal_merge_count, size_);
  oldest_first_.assign(all_.begin(),
                       all_.begin() + static_cast<std::ptrdiff_t>(size_));
  if (newest_first) std::reverse(oldest_first_.begin(), oldest_first_.end());
  return FullMerge(merge_with, user_key, base, oldest_first_, result);
}

}  // namespace tamis
