// SPDX-License-Identifier: Apache-2.0
//
// A process that writes with several threads is killed at a random moment, 50
// times over in one growing directory. Each thread does its own row of
// operations, a function of the seed alone, on keys of its own; the child
// tells of each that was acknowledged through a pipe. At most one operation of
// a thread is under way at a time. So what a thread's keys show afterwards is
// what its row makes of them up to the last acknowledged operation, or the
// next one: nothing less, nothing more, and no batch in part.
//
// RocksDB's ldb, where it is installed, reads every survivor before Tamis.
// TAMIS_SEED repeats a run as far as the moments of the kills allow.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/support/databases.h"
#include "util/random.h"

namespace tamis {
namespace {

constexpr int kRounds = 50;
constexpr uint32_t kThreads = 4;
constexpr uint64_t kKeysPerThread = 250;

using Model = std::map<std::string, std::string>;

Options KillOptions() {
  BlockBasedTableOptions table;
  table.block_size = 1024;
  Options options;
  options.create_if_missing = true;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  options.write_buffer_size = 64 * 1024;
  options.target_file_size_base = 64 * 1024;
  options.max_bytes_for_level_base = 128 * 1024;
  options.max_bytes_for_level_multiplier = 4;
  return options;
}

// The operations of one thread in one round.
class Row {
 public:
  Row(uint64_t seed, int round, uint32_t thread)
      : random_(seed + static_cast<uint64_t>(round) * kThreads + thread),
        prefix_("thread" + std::to_string(thread) + "/") {}

  struct Change {
    bool put = true;
    std::string key;
    std::string value;
  };
  // The changes of the next operation, which happen together.
  std::vector<Change> Next() {
    ++count_;
    std::vector<Change> changes(random_.OneIn(3) ? 1 + random_.Uniform(30) : 1);
    for (Change& change : changes) {
      change.key = prefix_ + std::to_string(random_.Uniform(kKeysPerThread));
      change.put = !random_.OneIn(4);
      if (!change.put) continue;
      const uint64_t size = random_.OneIn(200) ? 40000 : random_.Uniform(300);
      change.value = std::to_string(count_) + ":";
      change.value.append(size, static_cast<char>('a' + random_.Uniform(26)));
    }
    sync_ = random_.OneIn(20);
    return changes;
  }
  bool sync() const { return sync_; }  // of the operation Next gave

 private:
  Random random_;
  const std::string prefix_;
  uint64_t count_ = 0;
  bool sync_ = false;
};

void ApplyTo(Model* model, const std::vector<Row::Change>& changes) {
  for (const Row::Change& change : changes) {
    if (change.put) {
      (*model)[change.key] = change.value;
    } else {
      model->erase(change.key);
    }
  }
}

// Writes until it is killed. Each acknowledged operation becomes one byte in
// the pipe: the thread. Never returns; an error ends it with exit code 1.
[[noreturn]] void RunChild(const std::string& directory, uint64_t seed,
                           int round, int pipe) {
  std::unique_ptr<DB> db;
  Status status = DB::Open(KillOptions(), directory, &db);
  if (!status.ok()) {
    std::fprintf(stderr, "child: %s\n", status.ToString().c_str());
    ::_exit(1);
  }
  const auto work = [&](uint32_t thread) {
    Row row(seed, round, thread);
    while (true) {
      WriteBatch batch;
      for (const Row::Change& change : row.Next()) {
        const Status added = change.put ? batch.Put(change.key, change.value)
                                        : batch.Delete(change.key);
        if (!added.ok()) ::_exit(1);
      }
      WriteOptions options;
      options.sync = row.sync();
      const Status written = db->Write(options, &batch);
      if (!written.ok()) {
        std::fprintf(stderr, "child: %s\n", written.ToString().c_str());
        ::_exit(1);
      }
      const char acknowledged = static_cast<char>(thread);
      if (::write(pipe, &acknowledged, 1) != 1) ::_exit(1);
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  ::_exit(1);
}

using Acknowledged = std::array<uint64_t, kThreads>;

// Runs a child for about so long and kills it.
Acknowledged RunAndKill(const std::string& directory, uint64_t seed, int round,
                        std::chrono::microseconds how_long) {
  Acknowledged acknowledged{};
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    RunChild(directory, seed, round, ends[1]);
  }
  EXPECT_GT(child, 0);
  ::close(ends[1]);
  std::thread killer([child, how_long] {
    std::this_thread::sleep_for(how_long);
    ::kill(child, SIGKILL);
  });
  std::array<char, 4096> buffer;
  ssize_t n = 0;
  while ((n = ::read(ends[0], buffer.data(), buffer.size())) > 0) {
    for (ssize_t i = 0; i < n; ++i) {
      ++acknowledged[static_cast<size_t>(buffer[static_cast<size_t>(i)])];
    }
  }
  killer.join();
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      << "the child ended by itself, wait status " << status;
  return acknowledged;
}

Model PartOf(const KeyValues& shown, uint32_t thread) {
  const std::string prefix = "thread" + std::to_string(thread) + "/";
  Model part;
  for (const auto& [key, value] : shown) {
    if (key.compare(0, prefix.size(), prefix) == 0) part[key] = value;
  }
  return part;
}

std::string ModelDifference(const Model& expected, const Model& got) {
  return Difference(KeyValues(expected.begin(), expected.end()),
                    KeyValues(got.begin(), got.end()));
}

// Brings the thread's model up to what `shown` proves was done.
void Advance(uint64_t seed, int round, uint32_t thread, uint64_t acknowledged,
             const KeyValues& shown, Model* model) {
  Row row(seed, round, thread);
  for (uint64_t i = 0; i < acknowledged; ++i) ApplyTo(model, row.Next());
  const Model part = PartOf(shown, thread);
  if (part == *model) return;
  Model one_more = *model;
  ApplyTo(&one_more, row.Next());
  if (part != one_more) {
    ADD_FAILURE() << "thread " << thread << " after " << acknowledged
                  << " acknowledged operations: "
                  << ModelDifference(*model, part)
                  << "; and with one more: " << ModelDifference(one_more, part);
  }
  *model = one_more;
}

uint64_t Seed() {
  const char* const given = std::getenv("TAMIS_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10)
                          : RandomSeedFromSystem();
}

// The path of ldb; empty when it is missing, which is an error where the
// environment says CI=true.
std::string FindLdb() {
  CommandResult found = RunCommand("command -v ldb");
  if (found.exit_code == 0) {
    found.output.pop_back();
    return found.output;
  }
  const char* const ci = std::getenv("CI");
  EXPECT_FALSE(ci != nullptr && std::string(ci) == "true")
      << "ldb is missing (Debian: rocksdb-tools)";
  std::fprintf(stderr,
               "*** ldb is missing (Debian: rocksdb-tools): survivors are read "
               "by Tamis alone ***\n");
  return "";
}

TEST(KillTest, AcknowledgedWritesSurviveFiftyKills) {
  const uint64_t seed = Seed();
  std::printf("TAMIS_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  const std::string ldb = FindLdb();
  const TemporaryDirectory temporary;
  const std::string directory = temporary.Path("db");
  const std::string copy = temporary.Path("copy");
  Random random(seed);
  std::array<Model, kThreads> models;
  uint64_t total = 0;
  for (int round = 0; round < kRounds && !::testing::Test::HasFailure();
       ++round) {
    SCOPED_TRACE("TAMIS_SEED=" + std::to_string(seed) + ", round " +
                 std::to_string(round));
    // Early ones hit the recovery of the round before.
    const std::chrono::microseconds how_long(
        random.Uniform(random.OneIn(4) ? 20'000 : 250'000));
    const Acknowledged acknowledged =
        RunAndKill(directory, seed, round, how_long);
    KeyValues by_ldb;
    const bool created = ::access((directory + "/CURRENT").c_str(), F_OK) == 0;
    if (!ldb.empty() && created) {
      CopyDirectory(directory, copy);
      const CommandResult scanned =
          RunCommand(ldb + " --db=" + copy + " --hex scan");
      std::string rest;
      by_ldb = ParseHexScan(scanned.output, &rest);
      EXPECT_EQ(scanned.exit_code, 0);
      EXPECT_EQ(rest, "");
    }
    std::unique_ptr<DB> db;
    Status status = DB::Open(KillOptions(), directory, &db);
    ASSERT_TRUE(status.ok()) << status;
    const KeyValues shown = ScanForward(db.get(), &status);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(DifferenceFrom(shown, db.get(), &status), "");
    EXPECT_TRUE(status.ok()) << status;
    if (!ldb.empty() && created) {
      EXPECT_EQ(Difference(by_ldb, shown), "");
    }
    for (uint32_t t = 0; t < kThreads; ++t) {
      Advance(seed, round, t, acknowledged[t], shown, &models[t]);
      total += acknowledged[t];
    }
  }
  std::printf("%llu acknowledged operations\n",
              static_cast<unsigned long long>(total));
  EXPECT_GT(total, static_cast<uint64_t>(kRounds));
}

}  // namespace
}  // namespace tamis
