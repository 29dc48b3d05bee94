// SPDX-License-Identifier: Apache-2.0
//
// tamis_tour: reads real keys through every kind of filter, and reports costs.
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <gflags/gflags.h>

#include "tamis/file_system.h"

#include "tools/table_dump.h"
#include "tools/tool_main.h"
#include "tools/tour_corpus.h"
#include "tools/tour_page.h"
#include "tools/tour_reads.h"
#include "tools/tour_stage.h"

using tamis::AtLeast;

TAMIS_FLAG(string, out, "build/tour", "DIR",
           "where the databases are left, one for each filter");
TAMIS_FLAG(double, bits_per_key, 10, "X", "of every filter");
TAMIS_FLAG(uint64, seed, 1, "N", "of all that is shuffled");
TAMIS_FLAG(int32, rounds, 13, "N", "of timed reads, at most", AtLeast(1));

namespace tamis {
namespace {

constexpr const char* kPackageLists = "/var/lib/dpkg/info";
constexpr size_t kDumpLines = 25;

std::string FirstLines(const std::string& text, size_t count) {
  size_t end = 0;
  for (size_t i = 0; i < count && end < text.size(); i++) {
    const size_t newline = text.find('\n', end);
    end = newline == std::string::npos ? text.size() : newline + 1;
  }
  return text.substr(0, end);
}

Result<std::string> Dump(const std::string& path) {
  const Result<std::unique_ptr<RawTable>> table = RawTable::Open(path);
  if (!table.ok()) return table.status();
  std::string head;
  std::string own;
  Status s = DumpTableHead(**table, [&](std::string_view t) { head += t; });
  if (s.ok()) {
    s = DumpOwnSections(**table, [&](std::string_view t) { own += t; });
  }
  if (!s.ok()) return s;
  return "tamis_sst_dump --command=raw --output=- --file=" + path + "\n\n" +
         FirstLines(head, kDumpLines) + "...\n" + own;
}

int Run(const std::vector<std::string>& words) {
  std::error_code error;
  if (words.empty() && !std::filesystem::is_directory(kPackageLists, error)) {
    return Misused("no dpkg file lists on this machine: name a text file");
  }
  Result<Corpus> corpus =
      words.empty() ? ReadPackageLists(kPackageLists) : ReadTextCorpus(words);
  if (!corpus.ok()) return Failed(corpus.status());
  if (corpus->entries.empty()) {
    return Failed(Status::InvalidArgument("the corpus holds no keys"));
  }
  const std::vector<std::string> absent = AbsentKeys(*corpus, FLAGS_seed);
  Print("corpus: " + corpus->name + ", " +
        std::to_string(corpus->entries.size()) + " keys\n");

  std::filesystem::create_directories(FLAGS_out, error);
  if (error) return Failed(Status::IOError(FLAGS_out, error.message()));
  constexpr std::array kFilters = {TourFilter::kNone, TourFilter::kBlock,
                                   TourFilter::kFull, TourFilter::kPartitioned};
  std::vector<StageFigures> stages;
  for (const TourFilter filter : kFilters) {
    StagePlan plan;
    plan.filter = filter;
    plan.bits_per_key = FLAGS_bits_per_key;
    plan.seed = FLAGS_seed;
    plan.directory = FLAGS_out + "/" + TourFilterName(filter);
    Result<StageFigures> figures = LoadStage(plan, *corpus);
    if (!figures.ok()) return Failed(figures.status());
    stages.push_back(*std::move(figures));
  }
  const Result<int> rounds =
      MeasureStages(*corpus, absent, FLAGS_rounds, &stages);
  if (!rounds.ok()) return Failed(rounds.status());
  Print("databases: " + FLAGS_out + "/{none,block,full,partitioned}\n\n" +
        TourTable(stages) + "\nTimes: of " + std::to_string(*rounds) +
        " interleaved rounds, each with an empty cache; of every " +
        std::to_string(kTimedBatch) +
        " reads the\nmedian and the quartiles over the rounds, added up.\n");
  const Result<std::string> dump = Dump(stages[2].table_path);
  if (!dump.ok()) return Failed(dump.status());
  Print("\n" + *dump);
  const std::string page = FLAGS_out + "/tour.html";
  const Status written = WriteStringToFile(
      NewPosixFileSystem().get(),
      TourPage(corpus->name + ", " + std::to_string(corpus->entries.size()) +
                   " keys",
               *rounds, stages, *dump),
      page, /*sync=*/false);
  if (!written.ok()) return Failed(written);
  Print("\nThe same as a page with charts: " + page + "\n");
  return kExitRight;
}

const CommandTable kTable = {
    "[flags] [FILE_OR_FOLDER]...",
    "Loads a corpus under each kind of filter (none, block, full, "
    "partitioned), asks for\nevery key and for as many that are absent, and "
    "prints what that took. The corpus:\nthe lines of the named files, or the "
    "file lists of the packages that are\ninstalled on this machine.\n",
};

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  return tamis::RunTool({"tamis_tour", nullptr, tamis::Run, &tamis::kTable},
                        argc, argv);
}
