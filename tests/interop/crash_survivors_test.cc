// SPDX-License-Identifier: Apache-2.0
//
// RocksDB opens what a power failure leaves, and finds the contents that Tamis
// finds. The scripts of tests/crash lose power at calls spread over each
// script. The directory as of that call, before any recovery, and every
// checkpoint are copied to a real disk, where RocksDB opens them.
//
//   life ── power off ── copy ── Tamis opens ── found ──┐
//                         └───── RocksDB opens ── found ┴─ the same
//
// Each life loses power a second time after its recovery (life.h), which gives
// another survivor: an open by Tamis and perhaps a synced write and some jobs.
// In every other life the recovery is interrupted as well, and its survivor
// compared.
//
// The style "sectors", which leaves zeros in place of missing sectors, is not
// used. In every recovery mode RocksDB refuses a MANIFEST whose last record has
// such a hole, and silently skips the rest of a log block after zeros. Tamis
// starts a new MANIFEST at the record before, and ends the history at the hole.
//
//   TAMIS_CRASH=<triple>        the triple that CrashSurvivorTest runs
//   (fault.h) TAMIS_CRASH_SURVIVORS=n     power failures for each script
//   TAMIS_SEED=n                another seed; the default is 301
//
// Shows promise D10 of docs/durability.md, with RocksDB opening the directory.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/merge_operator.h>

#include "tests/crash/life.h"
#include "tests/interop/peers.h"
#include "tests/model/model.h"
#include "tests/support/directories.h"
#include "tests/support/effort.h"
#include "util/base/random.h"

namespace tamis::crash {
namespace {

using model::State;

// For each script.
constexpr uint64_t kCuts = 7;

// As in tests/crash/database.cc.
constexpr char kDatabase[] = "db";
constexpr char kLogs[] = "logs";
constexpr char kFastTables[] = "fast";
constexpr char kSlowTables[] = "slow";

constexpr Kind kStyles[] = {Kind::kDrop, Kind::kKeep, Kind::kPrefix};

// The running triple, which an abort, even one of RocksDB's, prints.
std::string living;

void TellAndDie(int signal) {
  std::signal(signal, SIG_DFL);
  std::fputs(living.c_str(), stderr);
  std::raise(signal);
}

// As tests/crash/database.cc sets its own.
rocksdb::Options OptionsOfScripts() {
  rocksdb::Options options;
  options.paranoid_checks = true;
  options.force_consistency_checks = true;
  const rocksdb::Status status = rocksdb::MergeOperator::CreateFromString(
      rocksdb::ConfigOptions(), "stringappend", &options.merge_operator);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return options;
}

struct Contents {
  std::set<std::string> families;  // without "default"
  State state{model::KeyLess{BytewiseComparator()}};
};

// All of a family, twice: forward, and the other way round.
std::string Scan(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle,
                 const std::string& family, State* state) {
  const std::unique_ptr<rocksdb::Iterator> it(
      db->NewIterator(rocksdb::ReadOptions(), handle));
  size_t keys = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++keys) {
    state->emplace(InFamily(family, it->key().ToString()),
                   it->value().ToString());
  }
  if (!it->status().ok()) return "a scan: " + it->status().ToString();
  for (it->SeekToLast(); it->Valid(); it->Prev(), --keys) {
    const auto at = state->find(InFamily(family, it->key().ToString()));
    if (at == state->end() || it->value() != at->second) {
      return "a backward scan shows another " + it->key().ToString();
    }
  }
  if (!it->status().ok()) return "a backward scan: " + it->status().ToString();
  return keys == 0 ? "" : "a backward scan has another length";
}

std::string ReadAll(rocksdb::DB* db,
                    const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                    Contents* contents) {
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    const bool is_default =
        handle->GetName() == rocksdb::kDefaultColumnFamilyName;
    const std::string family = is_default ? "" : handle->GetName();
    if (!is_default) contents->families.insert(family);
    std::string problem = Scan(db, handle, family, &contents->state);
    if (!problem.empty()) return problem;
    for (const auto& [key, value] : contents->state) {
      if (FamilyOf(key) != family) continue;
      std::string got;
      const rocksdb::Status status =
          db->Get(rocksdb::ReadOptions(), handle, PlainKey(key), &got);
      if (!status.ok() || got != value) {
        return "Get(" + key + ") is not what a scan shows, " +
               status.ToString();
      }
    }
  }
  const rocksdb::Status status = db->VerifyChecksum();
  return status.ok() ? "" : "VerifyChecksum: " + status.ToString();
}

// What RocksDB finds in a directory. Empty, or what went wrong.
std::string OpenByRocksDB(const std::string& directory, Contents* contents) {
  rocksdb::Options options = OptionsOfScripts();
  // A power cut of the first open may come before there was a CURRENT.
  options.create_if_missing = !std::filesystem::exists(directory + "/CURRENT");
  const std::filesystem::path path = directory;
  const std::filesystem::path logs = path.parent_path() / kLogs;
  if (path.filename() == kDatabase && std::filesystem::exists(logs)) {
    options.wal_dir = logs;
  }
  const std::filesystem::path fast = path.parent_path() / kFastTables;
  if (path.filename() == kDatabase && std::filesystem::exists(fast)) {
    options.db_paths = {{fast, 3000},
                        {path.parent_path() / kSlowTables, 1 << 30}};
  }
  std::vector<std::string> names = {rocksdb::kDefaultColumnFamilyName};
  rocksdb::Status status;
  if (!options.create_if_missing) {
    status = rocksdb::DB::ListColumnFamilies(options, directory, &names);
    if (!status.ok()) return "ListColumnFamilies: " + status.ToString();
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, options);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  status = rocksdb::DB::Open(options, directory, families, &handles, &opened);
  if (!status.ok()) return "open: " + status.ToString();
  const std::unique_ptr<rocksdb::DB> db(opened);
  std::string problem = ReadAll(db.get(), handles, contents);
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    status = db->DestroyColumnFamilyHandle(handle);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  status = db->Close();
  if (problem.empty() && !status.ok()) problem = "close: " + status.ToString();
  return problem;
}

void Export(SimulatedFileSystem* fs, const std::string& from,
            const std::string& to) {
  std::filesystem::create_directories(to);
  std::vector<std::string> names;
  const Status status = fs->GetChildren(from, &names);
  ASSERT_TRUE(status.ok()) << status.ToString();
  for (const std::string& name : names) {
    const std::string path = (from == "/" ? "" : from) + "/" + name;
    const std::string copy = to + "/" + name;
    std::string bytes;
    if (!fs->GetContents(path, &bytes).ok()) {
      Export(fs, path, copy);
      continue;
    }
    std::ofstream file(copy, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    ASSERT_TRUE(file.good()) << copy;
  }
}

// Opens everything that a life leaves in RocksDB.
class RocksDBWitness : public Witness {
 public:
  struct Counts {
    uint64_t databases = 0;
    uint64_t checkpoints = 0;
    uint64_t keys = 0;
  };

  void PowerIsBack(SimulatedFileSystem* fs) override {
    ++cuts_;
    Export(fs, "/", World());
    for (const auto& entry : std::filesystem::directory_iterator(World())) {
      const std::string name = entry.path().filename();
      // A checkpoint becomes one by its rename from "<name>.tmp".
      // Files are tables to ingest.
      const bool is_databases = name == kDatabase || name == kLogs ||
                                name == kFastTables || name == kSlowTables;
      if (entry.is_directory() && !is_databases && !name.ends_with(".tmp")) {
        checkpoints_.insert(World() + "/" + name);
      }
    }
    // After a recovery that was cut off only the last cut's is left to find.
    database_ = World() + "/" + kDatabase;
  }

  void Found(const std::set<std::string>& families,
             const State& state) override {
    // Opens before the cut, too, come here.
    if (database_.empty()) return;
    Contents contents;
    const std::string problem = Compare(database_, state, &contents);
    if (problem.empty() && contents.families != families) {
      problems_ += database_ + ": other families\n";
    }
    ++counts_.databases;
    database_.clear();
  }

  void FoundCheckpoint(const std::string& name, const State& state) override {
    for (int cut = 1; cut <= cuts_; ++cut) {
      const std::string path = World(cut) + "/" + name;
      if (checkpoints_.erase(path) == 0) continue;
      Contents contents;
      Compare(path, state, &contents);
      ++counts_.checkpoints;
    }
  }

  const Counts& counts() const { return counts_; }
  std::string Problems() const {
    std::string problems = problems_;
    if (!database_.empty()) problems += database_ + " was not compared\n";
    for (const std::string& path : checkpoints_) {
      problems += path + " was not compared\n";
    }
    return problems;
  }

 private:
  std::string World(int cut) const {
    return directory_.Path("cut" + std::to_string(cut));
  }
  std::string World() const { return World(cuts_); }

  std::string Compare(const std::string& path, const State& expected,
                      Contents* contents) {
    std::string problem = OpenByRocksDB(path, contents);
    if (problem.empty()) problem = Difference(expected, contents->state);
    if (!problem.empty()) problems_ += path + ": " + problem + "\n";
    counts_.keys += expected.size();
    return problem;
  }

  const TemporaryDirectory directory_;
  int cuts_ = 0;
  std::string database_;  // the copy that waits for what Tamis finds
  std::set<std::string> checkpoints_;
  std::string problems_;
  Counts counts_;
};

// False after a failure.
bool Live(const Script& script, const Triple& triple,
          RocksDBWitness::Counts* counts) {
  living = "crash survivor: TAMIS_CRASH=" + triple.ToString() +
           " interop_tests --gtest_filter='CrashSurvivorTest.*'\n" +
           "by Tamis alone: ./dev crash " + triple.ToString() + "\n";
  RocksDBWitness witness;
  Life life(script, triple);
  life.TellTo(&witness);
  std::string problem = life.Go();
  problem += witness.Problems();
  std::string story;
  if (!problem.empty()) {
    for (const std::string& line : life.log()) story += line + "\n";
  }
  EXPECT_EQ(problem, "") << living << story;
  counts->databases += witness.counts().databases;
  counts->checkpoints += witness.counts().checkpoints;
  counts->keys += witness.counts().keys;
  return problem.empty();
}

uint64_t CallsOf(const Script& script) {
  Triple none;
  none.script = script.name;
  Life life(script, none);
  EXPECT_EQ(life.Go(), "");
  return life.operations().size();
}

// Returns the i-th of `cuts` power failures spread over the script. The last
// one comes after the last call. Every other one interrupts the recovery as
// well.
Triple CutNumber(uint64_t i, uint64_t cuts, const Script& script,
                 uint64_t calls) {
  Triple triple;
  triple.script = script.name;
  triple.call = 1 + calls * (i + 1) / cuts;
  Random random(FromEnvironment("TAMIS_SEED", 301) + triple.call);
  triple.kind = kStyles[random.Uniform(std::size(kStyles))];
  triple.seed = random.Uniform(1'000'000);
  if (i % 2 == 1) {
    triple.recovery_call = 1 + random.Uniform(20);
    triple.recovery_kind = kStyles[random.Uniform(std::size(kStyles))];
  }
  return triple;
}

class CrashSurvivorsTest : public testing::TestWithParam<std::string> {};

TEST_P(CrashSurvivorsTest, RocksDBFindsWhatTamisFinds) {
  std::signal(SIGABRT, TellAndDie);
  const uint64_t cuts = FromEnvironment("TAMIS_CRASH_SURVIVORS", kCuts);
  const Script script = FindScript(GetParam());
  const uint64_t calls = CallsOf(script);
  RocksDBWitness::Counts counts;
  for (uint64_t i = 0; i < cuts; ++i) {
    if (!Live(script, CutNumber(i, cuts, script, calls), &counts)) return;
  }
  std::cout << counts.databases << " databases, " << counts.checkpoints
            << " checkpoints, " << counts.keys << " keys\n";
  EXPECT_EQ(counts.databases, 2 * cuts);
  EXPECT_TRUE(counts.keys > 0 || script.name.starts_with("random"));
  if (script.name == "checkpoint" && cuts >= kCuts) {
    EXPECT_GE(counts.checkpoints, 9u);
  }
}

std::vector<std::string> Workloads() {
  std::vector<std::string> names = ScriptNames();
  for (int i = 1; i <= 8; ++i) names.push_back("random" + std::to_string(i));
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, CrashSurvivorsTest,
                         testing::ValuesIn(Workloads()),
                         [](const auto& name) { return name.param; });

TEST(CrashSurvivorTest, BothEnginesFindTheSameAfterOneTriple) {
  const char* const text = std::getenv("TAMIS_CRASH");
  const auto triple =
      ParseTriple(text != nullptr ? text : "checkpoint:90:prefix:7");
  ASSERT_TRUE(triple.has_value()) << "TAMIS_CRASH is no triple: " << text;
  std::signal(SIGABRT, TellAndDie);
  RocksDBWitness::Counts counts;
  Live(FindScript(triple->script), *triple, &counts);
  EXPECT_EQ(counts.databases, 2u);
}

}  // namespace
}  // namespace tamis::crash
