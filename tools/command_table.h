// SPDX-License-Identifier: Apache-2.0
//
// The one declaration of what a tool accepts: its flags and commands. Parsing,
// messages, --help, man page and completions all read it.
//
//   TAMIS_FLAG(int32, level, 0, "N", "the level", tamis::Between(0, 6));
//   TAMIS_FLAG_LIST(file, "PATH", "a table; may be given several times");
//
// defines FLAGS_level of gflags, or a vector of strings FLAGS_file, and adds
// the flag to the table. A flag of gflags' DEFINE_... is part of it too, with a
// placeholder for its type. All of them stand outside of namespaces.
//
// Not thread-safe: a tool reads its command line before it starts threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gflags/gflags.h>

namespace tamis {

// The values that a flag takes, besides those that its type excludes.
struct FlagRange {
  std::vector<std::string> words;  // empty: any
  bool bounded = false;
  double least = 0;
  double most = 0;
};
FlagRange Among(std::vector<std::string> words);
FlagRange Between(double least, double most);
FlagRange AtLeast(double least);

// What gflags does not know of a flag. `list`: nullptr unless it is a list.
struct FlagRow {
  FlagRow(const char* name, const char* placeholder, FlagRange range = {});
  FlagRow(const char* name, const char* placeholder, const char* help,
          std::vector<std::string>* list);
  FlagRow(const FlagRow&) = delete;
  FlagRow& operator=(const FlagRow&) = delete;

  std::string name;
  std::string placeholder;
  std::string help;
  FlagRange range;
  std::vector<std::string>* list = nullptr;
};

#define TAMIS_FLAG(type, name, value, placeholder, help, ...) \
  DEFINE_##type(name, value, help);                           \
  const tamis::FlagRow flag_row_##name(#name,                 \
                                       placeholder __VA_OPT__(, ) __VA_ARGS__)
#define TAMIS_FLAG_LIST(name, placeholder, help) \
  std::vector<std::string> FLAGS_##name;         \
  const tamis::FlagRow flag_row_##name(#name, placeholder, help, &FLAGS_##name)

// The words after the command's name.
struct Call {
  std::vector<std::string> words;
};

struct Command {
  static constexpr size_t kAny = SIZE_MAX;

  const char* name;
  const char* arguments;  // as shown, "KEY VALUE"
  size_t words_min;
  size_t words_max;
  const char* help;
  // Groups of names separated by spaces; "name!" must be given.
  std::vector<const char*> flags;
  int (*run)(const Call& call);
};

// What RocksDB's tool of this purpose has and ours refuses, with the reason.
struct Refusal {
  const char* name;
  const char* why;
};

struct CommandTable {
  const char* synopsis;  // after the tool's name
  const char* summary;   // whole lines
  std::span<const Command> commands = {};
  std::span<const Refusal> refused_commands = {};
  std::span<const Refusal> refused_flags = {};
  const char* examples = "";  // whole lines
};

// A flag as it is, from the row and from gflags.
struct FlagFacts {
  std::string name;
  std::string type;         // bool, int32, uint32, int64, uint64, double,
                            // string, list
  std::string placeholder;  // empty for bool
  std::string help;
  std::string otherwise;  // the default
  FlagRange range;
  std::vector<std::string>* list = nullptr;

  // "a whole number of 0 or more"
  std::string Allowed() const;
  // "--name" or "--name=PLACEHOLDER"
  std::string Spelled() const;
};

// Every flag in the table in the order of its declaration, those of DEFINE_
// after them by name.
std::vector<FlagFacts> AllFlags();
// False: there is none.
bool FindFlag(const std::string& name, FlagFacts* facts);

const Command* FindCommand(const CommandTable& table, std::string_view name);
std::vector<std::string> CommandNames(const CommandTable& table);
// nullptr: not among them.
const char* RefusedBecause(std::span<const Refusal> refusals,
                           std::string_view name);
// A flag that a command takes.
struct TakenFlag {
  std::string name;
  bool needed = false;
};
std::vector<TakenFlag> FlagsOf(const Command& command);

// "; did you mean X?" for the word nearest to `word`, with `prefix` before it;
// empty if none is near.
std::string NearestHint(std::string_view word, const char* prefix,
                        const std::vector<std::string>& words);
// "a, b or c"
std::string OneOf(const std::vector<std::string>& words);

}  // namespace tamis
