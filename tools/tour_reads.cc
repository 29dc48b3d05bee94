// SPDX-License-Identifier: Apache-2.0
#include "tools/tour_reads.h"

#include <chrono>
#include <memory>

#include "tamis/db.h"
#include "tamis/perf_context.h"

#include "tools/tour_timing.h"
#include "util/coding/printable.h"

namespace tamis {
namespace {

// No round starts after this time.
constexpr std::chrono::seconds kLongEnough(20);

Status CheckAnswer(const Lookup& lookup, const Status& status,
                   const Slice& value) {
  if (lookup.answer == nullptr) {
    if (status.IsNotFound()) return Status::OK();
    if (!status.ok()) return status;
    return Status::Corruption("was never written and yet found: ",
                              Printable(*lookup.key));
  }
  if (status.IsNotFound()) {
    return Status::Corruption("false negative, was written and is not found",
                              Printable(*lookup.key));
  }
  if (status.ok() && value != Slice(*lookup.answer)) {
    return Status::Corruption("wrong value for " + Printable(*lookup.key),
                              Printable(value));
  }
  return status;
}

// Appends each batch's time to `micros`.
Result<LookupFigures> LookUpAll(DB* db, const std::vector<Lookup>& lookups,
                                std::vector<double>* micros) {
  LookupFigures figures;
  figures.asked = lookups.size();
  PerfContext* const perf = get_perf_context();
  perf->Reset();
  uint64_t filters_probed = 0;
  PinnableSlice value;
  auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < lookups.size(); i++) {
    const Lookup& lookup = lookups[i];
    const Status s = db->Get(ReadOptions(), *lookup.key, &value);
    TAMIS_RETURN_IF_ERROR(CheckAnswer(lookup, s, value));
    const uint64_t now = perf->bloom_sst_hit_count + perf->bloom_sst_miss_count;
    if (now != filters_probed) figures.reached_filter++;
    filters_probed = now;
    if ((i + 1) % kTimedBatch == 0 || i + 1 == lookups.size()) {
      const auto end = std::chrono::steady_clock::now();
      micros->push_back(
          std::chrono::duration<double, std::micro>(end - begin).count());
      begin = end;
    }
  }
  figures.bloom_hits = perf->bloom_sst_hit_count;
  figures.bloom_misses = perf->bloom_sst_miss_count;
  figures.data_blocks_read = perf->block_read_count -
                             perf->index_block_read_count -
                             perf->filter_block_read_count;
  figures.data_blocks_searched =
      figures.data_blocks_read + perf->block_cache_hit_count -
      perf->block_cache_index_hit_count - perf->block_cache_filter_hit_count;
  return figures;
}

// The same lookups in one stage, in several rounds.
struct Series {
  const std::vector<Lookup>* lookups = nullptr;
  LookupFigures figures = {};
  std::vector<std::vector<double>> micros = {};  // by round and batch
};

// Opens the database with an empty cache, looks the keys up, and closes it.
Status LookUpCold(const StagePlan& plan, Series* series) {
  std::unique_ptr<DB> db;
  TAMIS_RETURN_IF_ERROR(DB::Open(StageOptions(plan), plan.directory, &db));
  // Opens the tables first, so that reading their metadata is not counted.
  TablePropertiesCollection properties;
  TAMIS_RETURN_IF_ERROR(db->GetPropertiesOfAllTables(&properties));
  Result<LookupFigures> figures =
      LookUpAll(db.get(), *series->lookups, &series->micros.emplace_back());
  if (!figures.ok()) return figures.status();
  series->figures = *figures;
  return db->Close();
}

LookupFigures Finish(const Series& series) {
  LookupFigures figures = series.figures;
  const auto reads = static_cast<double>(series.lookups->size());
  if (reads == 0) return figures;
  const Quartiles sum = SumOfQuartiles(series.micros);
  figures.micros_per_read = {sum.lower / reads, sum.median / reads,
                             sum.upper / reads};
  return figures;
}

Status CheckReached(const StageFigures& stage) {
  const LookupFigures& asked = stage.absent;
  if (stage.plan.filter == TourFilter::kNone ||
      asked.reached_filter * 100 >= asked.asked * 99) {
    return Status::OK();
  }
  return Status::Corruption("only " + std::to_string(asked.reached_filter) +
                            " of " + std::to_string(asked.asked) +
                            " absent keys reached a filter");
}

}  // namespace

Result<int> MeasureStages(const Corpus& corpus,
                          const std::vector<std::string>& absent, int rounds,
                          std::vector<StageFigures>* stages) {
  const uint64_t seed = stages->front().plan.seed + 1;
  const std::vector<Lookup> to_find = PresentLookups(corpus, seed);
  const std::vector<Lookup> to_miss = AbsentLookups(absent, seed);
  const size_t count = stages->size();
  std::vector<Series> present(count, Series{.lookups = &to_find});
  std::vector<Series> nothing(count, Series{.lookups = &to_miss});

  const auto stop = std::chrono::steady_clock::now() + kLongEnough;
  int round = 0;
  while (round < rounds &&
         (round == 0 || std::chrono::steady_clock::now() < stop)) {
    for (size_t i = 0; i < count; i++) {
      // Each round starts with a different stage.
      const size_t turn = (i + static_cast<size_t>(round)) % count;
      const StagePlan& plan = (*stages)[turn].plan;
      TAMIS_RETURN_IF_ERROR(LookUpCold(plan, &present[turn]));
      TAMIS_RETURN_IF_ERROR(LookUpCold(plan, &nothing[turn]));
    }
    round++;
  }
  for (size_t i = 0; i < count; i++) {
    (*stages)[i].present = Finish(present[i]);
    (*stages)[i].absent = Finish(nothing[i]);
    TAMIS_RETURN_IF_ERROR(CheckReached((*stages)[i]));
  }
  return round;
}

}  // namespace tamis
