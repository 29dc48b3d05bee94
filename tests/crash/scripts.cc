// SPDX-License-Identifier: Apache-2.0
//
// The scripts of tests/testdata/crash, one for each operation that a crash may
// interrupt, and those generated from a seed.
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

#include "tests/crash/script.h"
#include "tests/support/data_driven.h"
#include "util/base/check.h"
#include "util/base/random.h"

namespace tamis::crash {

namespace {

constexpr char kFolder[] = "crash";
constexpr std::string_view kRandom = "random";

// Half of the choices are "", which means "default".
std::string RandomFamily(Random* random) {
  const char* const names[] = {"", "", "f", "g"};
  return names[random->Uniform(std::size(names))];
}

std::string RandomChange(Random* random) {
  const std::string family = RandomFamily(random);
  const auto key = [&] {
    return (family.empty() ? "" : family + ":") + "k" +
           std::to_string(random->Uniform(9));
  };
  switch (random->Uniform(8)) {
    case 0:
      return "del " + key();
    case 1:
      return "merge " + key();
    case 2: {
      std::string begin = key();
      std::string end = key();
      if (end < begin) std::swap(begin, end);
      return "range " + begin + " " + end;
    }
    default: {
      const uint64_t sizes[] = {10, 100, 500, 1500, random->Uniform(30'000)};
      const uint64_t bytes = sizes[random->Uniform(std::size(sizes))];
      return "put " + key() + " " + std::to_string(bytes);
    }
  }
}

std::string RandomWrite(Random* random) {
  std::string line = random->OneIn(4) ? "write sync " : "write ";
  const uint64_t more = random->OneIn(3) ? random->Uniform(6) : 0;
  line += RandomChange(random);
  for (uint64_t i = 0; i < more; ++i) line += ", " + RandomChange(random);
  return line;
}

std::string RandomLine(Random* random) {
  struct Choice {
    uint64_t weight;
    std::string line;
  };
  const std::string family = RandomFamily(random);
  const std::string other = family.empty() ? "f" : family;
  const Choice choices[] = {
      {60, RandomWrite(random)},
      {9, "flush " + family},
      {5, "flush later " + family},
      {6, "jobs " + std::to_string(1 + random->Uniform(6))},
      {3, "compact " + family},
      {2, "compact force " + family},
      {2, "sync_log"},
      {1, "read"},
      {5, "create " + other},
      {2, "drop " + other},
      {1, "checkpoint c" + std::to_string(random->Uniform(1000))},
      {3, "reopen"},
      {3, "close"},
  };
  uint64_t at = 0;
  for (const Choice& choice : choices) at += choice.weight;
  at = random->Uniform(at);
  for (const Choice& choice : choices) {
    if (at < choice.weight) return choice.line;
    at -= choice.weight;
  }
  return "";
}

std::string RandomText(uint64_t seed) {
  Random random(seed);
  const auto set = [&random](const char* option,
                             std::initializer_list<uint64_t> choices) {
    return std::string("set ") + option + " " +
           std::to_string(*(choices.begin() + random.Uniform(choices.size()))) +
           "\n";
  };
  std::string text =
      set("write_buffer", {65536, 65536, 100000, 1000000}) +
      set("memtables", {2, 3, 5}) + set("trigger", {1, 2, 4}) +
      set("level_base", {1000, 4000, 100000}) +
      set("file_size", {500, 2000, 100000}) + set("multiplier", {2, 10}) +
      set("event_log", {500, 100000}) + set("manifest", {300, 100000}) +
      set("atomic_flush", {0, 0, 1}) + set("wal_limit", {0, 0, 50000}) +
      set("resume_interval", {1, 1000000000}) + set("partitions", {0, 1}) +
      set("in_place", {0, 1}) + set("parts", {1, 3});
  // By luck of its own: a script is otherwise what it was.
  if (Random(~seed).OneIn(4)) text += "set callbacks 1\n";
  if (Random(~seed - 1).OneIn(4)) text += "set wal_dir 1\n";
  if (Random(~seed - 2).OneIn(4)) text += "set paths 1\n";
  if (Random(~seed - 3).OneIn(4)) text += "set worker 1\n";
  if (Random(~seed - 4).OneIn(2)) text += "set keep_logs 1\n";
  const uint64_t lines = 10 + random.Uniform(40);
  for (uint64_t i = 0; i < lines; ++i) {
    std::string line = RandomLine(&random);
    // No two of one name.
    if (line.starts_with("checkpoint")) line += "_" + std::to_string(i);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string> ScriptNames() {
  std::vector<std::string> names;
  for (const auto& file :
       std::filesystem::directory_iterator(DataPath(kFolder))) {
    names.push_back(file.path().stem().string());
  }
  TAMIS_CHECK(!names.empty());
  std::sort(names.begin(), names.end());
  return names;
}

Script FindScript(const std::string& name) {
  return ParseScript(
      name, name.starts_with(kRandom)
                ? RandomText(std::stoull(name.substr(kRandom.size())))
                : ReadDataFile(std::string(kFolder) + "/" + name + ".txt"));
}

}  // namespace tamis::crash
