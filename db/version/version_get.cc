// SPDX-License-Identifier: Apache-2.0
//
// A point read of a version finds the files that may hold the key, mostly by
// key heads alone, prefetches lines of their filters, and looks the key up in
// the tables, newest files first. Up to kReadsMax reads run together.
#include <algorithm>
#include <utility>

#include "db/version/lookup_sampler.h"
#include "db/version/version.h"
#include "util/base/fixed_vector.h"
#include "util/stats/perf_counters.h"

namespace tamis {

namespace {

void CountGetHit(Statistics* statistics, int level) {
  RecordTick(statistics, level == 0   ? GET_HIT_L0
                         : level == 1 ? GET_HIT_L1
                                      : GET_HIT_L2_AND_UP);
  if (PerfContextByLevel* perf = PerfByLevel(level)) {
    ++perf->user_key_return_count;
  }
}

// REQUIRES: level < PerfContext::kLevels.
uint64_t* GetFromTableTime(int level) {
  PerfContext& perf = tls_perf_context;
  return perf.per_level_perf_context_enabled
             ? &perf.level_to_perf_context[static_cast<size_t>(level)]
                    .get_from_table_nanos
             : nullptr;
}

}  // namespace

const TableReader* Version::ReaderFor(PointRead* read, const TableFile& file,
                                      const ReadContext& context,
                                      TableReaderPtr* counted) const {
  const TableReader* table = file.reader_if_open();
  if (table == nullptr) [[unlikely]] {
    auto opened = tables_->Reader(file, context.tier);
    if (!opened.ok()) {
      read->get.Fail(opened.status());
      return nullptr;
    }
    *counted = *std::move(opened);
    table = counted->get();
  }
  // The filter knows no range tombstones and may skip the file, so they come
  // first.
  if (const auto* tombstones = file.range_tombstones_if_open()) [[unlikely]] {
    read->get.CoverBy(
        tombstones->Covering(read->key.user_key(), read->key.sequence()));
  }
  return table;
}

template <typename ReadsOrOne, typename FileOf>
inline bool Version::Probe(ReadsOrOne reads, uint64_t weight,
                           const ReadContext& context, Round round,
                           bool* answered, const FileOf& file_of) const {
  TableProbe probes[kMost<ReadsOrOne>];
  const TableFile* probed[kMost<ReadsOrOne>];
  FixedVector<TableReaderPtr, kMost<ReadsOrOne>> counted;
  size_t n = 0;
  bool any = false;
  *answered = true;
  for (size_t i = 0; i < reads.size(); ++i) {
    PointRead* const read = reads[i];
    // The next file of a level may have versions above a range tombstone of the
    // file before it.
    if (round == Round::kNextOfLevel ? read->get.done()
                                     : read->get.needs_no_older()) {
      continue;
    }
    *answered = false;
    const TableFile* const file = file_of(i);
    if (file == nullptr) continue;
    any = true;
    const TableReader* table = file->reader_if_open();
    if (table == nullptr || file->range_tombstones_if_open() != nullptr)
        [[unlikely]] {
      table = ReaderFor(read, *file, context, &counted.emplace_back());
      if (table == nullptr) continue;
    }
    probes[n] = {table, read};
    probed[n++] = file;
  }
  if (n == 0) return any;
  {
    const PerfTimer timer(GetFromTableTime(context.level));
    TableReader::MultiGet({probes, n}, context);
  }
  for (size_t i = 0; i < n; ++i) {
    const GetContext::State state = probes[i].read->get.state();
    if (weight != 0) [[unlikely]] {
      probed[i]->filter_counts()->gets.Add(probes[i].read->filter_outcome,
                                           weight);
    }
    if (state == GetContext::State::kFound ||
        state == GetContext::State::kMergeReady) {
      CountGetHit(context.statistics, context.level);
    } else if (weight != 0 && state == GetContext::State::kAbsent)
        [[unlikely]] {
      probed[i]->CountNegative(weight);
    }
  }
  return true;
}

// Prefetches, for each key, the filter lines of all files that may hold it.
template <typename ReadsOrOne>
void Version::PrefetchFilters(ReadsOrOne reads,
                              const CandidateRanges<ReadsOrOne>& ranges) const {
  const auto prefetch = [](const TableFile& file, const PointRead& read) {
    if (const auto* const table = file.reader_if_open()) {
      table->PrefetchFilter(read.filter_key);
    }
  };
  const LevelFiles& newest = files(kLevelZero);
  for (size_t f = 0; f < std::min(newest.size(), kFiltersAheadMax); ++f) {
    for (const PointRead* read : reads) {
      if (index(kLevelZero).Spans(f, read->key.user_key())) {
        prefetch(*newest[f], *read);
      }
    }
  }
  for (const Level level : sorted_levels_) {
    for (size_t i = 0; i < reads.size(); ++i) {
      const LevelIndex::Range& range = ranges[level][i];
      if (!range.empty()) prefetch(*levels_[level][range.begin], *reads[i]);
    }
  }
}

template <typename ReadsOrOne>
inline void Version::Search(ReadsOrOne reads, uint64_t weight,
                            ReadContext* context) const {
  CandidateRanges<ReadsOrOne> ranges;
  for (const Level level : sorted_levels_) {
    const LevelIndex& files_of_level = index(level);
    for (size_t i = 0; i < reads.size(); ++i) {
      ranges[level][i] = files_of_level.FindSpanning(reads[i]->key);
    }
  }
  const LevelFiles& newest = files(kLevelZero);
  if (newest.size() + sorted_levels_.size() > 1) PrefetchFilters(reads, ranges);

  bool answered = false;
  context->level = kLevelZero.value();
  for (size_t f = 0; f < newest.size() && !answered; ++f) {
    Probe(reads, weight, *context, Round::kFirst, &answered,
          [&](size_t i) -> const TableFile* {
            return index(kLevelZero).Spans(f, reads[i]->key.user_key())
                       ? newest[f].get()
                       : nullptr;
          });
  }
  for (const Level level : sorted_levels_) {
    if (answered) return;
    context->level = level.value();
    const LevelFiles& sorted = files(level);
    // A further round reads the next file, which may begin with older versions
    // of a key.
    Round round = Round::kFirst;
    while (Probe(reads, weight, *context, round, &answered,
                 [&](size_t i) -> const TableFile* {
                   LevelIndex::Range& range = ranges[level][i];
                   return range.empty() ? nullptr : sorted[range.begin++].get();
                 })) {
      round = Round::kNextOfLevel;
    }
  }
}

void Version::Get(std::span<PointRead* const> reads,
                  ReadContext&& context) const {
  TAMIS_DCHECK(reads.size() <= kReadsMax);
  const uint64_t weight = LookupSampler::NextWeight();
  if (weight != 0) [[unlikely]]
    tables_->CountLookups(weight * reads.size());
  if (reads.size() == 1) {
    Search(OneRead(reads), weight, &context);
  } else {
    Search(Reads(reads), weight, &context);
  }
}

}  // namespace tamis
