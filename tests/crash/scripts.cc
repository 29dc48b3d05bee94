// SPDX-License-Identifier: Apache-2.0
//
// The scripts: one for each thing that a crash may meet halfway.
#include <iterator>
#include <utility>

#include "tests/crash/script.h"
#include "util/base/check.h"
#include "util/base/random.h"

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
    {"stored_log", R"(
set in_place 1
write put a 10
write put b 600, put a 300
write put c 40000
write del a, merge b
write put d 32700
write put e 10
fill 5 k 400
sync_log
write put f 10
write put g 2000
flush
write put h 10
write put i 700
write sync put j 10
write put k 10
reopen
write put l 1500
write put m 70000
write put n 10
)"},
    {"stored_logs", R"(
set in_place 1
set write_buffer 4000
create f
fill 9 k 300
write put f:a 1000, put k01 700
fill 9 k 320
flush later
fill 5 f:k 300
jobs 2
reopen
fill 4 k 600
write put f:b 10
checkpoint c
write put z 10
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
    {"compaction_in_parts", R"(
set parts 3
set file_size 700
set trigger 2
fill 8 k 200
flush
fill 6 k 220
write range k01 k04
flush
jobs 9
write put k02 30
fill 4 m 200
flush
compact
write sync put k05 20
fill 3 k 180
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
    {"families", R"(
create f
write put a 100, put f:a 100
write sync put f:b 100
create g
write put g:a 200, put f:c 100
flush f
write put a 50, put g:b 10
write put f:d 10
flush
write sync put g:c 300, del f:a
reopen
write put f:e 10, put g:e 10, put e 10
flush g
write put h 10
close
write range f:a f:d, put f:g 10
flush f g
)"},
    {"drop", R"(
create f
create g
fill 4 f:k 200
write sync put g:a 10, put a 10
flush f
fill 3 f:k 100
drop f
write put a 20, put g:b 10
create f
write sync put f:x 10
write put f:y 10
flush
drop g
reopen
write put f:z 10
drop f
write put b 10
)"},
    {"family_compaction", R"(
set trigger 2
create f
fill 4 f:k 200
fill 4 k 200
flush f
fill 3 f:k 150
flush f
jobs 9
flush
write sync del f:k01, put k01 10
compact f
write put f:z 10
drop f
jobs 9
compact
)"},
    {"manifest_roll", R"(
set manifest 400
set trigger 3
create f
fill 3 k 100
flush
fill 3 f:k 100
flush f
write sync put a 10
flush
drop f
write put b 10
flush
compact
reopen
write put c 10
flush
create g
write put g:d 10
)"},
    {"atomic_flush", R"(
set atomic_flush 1
create f
create g
write put a 100, put f:a 100, put g:a 100
write put b 50, put g:b 50
flush
write sync put f:c 10, put c 10
write put g:c 10, put a 40
flush f
write put a 30, put f:a 30, put g:a 30
reopen
write put b 30, put f:b 30
flush
drop g
write put a 20, put f:a 20
flush
)"},
    {"no_log", R"(
set atomic_flush 1
create f
write nowal put a 100, put f:a 100
write nowal put a 90
write nowal put f:b 50
flush
write nowal put a 80, put f:a 80
write nowal del f:b, put c 10
flush
write nowal put a 70, put f:a 70
close
write nowal put a 60, put f:a 60
reopen
write nowal put a 50, put f:a 50
)"},
    {"log_limit", R"(
set wal_limit 2000
create f
write put f:a 100
fill 6 k 400
write sync put f:b 10
fill 6 k 300
write put f:c 10
fill 4 f:k 400
write put z 10
)"},
    {"checkpoint", R"(
create f
fill 3 k 100
write put f:a 100, put a 20
checkpoint c1
write sync put f:b 10
flush
write put k01 10
flush f
checkpoint c2
compact
write put d 10
reopen
checkpoint c3
drop f
checkpoint c4
write put e 10
)"},
    {"callbacks", R"(
set callbacks 1
set trigger 2
create f
fill 5 k 100
write sync put a 10, merge k01, put f:a 10
flush
fill 4 k 120
write merge k02, range k03 k05, merge f:a
read
flush
jobs 9
write sync merge k02, del k04
flush f
write put m 10
compact
read
reopen
write merge m
close
read
write put n 100
)"},
    {"resumes_itself", R"(
set resume_interval 1
set trigger 2
fill 5 k 100
write sync put a 10
flush
fill 5 k 100
flush later
write put b 10
write sync put c 10
jobs 5
fill 4 m 100
write sync put d 10
)"},
};

// "" stands for "default" in half of the choices.
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
      const uint64_t sizes[] = {10, 100, 500, 1500, random->Uniform(9000)};
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
      set("write_buffer", {1, 4000, 10000, 100000}) +
      set("memtables", {2, 3, 5}) + set("trigger", {1, 2, 4}) +
      set("level_base", {1000, 4000, 100000}) +
      set("file_size", {500, 2000, 100000}) + set("multiplier", {2, 10}) +
      set("event_log", {500, 100000}) + set("manifest", {300, 100000}) +
      set("atomic_flush", {0, 0, 1}) + set("wal_limit", {0, 0, 5000}) +
      set("resume_interval", {1, 1000000000}) + set("partitions", {0, 1}) +
      set("in_place", {0, 1}) + set("parts", {1, 3});
  // By luck of its own: a script is otherwise what it was.
  if (Random(~seed).OneIn(4)) text += "set callbacks 1\n";
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
