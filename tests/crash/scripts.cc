// SPDX-License-Identifier: Apache-2.0
//
// The scripts: one for each thing that a crash may meet halfway.
#include <iterator>
#include <utility>

#include "tests/crash/script.h"
#include "util/check.h"
#include "util/random.h"

namespace tamis::crash {

namespace {

struct Written {
  const char* name;
  const char* text;
};

constexpr Written kScripts[] = {
    {"create", R"(
write put a 10
reopen
write sync put b 10
)"},
    {"log", R"(
write put a 30
write sync put b 30, put c 30
write put a 700, put d 700, put e 900
write put b 600
write sync del c
write put f 2000, del a
write put g 10
write merge g
sync_log
write put h 300
write put i 40, put j 40, put k 40
close
write put l 40
write sync put m 40
write put n 1500
reopen
write put o 10
)"},
    {"large_records", R"(
write sync put a 100
write put b 40000, put c 100
write put d 32700
write put e 50
write sync put f 70000
write put g 33000
write put h 10
reopen
write put i 32768
write put j 100
)"},
    {"flush", R"(
fill 6 k 100
write sync put k01 50
flush
fill 6 k 120
write del k03, put m 10
flush
write put n 10
write sync merge n
write range k01 k03
flush
write put o 10
)"},
    {"flush_later", R"(
set memtables 6
fill 4 a 200
flush later
fill 4 b 200
flush later
write sync put c 20
flush later
fill 4 d 200
jobs 1
fill 3 e 200
jobs 2
write put f 10
reopen
fill 2 g 100
flush later
)"},
    {"small_memtables", R"(
set write_buffer 1
set memtables 3
fill 9 k 900
write sync put m 500
fill 8 k 800
write put z 10
)"},
    {"compaction", R"(
set trigger 2
fill 5 k 200
flush
fill 5 k 150
flush
jobs 9
write sync del k02
fill 5 m 150
flush
write put k01 10, put m01 10
flush
jobs 9
write put n 10
flush
jobs 9
write put o 10
)"},
    {"levels", R"(
set trigger 2
set level_base 2000
set file_size 1000
set multiplier 2
fill 9 k 200
flush
fill 9 k 180
flush
jobs 20
fill 5 m 200
flush
write sync put k05 20
fill 3 k 180
flush
jobs 20
write put z 10
compact force
write put y 10
)"},
    {"compact_range", R"(
fill 8 k 300
compact
write sync put k03 20, put k04 20
fill 4 m 300
compact
write range k02 m01
write del k00
read
compact force
read
write put x 10
compact force
)"},
    {"deletes", R"(
set trigger 2
write put a 100, put b 100, put c 100, put d 100, put e 100
write put s 100
flush
write single s
write range b d
flush
jobs 5
write sync put c 50
write merge c
write merge c
flush
write merge c, merge e
write range d z
flush
jobs 9
write put s 40
write single s
compact force
)"},
    {"reopen", R"(
write put a 100
reopen
write put b 100
close
write sync put c 100
write put d 100
reopen
reopen
write put e 100
flush
reopen
write put f 100, put a 10
close
close
write put g 600
)"},
    {"recovered_tables", R"(
set write_buffer 4000
set trigger 3
fill 4 k 300
write sync put a 10
fill 4 k 320
reopen
fill 5 k 310
reopen
jobs 9
write put b 10
)"},
    {"all_synced", R"(
set write_buffer 6000
write sync put a 100
write sync put b 600, put c 10
write sync del a
flush
write sync merge b
write sync put a 2000
write sync range a b
reopen
write sync put d 4000
write sync put e 4000
write sync put f 10
jobs 3
write sync single f
)"},
    {"event_log", R"(
set event_log 600
fill 3 k 100
flush
fill 3 k 100
flush
reopen
write put a 10
flush
reopen
write sync put b 10
)"},
    {"partitions", R"(
set partitions 1
set trigger 2
fill 12 k 300
flush
fill 12 k 200
flush
jobs 9
write sync put a 10
reopen
read
write put b 10
)"},
};

std::string RandomChange(Random* random) {
  const auto key = [random] {
    return "k" + std::to_string(random->Uniform(9));
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
      const uint64_t sizes[] = {10, 100, 500, 1500, random->Uniform(9000)};
      return "put " + key() + " " +
             std::to_string(sizes[random->Uniform(std::size(sizes))]);
    }
  }
}

std::string RandomLine(Random* random) {
  const uint64_t what = random->Uniform(100);
  if (what < 62) {
    std::string line = random->OneIn(4) ? "write sync " : "write ";
    const uint64_t more = random->OneIn(3) ? random->Uniform(6) : 0;
    line += RandomChange(random);
    for (uint64_t i = 0; i < more; ++i) line += ", " + RandomChange(random);
    return line;
  }
  if (what < 72) return "flush";
  if (what < 78) return "flush later";
  if (what < 84) return "jobs " + std::to_string(1 + random->Uniform(6));
  if (what < 87) return "compact";
  if (what < 89) return "compact force";
  if (what < 90) return "read";
  if (what < 92) return "sync_log";
  return what < 96 ? "reopen" : "close";
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
      set("write_buffer", {1, 4000, 10000, 100000}) +
      set("memtables", {2, 3, 5}) + set("trigger", {1, 2, 4}) +
      set("level_base", {1000, 4000, 100000}) +
      set("file_size", {500, 2000, 100000}) + set("multiplier", {2, 10}) +
      set("event_log", {500, 100000}) + set("partitions", {0, 1});
  const uint64_t lines = 10 + random.Uniform(40);
  for (uint64_t i = 0; i < lines; ++i) text += RandomLine(&random) + "\n";
  return text;
}

}  // namespace

std::vector<std::string> ScriptNames() {
  std::vector<std::string> names;
  for (const Written& script : kScripts) names.emplace_back(script.name);
  return names;
}

Script FindScript(const std::string& name) {
  for (const Written& script : kScripts) {
    if (name == script.name) return ParseScript(name, script.text);
  }
  TAMIS_CHECK(name.starts_with("random"));
  return ParseScript(name, RandomText(std::stoull(name.substr(6))));
}

}  // namespace tamis::crash
