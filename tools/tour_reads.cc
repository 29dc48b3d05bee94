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

// No round begins after that.
constexpr std::chrono::seconds kLongEnough(20);

Status CheckAnswer(const Question& question, const Status& status,
                   const Slice& value) {
  if (question.answer == nullptr) {
    if (status.IsNotFound()) return Status::OK();
    if (!status.ok()) return status;
    return Status::Corruption("was never written and yet found: ",
                              Printable(*question.key));
  }
  if (status.IsNotFound()) {
    return Status::Corruption("false negative, was written and is not found",
                              Printable(*question.key));
  }
  if (status.ok() && value != Slice(*question.answer)) {
    return Status::Corruption("wrong value for " + Printable(*question.key),
                              Printable(value));
  }
  return status;
}

// What each batch took is added to `micros`.
Result<LookupFigures> Ask(DB* db, const std::vector<Question>& questions,
                          std::vector<double>* micros) {
  LookupFigures figures;
  figures.asked = questions.size();
  PerfContext* const perf = get_perf_context();
  perf->Reset();
  uint64_t filters_asked = 0;
  PinnableSlice value;
  auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < questions.size(); i++) {
    const Question& question = questions[i];
    const Status s = db->Get(ReadOptions(), *question.key, &value);
    TAMIS_RETURN_IF_ERROR(CheckAnswer(question, s, value));
    const uint64_t now = perf->bloom_sst_hit_count + perf->bloom_sst_miss_count;
    if (now != filters_asked) figures.reached_filter++;
    filters_asked = now;
    if ((i + 1) % kTimedBatch == 0 || i + 1 == questions.size()) {
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

// The same questions to one stage, round by round.
struct Series {
  const std::vector<Question>* questions = nullptr;
  LookupFigures figures = {};
  std::vector<std::vector<double>> micros = {};  // by round and batch
};

// Opens with an empty cache, asks, closes.
Status AskCold(const StagePlan& plan, Series* series) {
  std::unique_ptr<DB> db;
  TAMIS_RETURN_IF_ERROR(DB::Open(StageOptions(plan), plan.directory, &db));
  // Opens the tables, so that reading their own metadata is not counted.
  TablePropertiesCollection properties;
  TAMIS_RETURN_IF_ERROR(db->GetPropertiesOfAllTables(&properties));
  Result<LookupFigures> figures =
      Ask(db.get(), *series->questions, &series->micros.emplace_back());
  if (!figures.ok()) return figures.status();
  series->figures = *figures;
  return db->Close();
}

LookupFigures Finish(const Series& series) {
  LookupFigures figures = series.figures;
  const auto reads = static_cast<double>(series.questions->size());
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

Result<int> AskStages(const Corpus& corpus,
                      const std::vector<std::string>& absent, int rounds,
                      std::vector<StageFigures>* stages) {
  const uint64_t seed = stages->front().plan.seed + 1;
  const std::vector<Question> to_find = PresentQuestions(corpus, seed);
  const std::vector<Question> to_miss = AbsentQuestions(absent, seed);
  const size_t count = stages->size();
  std::vector<Series> present(count, Series{.questions = &to_find});
  std::vector<Series> nothing(count, Series{.questions = &to_miss});

  const auto stop = std::chrono::steady_clock::now() + kLongEnough;
  int round = 0;
  while (round < rounds &&
         (round == 0 || std::chrono::steady_clock::now() < stop)) {
    for (size_t i = 0; i < count; i++) {
      // Each round begins with another stage.
      const size_t turn = (i + static_cast<size_t>(round)) % count;
      const StagePlan& plan = (*stages)[turn].plan;
      TAMIS_RETURN_IF_ERROR(AskCold(plan, &present[turn]));
      TAMIS_RETURN_IF_ERROR(AskCold(plan, &nothing[turn]));
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
