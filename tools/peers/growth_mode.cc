// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/growth_mode.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tools/peers/folder_bytes.h"
#include "tools/peers/preset.h"
#include "tools/peers/read_workloads.h"
#include "tools/peers/stop_watch.h"
#include "tools/peers/write_workloads.h"
#include "tools/process_usage.h"

namespace tamis::peers {

namespace {

// Makes `to` a copy of the database in `from`, which nobody changes meanwhile.
// Tables, which never change, are linked.
void CopyDatabase(const std::string& from, const std::string& to) {
  namespace fs = std::filesystem;
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    if (!entry.is_regular_file()) continue;
    const fs::path& path = entry.path();
    const bool table = path.extension() == ".sst" || path.extension() == ".ldb";
    const fs::copy_options links =
        table ? fs::copy_options::create_hard_links : fs::copy_options::none;
    fs::copy(path, to / path.filename(), links);
  }
}

FlatCell Share(uint64_t part, uint64_t whole) {
  if (part == 0) return "-";
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Measures one engine with one number of keys.
class Growth {
 public:
  Growth(Engine& engine, const GrowthConfig& config, const WorkloadConfig& work)
      : engine_(engine),
        config_(config),
        work_(work),
        folder_(config.folder + "/growth"),
        filled_folder_(config.folder + "/growth_filled") {}

  std::vector<FlatCell> Row(int round) {
    Remove();
    std::filesystem::create_directories(folder_);
    std::vector<FlatCell> row = {static_cast<double>(round + 1),
                                 static_cast<double>(work_.num),
                                 engine_.name()};
    engine_.Open(folder_, config_.engine);
    const uint64_t stored_before = StoredBytes();
    const StopWatch watch;
    Add(&row, Measure(FillRandom));
    config_.wait_until_idle();
    // Includes the compactions that were still due at the end of the fill.
    row.emplace_back(watch.PerOperation(work_.num).cpu);
    const FlatCell written =
        Share(StoredBytes() - stored_before, DataBytes(work_));
    const FlatCell kept = Share(FolderBytes(folder_), DataBytes(work_));
    CopyDatabase(folder_, filled_folder_);
    Add(&row, Warmed(ReadRandom));
    Add(&row, Warmed(ReadMissing));
    Add(&row, Warmed(SeekNew));
    Add(&row, Measure(Compact));
    Add(&row, Warmed(ReadRandom));
    engine_.Close();
    row.insert(row.end(), {written, kept, BlocksPerRead()});
    Remove();
    return row;
  }

 private:
  using Run = uint64_t(Engine&, const WorkloadConfig&);

  static void Add(std::vector<FlatCell>* row, const Cost& cost) {
    row->emplace_back(cost.wall);
    row->emplace_back(cost.cpu);
  }
  Cost Measure(Run* run) {
    const StopWatch watch;
    return watch.PerOperation(run(engine_, work_));
  }
  Cost Warmed(Run* run) {
    WorkloadConfig warming = work_;
    warming.seed = ~work_.seed;
    run(engine_, warming);
    return Measure(run);
  }
  // Counts in the copy made after the fill: counting slows down reads, and a
  // reopened database would leave the allocator memory of the first one's
  // cache.
  FlatCell BlocksPerRead() {
    EngineConfig counting = config_.engine;
    counting.statistics = true;
    engine_.Open(filled_folder_, counting);
    const uint64_t before = engine_.BlockRequests().value_or(0);
    const uint64_t reads = ReadRandom(engine_, work_);
    const uint64_t blocks = engine_.BlockRequests().value_or(0) - before;
    engine_.Close();
    return Share(blocks, reads);
  }
  void Remove() {
    std::filesystem::remove_all(folder_);
    std::filesystem::remove_all(filled_folder_);
  }

  Engine& engine_;
  const GrowthConfig& config_;
  const WorkloadConfig work_;
  const std::string folder_;
  const std::string filled_folder_;  // the database as it was after the fill
};

std::string GrowthSettings(const GrowthConfig& config) {
  std::ostringstream out;
  out << "keys of " << config.work.key_size << " + " << config.work.value_size
      << " bytes, " << config.work.reads << " reads each after as many to warm "
      << "up, cache " << (config.engine.cache_bytes >> 20)
      << " MiB, write buffer " << (config.engine.write_buffer_bytes >> 20)
      << " MiB, " << NameOf(config.engine.compression)
      << "; microseconds of wall time and of CPU time per operation; settled: "
         "CPU time of the fill and of its compactions; get, miss and seek "
         "before the full compaction, get1 after it; written and kept: bytes "
         "given to storage, and bytes of files, per byte of keys and values "
         "before it; blocks: that a get asks the cache for";
  return out.str();
}

}  // namespace

FlatTable RunGrowth(const std::vector<std::unique_ptr<Engine>>& engines,
                    const GrowthConfig& config) {
  FlatTable table{.name = "growth",
                  .settings = GrowthSettings(config),
                  .columns = {"round", "keys", "engine", "fill", "cpu.fill",
                              "settled", "get", "cpu.get", "miss", "cpu.miss",
                              "seek", "cpu.seek", "compact", "cpu.compact",
                              "get1", "cpu.get1", "written", "kept", "blocks"},
                  .rows = {}};
  for (int round = 0; round < config.rounds; ++round) {
    for (const uint64_t size : config.sizes) {
      WorkloadConfig work = config.work;
      work.num = size;
      work.seed += static_cast<uint64_t>(round);
      for (size_t i = 0; i < engines.size(); ++i) {
        const size_t e = (i + static_cast<size_t>(round)) % engines.size();
        table.rows.push_back(Growth(*engines[e], config, work).Row(round));
      }
    }
  }
  return table;
}

}  // namespace tamis::peers
