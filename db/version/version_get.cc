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

}  // namespace

// Looks up each key in its file.
void Version::Probe(std::span<const Candidate> candidates, uint64_t weight,
                    const ReadContext& context) const {
  TableProbe probes[kReadsMax];
  size_t n = 0;
  FixedVector<TableReaderPtr, kReadsMax> counted;
  for (const auto& [read, file] : candidates) {
    const TableReader* table = file->reader_if_open();
    if (table == nullptr) [[unlikely]] {
      auto opened = tables_->Reader(*file, context.tier);
      if (!opened.ok()) {
        read->get.Fail(opened.status());
        continue;
      }
      table = counted.emplace_back(*std::move(opened)).get();
    }
    // The filter knows no range tombstones and may skip the file, so they come
    // first.
    if (const auto* tombstones = file->range_tombstones_if_open())
        [[unlikely]] {
      read->get.CoverBy(
          tombstones->Covering(read->key.user_key(), read->key.sequence()));
    }
    probes[n++] = {table, read};
  }
  TableReader::MultiGet({probes, n}, context);
  for (size_t i = 0; i < n; ++i) {
    const GetContext::State state = probes[i].read->get.state();
    if (state == GetContext::State::kFound ||
        state == GetContext::State::kMergeReady) {
      CountGetHit(context.statistics, context.level);
    }
  }
  if (weight != 0) [[unlikely]]
    CountNegatives(candidates, weight);
}

// Counts those that did not find their key.
void Version::CountNegatives(std::span<const Candidate> candidates,
                             uint64_t weight) {
  for (const auto& [read, file] : candidates) {
    if (read->get.state() == GetContext::State::kAbsent) {
      file->CountNegative(weight);
    }
  }
}

// Prefetches, for each key, the filter lines of all files that may hold it.
void Version::PrefetchFilters(std::span<PointRead* const> reads,
                              const CandidateRanges& ranges) const {
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

void Version::Get(std::span<PointRead* const> reads,
                  ReadContext&& context) const {
  TAMIS_DCHECK(reads.size() <= kReadsMax);
  const uint64_t weight = LookupSampler::NextWeight();
  if (weight != 0) [[unlikely]]
    tables_->CountLookups(weight * reads.size());
  CandidateRanges ranges;
  for (const Level level : sorted_levels_) {
    for (size_t i = 0; i < reads.size(); ++i) {
      ranges[level][i] = index(level).FindSpanning(reads[i]->key);
    }
  }
  if (files(kLevelZero).size() + sorted_levels_.size() > 1) {
    PrefetchFilters(reads, ranges);
  }

  Candidate candidates[kReadsMax];
  bool all_answered = false;
  // Probes one file for each key that needs older versions. Returns false if no
  // key has such a file.
  const auto probe = [&](auto&& file_of) {
    size_t n = 0;
    all_answered = true;
    for (size_t i = 0; i < reads.size(); ++i) {
      if (reads[i]->get.needs_no_older()) continue;
      all_answered = false;
      if (const TableFile* const file = file_of(i)) {
        candidates[n++] = {reads[i], file};
      }
    }
    if (n > 0) Probe({candidates, n}, weight, context);
    return n > 0;
  };

  context.level = kLevelZero.value();
  for (size_t f = 0; f < files(kLevelZero).size() && !all_answered; ++f) {
    probe([&](size_t i) -> const TableFile* {
      return index(kLevelZero).Spans(f, reads[i]->key.user_key())
                 ? files(kLevelZero)[f].get()
                 : nullptr;
    });
  }
  for (const Level level : sorted_levels_) {
    if (all_answered) return;
    context.level = level.value();
    // A further round reads the next file, which may begin with older versions
    // of a key.
    while (probe([&](size_t i) -> const TableFile* {
      LevelIndex::Range& range = ranges[level][i];
      return range.empty() ? nullptr : levels_[level][range.begin++].get();
    })) {
    }
  }
}

}  // namespace tamis
