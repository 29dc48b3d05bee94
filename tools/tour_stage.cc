// SPDX-License-Identifier: Apache-2.0
#include "tools/tour_stage.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "tamis/db.h"
#include "tamis/filter_policy.h"
#include "tamis/perf_context.h"

#include "tools/table_facts.h"
#include "util/printable.h"
#include "util/random.h"

namespace tamis {
namespace {

// Small, so that a corpus of some megabytes is flushed and compacted on the
// way and ends in several files.
constexpr size_t kMemtableBytes = size_t{2} << 20;
constexpr uint64_t kTableBytes = uint64_t{4} << 20;

struct Question {
  const std::string* key;
  const std::string* answer;  // nullptr: the key is absent
};

template <typename T>
void Shuffle(std::vector<T>* items, uint64_t seed) {
  Random random(seed);
  for (size_t i = items->size(); i > 1; i--) {
    std::swap((*items)[i - 1], (*items)[random.Uniform(i)]);
  }
}

Options OptionsFor(const StagePlan& plan) {
  BlockBasedTableOptions table;
  table.filter_policy.reset();
  if (plan.filter != TourFilter::kNone) {
    table.filter_policy.reset(NewBloomFilterPolicy(
        plan.bits_per_key, plan.filter == TourFilter::kBlock));
  }
  if (plan.filter == TourFilter::kPartitioned) {
    table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    table.partition_filters = true;
  }
  Options options;
  options.write_buffer_size = kMemtableBytes;
  options.target_file_size_base = kTableBytes;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  return options;
}

// Removes the database of an earlier tour; refuses to touch anything else.
Status ClearDirectory(const std::string& directory) {
  const std::shared_ptr<FileSystem> fs = NewPosixFileSystem();
  std::vector<std::string> names;
  const Status listed = fs->GetChildren(directory, &names);
  if (listed.IsPathNotFound() || (listed.ok() && names.empty())) {
    return Status::OK();
  }
  TAMIS_RETURN_IF_ERROR(listed);
  const bool database =
      std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name == "CURRENT" || name == "IDENTITY" || name == "LOCK";
      });
  if (!database) {
    return Status::InvalidArgument(
        directory, "holds files and is not a database: not touched");
  }
  return DestroyDB(directory, Options());
}

Status Load(DB* db, const Corpus& corpus, uint64_t seed) {
  std::vector<Question> order;
  order.reserve(corpus.entries.size());
  for (const auto& [key, value] : corpus.entries) {
    order.push_back({&key, &value});
  }
  Shuffle(&order, seed);
  for (const Question& entry : order) {
    TAMIS_RETURN_IF_ERROR(db->Put(WriteOptions(), *entry.key, *entry.answer));
  }
  TAMIS_RETURN_IF_ERROR(db->Flush(FlushOptions()));
  return db->CompactRange(CompactRangeOptions(), nullptr, nullptr);
}

Status CheckAnswer(const Question& question, const Status& status,
                   const Slice& value) {
  if (question.answer == nullptr) {
    if (status.IsNotFound()) return Status::OK();
    if (!status.ok()) return status;
    return Status::Corruption("was never written and yet found",
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

Result<LookupFigures> Ask(DB* db, const std::vector<Question>& questions) {
  LookupFigures figures;
  figures.asked = questions.size();
  PerfContext* const perf = get_perf_context();
  perf->Reset();
  uint64_t filters_asked = 0;
  PinnableSlice value;
  const auto begin = std::chrono::steady_clock::now();
  for (const Question& question : questions) {
    const Status s = db->Get(ReadOptions(), *question.key, &value);
    TAMIS_RETURN_IF_ERROR(CheckAnswer(question, s, value));
    const uint64_t now = perf->bloom_sst_hit_count + perf->bloom_sst_miss_count;
    if (now != filters_asked) figures.reached_filter++;
    filters_asked = now;
  }
  const std::chrono::duration<double, std::micro> took =
      std::chrono::steady_clock::now() - begin;
  figures.bloom_hits = perf->bloom_sst_hit_count;
  figures.bloom_misses = perf->bloom_sst_miss_count;
  figures.data_blocks_read = perf->block_read_count -
                             perf->index_block_read_count -
                             perf->filter_block_read_count;
  figures.data_blocks_searched =
      figures.data_blocks_read + perf->block_cache_hit_count -
      perf->block_cache_index_hit_count - perf->block_cache_filter_hit_count;
  if (!questions.empty()) {
    figures.micros_per_read =
        took.count() / static_cast<double>(questions.size());
  }
  return figures;
}

// Opens with an empty cache, asks, closes.
Result<LookupFigures> AskCold(const StagePlan& plan,
                              std::vector<Question> questions) {
  Shuffle(&questions, plan.seed + 1);
  std::unique_ptr<DB> db;
  TAMIS_RETURN_IF_ERROR(DB::Open(OptionsFor(plan), plan.directory, &db));
  // Opens the tables, so that reading their own metadata is not counted.
  TablePropertiesCollection properties;
  TAMIS_RETURN_IF_ERROR(db->GetPropertiesOfAllTables(&properties));
  Result<LookupFigures> figures = Ask(db.get(), questions);
  TAMIS_RETURN_IF_ERROR(db->Close());
  return figures;
}

Status MeasureFiles(DB* db, StageFigures* figures) {
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  double expected_hits = 0;
  for (const LiveFileMetaData& file : files) {
    const std::string path = file.db_path + file.name;
    Result<TableFacts> facts = ReadTableFacts(path);
    if (!facts.ok()) return facts.status();
    const TableProperties& properties = *facts->properties;
    figures->files++;
    figures->file_bytes += file.size;
    figures->entries += properties.num_entries;
    figures->filter_bytes += facts->filter.bytes;
    figures->filter_entries += facts->filter.keys;
    expected_hits += facts->filter.predicted_fpr *
                     static_cast<double>(properties.num_entries);
    figures->table_path = path;
  }
  figures->predicted_fpr =
      figures->entries == 0
          ? 1
          : expected_hits / static_cast<double>(figures->entries);
  return Status::OK();
}

Status Build(const StagePlan& plan, const Corpus& corpus,
             StageFigures* figures) {
  TAMIS_RETURN_IF_ERROR(ClearDirectory(plan.directory));
  Options options = OptionsFor(plan);
  options.create_if_missing = true;
  std::unique_ptr<DB> db;
  TAMIS_RETURN_IF_ERROR(DB::Open(options, plan.directory, &db));
  TAMIS_RETURN_IF_ERROR(Load(db.get(), corpus, plan.seed));
  TAMIS_RETURN_IF_ERROR(MeasureFiles(db.get(), figures));
  return db->Close();
}

}  // namespace

const char* TourFilterName(TourFilter filter) {
  switch (filter) {
    case TourFilter::kNone:
      return "none";
    case TourFilter::kBlock:
      return "block";
    case TourFilter::kFull:
      return "full";
    case TourFilter::kPartitioned:
      return "partitioned";
  }
  return "unknown";
}

Result<StageFigures> RunStage(const StagePlan& plan, const Corpus& corpus,
                              const std::vector<std::string>& absent) {
  StageFigures figures;
  figures.filter = plan.filter;
  TAMIS_RETURN_IF_ERROR(Build(plan, corpus, &figures));

  std::vector<Question> questions;
  for (const auto& [key, value] : corpus.entries) {
    questions.push_back({&key, &value});
  }
  Result<LookupFigures> present = AskCold(plan, std::move(questions));
  if (!present.ok()) return present.status();
  figures.present = *present;

  questions.clear();
  for (const std::string& key : absent) questions.push_back({&key, nullptr});
  Result<LookupFigures> nothing = AskCold(plan, std::move(questions));
  if (!nothing.ok()) return nothing.status();
  figures.absent = *nothing;

  const LookupFigures& asked = figures.absent;
  if (plan.filter != TourFilter::kNone &&
      asked.reached_filter * 100 < asked.asked * 99) {
    return Status::Corruption("only " + std::to_string(asked.reached_filter) +
                              " of " + std::to_string(asked.asked) +
                              " absent keys reached a filter");
  }
  return figures;
}

}  // namespace tamis
