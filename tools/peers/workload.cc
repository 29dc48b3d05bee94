// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/workload.h"

#include <thread>

#include "tools/peers/mixed_workloads.h"
#include "tools/peers/read_workloads.h"
#include "tools/peers/write_workloads.h"

namespace tamis::peers {

const std::vector<Workload>& Workloads() {
  static const std::vector<Workload> workloads = {
      {"fillseq", Stage::kFillAndForget, 1, "every key once, in order",
       FillSequential},
      {"fillseqbatch", Stage::kFillAndForget, 1, "the same, 64 keys a batch",
       FillSequentialBatch},
      {"fillrandbatch", Stage::kFillAndForget, 1,
       "every key once, in random order, 64 keys a batch", FillRandomBatch},
      {"fillrandom2", Stage::kFillAndForget, 2,
       "every key once, in random order, from two threads", FillRandom2},
      {"fillrandom4", Stage::kFillAndForget, 4, "the same from four",
       FillRandom4},
      {"fillsync", Stage::kFillAndForget, 1, "random keys, each write synced",
       FillSync},
      {"fillsync8", Stage::kFillAndForget, 8, "the same from eight threads",
       FillSync8},
      {"fillrandom", Stage::kFill, 1, "every key once, in random order",
       FillRandom},
      {"compact", Stage::kCompact, 1,
       "what fillrandom left flushed and compacted in full, by entry", Compact},
      {"readrandom", Stage::kRead, 1, "point reads of present keys",
       ReadRandom},
      {"readrandom2", Stage::kRead, 2, "the same from two threads at once",
       ReadRandom2},
      {"readmissing", Stage::kRead, 1,
       "point reads of absent keys between present ones", ReadMissing},
      {"readmixed", Stage::kRead, 1, "point reads, half of absent keys",
       ReadMixed},
      {"readzipfian", Stage::kRead, 1,
       "point reads of present keys, some of them far more often", ReadZipfian},
      {"multiget", Stage::kRead, 1, "64 present keys a call, by key", MultiGet},
      {"seekrandom", Stage::kRead, 1, "one iterator positioned at random keys",
       SeekRandom},
      {"seeknew", Stage::kRead, 1, "the same with a new iterator each",
       SeekNew},
      {"readseq", Stage::kRead, 1, "one iterator over everything",
       ReadSequential},
      {"readreverse", Stage::kRead, 1, "the same from the end", ReadReverse},
      {"overwrite", Stage::kChange, 1,
       "every key once, in random order, over older versions", Overwrite},
      {"readwhilewriting", Stage::kChange, 2,
       "readrandom beside a writer at full speed", ReadWhileWriting},
      {"writewhilereading", Stage::kChange, 2,
       "overwrite beside a reader at full speed", WriteWhileReading},
  };
  return workloads;
}

const Workload* FindWorkload(std::string_view name) {
  for (const Workload& workload : Workloads()) {
    if (workload.name == name) return &workload;
  }
  return nullptr;
}

uint64_t InThreads(
    int threads, const WorkloadConfig& config,
    const std::function<uint64_t(int, const WorkloadConfig&)>& share) {
  std::vector<uint64_t> operations(static_cast<size_t>(threads));
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    WorkloadConfig own = config;
    own.reads = config.reads / static_cast<uint64_t>(threads);
    own.seed =
        config.seed * static_cast<uint64_t>(threads) + static_cast<uint64_t>(t);
    running.emplace_back([&share, &operations, t, own] {
      operations[static_cast<size_t>(t)] = share(t, own);
    });
  }
  for (std::thread& thread : running) thread.join();
  uint64_t sum = 0;
  for (const uint64_t of_thread : operations) sum += of_thread;
  return sum;
}

}  // namespace tamis::peers
