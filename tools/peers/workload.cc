// SPDX-License-Identifier: Apache-2.0
#include "tools/peers/workload.h"

#include <thread>

#include "tools/peers/mixed_workloads.h"
#include "tools/peers/read_workloads.h"
#include "tools/peers/write_workloads.h"
#include "tools/peers/ycsb_workloads.h"

namespace tamis::peers {

namespace {

bool HasMerge(const Engine& engine) { return engine.HasMerge(); }
bool HasDeleteRange(const Engine& engine) { return engine.HasDeleteRange(); }

// Of databases that are new, or stay as they are.
std::vector<Workload> FillsAndReads() {
  return {
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
      {"mergerandom", Stage::kFillAndForget, 1,
       "counters of random keys incremented by merges, then each read once",
       MergeRandom, HasMerge},
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
      {"seeknext10", Stage::kRead, 1,
       "one iterator positioned at random keys, and moved by 10 entries",
       SeekNext10},
      {"readseq", Stage::kRead, 1, "one iterator over everything",
       ReadSequential},
      {"readreverse", Stage::kRead, 1, "the same from the end", ReadReverse},
  };
}

// Of a database with every key.
std::vector<Workload> Changes() {
  return {
      {"overwrite", Stage::kChange, 1,
       "every key once, in random order, over older versions", Overwrite},
      {"readwhilewriting", Stage::kChange, 2,
       "readrandom beside a writer at full speed", ReadWhileWriting},
      {"writewhilereading", Stage::kChange, 2,
       "overwrite beside a reader at full speed", WriteWhileReading},
      {"readwrite", Stage::kChange, 1,
       "nine point reads of present keys to one write, in random order",
       ReadRandomWriteRandom},
      {"ycsba", Stage::kChange, 1, "YCSB A: reads, as many updates", Ycsb<'a'>},
      {"ycsbb", Stage::kChange, 1, "YCSB B: 95 % reads, 5 % updates",
       Ycsb<'b'>},
      {"ycsbc", Stage::kChange, 1, "YCSB C: reads", Ycsb<'c'>},
      {"ycsbd", Stage::kChange, 1, "YCSB D: 95 % reads of new keys, inserts",
       Ycsb<'d'>},
      {"ycsbe", Stage::kChange, 1, "YCSB E: 95 % scans of up to 100, inserts",
       Ycsb<'e'>},
      {"ycsbf", Stage::kChange, 1, "YCSB F: reads, as many read-modify-writes",
       Ycsb<'f'>},
      {"deleterandom", Stage::kChangeAndForget, 1,
       "every second key deleted, in random order", DeleteRandom},
      {"deleterange", Stage::kChangeAndForget, 1,
       "ranges of 10 keys deleted, a hundredth of all keys", DeleteRanges,
       HasDeleteRange},
  };
}

std::vector<Workload> AllWorkloads() {
  std::vector<Workload> all = FillsAndReads();
  for (const Workload& change : Changes()) all.push_back(change);
  return all;
}

}  // namespace

const std::vector<Workload>& Workloads() {
  static const std::vector<Workload> workloads = AllWorkloads();
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
