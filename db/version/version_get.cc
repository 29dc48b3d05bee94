// SPDX-License-Identifier: Apache-2.0
//
// Point reads over the files of a version: where each key can be, by the heads
// of the files' keys alone; then the lines of these files' filters, asked for
// together; then what the files say, the newest first.
#include <algorithm>
#include <array>
#include <utility>

#include "db/version/version.h"
#include "table/table_lookup.h"
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

// Step by step for all of them: table_lookup.h says what each step is.
template <size_t kQuestionsMax>
void Version::AskTogether(std::span<const Question> questions,
                          const ReadContext& context) const {
  TAMIS_DCHECK(questions.size() <= kQuestionsMax);
  struct Answering {
    Answering(const Question& asked, TableHandle&& open,
              const ReadContext& read)
        : question(asked),
          table(std::move(open)),
          lookup(*table, asked.read->key, asked.read->filter_key, read,
                 &asked.read->get) {}
    std::pair<uint64_t, uint64_t> PlaceToRead() const {
      return lookup.WillRead()
                 ? std::pair(question.file->meta.number, lookup.block_offset())
                 : std::pair(uint64_t{0}, uint64_t{0});
    }
    const Question& question;
    const TableHandle table;
    TableLookup lookup;
  };
  FixedVector<Answering, kQuestionsMax> all;
  for (const Question& question : questions) {
    PointRead& read = *question.read;
    TableHandle table(TableCache::OpenReader(*question.file));
    if (!table) [[unlikely]] {
      auto opened = tables_->Reader(*question.file, context.tier);
      if (!opened.ok()) {
        read.get.Fail(opened.status());
        continue;
      }
      table = *std::move(opened);
    }
    // Before the filter, which knows keys alone.
    if (const auto* tombstones =
            TableCache::OpenRangeTombstones(*question.file)) [[unlikely]] {
      read.get.CoverBy(
          tombstones->Covering(read.key.user_key(), read.key.sequence()));
    }
    Answering& one = all.emplace_back(question, std::move(table), context);
    if (kQuestionsMax > 1) one.lookup.PrefetchFilter();
  }
  for (Answering& one : all) {
    if (one.lookup.AskFilter()) one.lookup.FindBlock();
  }
  if (kQuestionsMax > 1) {
    for (Answering& one : all) one.lookup.PrefetchBlock();
    for (const Answering& one : all) one.lookup.PrefetchSlot();
    for (const Answering& one : all) one.lookup.PrefetchEntry();
  }
  const auto search = [&context](Answering& one, LastBlock* last) {
    GetContext& get = one.question.read->get;
    Status status = one.lookup.Search(last);
    if (!status.ok()) {
      get.Fail(std::move(status));
    } else if (get.state() == GetContext::State::kFound ||
               get.state() == GetContext::State::kMergeReady) {
      CountGetHit(context.statistics, context.level);
    }
  };
  if (kQuestionsMax == 1 ||
      std::none_of(all.begin(), all.end(), [](const Answering& one) {
        return one.lookup.WillRead();
      })) {
    for (Answering& one : all) search(one, nullptr);
    return;
  }
  // Those that read do so from front to back, a block once for all its keys.
  Answering* order[kQuestionsMax];
  std::transform(all.begin(), all.end(), order,
                 [](Answering& one) { return &one; });
  std::sort(order, order + all.size(),
            [](const Answering* a, const Answering* b) {
              return a->PlaceToRead() < b->PlaceToRead();
            });
  LastBlock last;
  for (size_t i = 0; i < all.size(); ++i) search(*order[i], &last);
}

void Version::Ask(std::span<const Question> questions,
                  const ReadContext& context) const {
  if (questions.empty()) return;
  if (questions.size() == 1) {
    AskTogether<1>(questions, context);
  } else {
    AskTogether<kReadsMax>(questions, context);
  }
}

// Where a key can be in several files, a line of each filter is likely to be
// asked for: they come together, rather than one after the other.
void Version::PrefetchFilters(std::span<PointRead* const> reads,
                              const Places& places) const {
  const auto prefetch = [](const TableFile& file, const PointRead& read) {
    if (const TableReader* const table = TableCache::OpenReader(file)) {
      table->PrefetchFilter(read.filter_key);
    }
  };
  const LevelFiles& newest = files(0);
  for (size_t f = 0; f < std::min(newest.size(), kFiltersAheadMax); ++f) {
    for (const PointRead* read : reads) {
      if (indexes_[0].Spans(f, read->key.user_key())) {
        prefetch(*newest[f], *read);
      }
    }
  }
  for (const size_t level : sorted_levels_) {
    for (size_t i = 0; i < reads.size(); ++i) {
      const LevelIndex::Range& range = places[level][i];
      if (!range.empty()) prefetch(*levels_[level][range.begin], *reads[i]);
    }
  }
}

void Version::Get(std::span<PointRead* const> reads,
                  ReadContext&& context) const {
  TAMIS_DCHECK(reads.size() <= kReadsMax);
  Places places;
  for (const size_t level : sorted_levels_) {
    for (size_t i = 0; i < reads.size(); ++i) {
      places[level][i] = indexes_[level].FindSpanning(reads[i]->key);
    }
  }
  if (files(0).size() + sorted_levels_.size() > 1) {
    PrefetchFilters(reads, places);
  }

  Question questions[kReadsMax];
  bool all_answered = false;
  // The keys that may be in a file, and want to know.
  const auto ask = [&](auto&& file_of) {
    size_t asked = 0;
    all_answered = true;
    for (size_t i = 0; i < reads.size(); ++i) {
      if (reads[i]->get.needs_no_older()) continue;
      all_answered = false;
      if (const TableFile* const file = file_of(i)) {
        questions[asked++] = {reads[i], file};
      }
    }
    Ask({questions, asked}, context);
    return asked > 0;
  };

  context.level = 0;
  for (size_t f = 0; f < files(0).size() && !all_answered; ++f) {
    ask([&](size_t i) -> const TableFile* {
      return indexes_[0].Spans(f, reads[i]->key.user_key()) ? files(0)[f].get()
                                                            : nullptr;
    });
  }
  for (const size_t level : sorted_levels_) {
    if (all_answered) return;
    context.level = static_cast<int>(level);
    // Versions of one key may run on into the next file: then another round.
    while (ask([&](size_t i) -> const TableFile* {
      LevelIndex::Range& range = places[level][i];
      return range.empty() ? nullptr : levels_[level][range.begin++].get();
    })) {
    }
  }
}

}  // namespace tamis
