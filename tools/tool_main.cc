// SPDX-License-Identifier: Apache-2.0
#include "tools/tool_main.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include <gflags/gflags.h>

#include "tamis/version.h"

#include "tools/command_help.h"

namespace tamis {
namespace {

const Tool* running = nullptr;
std::set<std::string, std::less<>> given;

// Prints to stderr, after what stdout still holds.
void Complain(std::string_view what) {
  std::fflush(stdout);
  std::string line = std::string(running->name) + ": ";
  for (const char c : what) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line.push_back(c);
    }
  }
  line.push_back('\n');
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int UnknownFlag(const std::string& name) {
  const char* const why =
      running->table == nullptr
          ? nullptr
          : RefusedBecause(running->table->refused_flags, name);
  if (why != nullptr) return Misused("no --" + name + ": " + why);
  std::vector<std::string> names = {"help", "version"};
  for (const FlagFacts& flag : AllFlags()) names.push_back(flag.name);
  return Misused("unknown flag --" + name + NearestHint(name, "--", names));
}

bool IsInRange(const FlagFacts& flag, const std::string& value) {
  const std::vector<std::string>& words = flag.range.words;
  if (!words.empty()) {
    return std::find(words.begin(), words.end(), value) != words.end();
  }
  if (!flag.range.bounded) return true;
  const double number = std::strtod(value.c_str(), nullptr);
  return number >= flag.range.least && number <= flag.range.most;
}

int SetFlag(const FlagFacts& flag, const std::string& value) {
  if (!given.insert(flag.name).second && flag.list == nullptr) {
    return Misused("--" + flag.name + " is given twice");
  }
  if (flag.list != nullptr) {
    flag.list->push_back(value);
    return kExitRight;
  }
  if (!IsInRange(flag, value) ||
      gflags::SetCommandLineOption(flag.name.c_str(), value.c_str()).empty()) {
    return Misused("--" + flag.name + " cannot be '" + value + "', it is " +
                   flag.Allowed());
  }
  return kExitRight;
}

// What a command line asks for, besides its flags.
struct Request {
  std::vector<std::string> words;
  bool help = false;
  bool version = false;
  std::string describe;
};

// Takes the flag at argv[*i]; advances *i if its value is the next argument.
int TakeFlag(int argc, char** argv, int* i, Request* request) {
  std::string name = argv[*i];
  name.erase(0, name.compare(0, 2, "--") == 0 ? 2 : 1);
  std::string value;
  const size_t equals = name.find('=');
  const bool has_value = equals != std::string::npos;
  if (has_value) {
    value = name.substr(equals + 1);
    name.resize(equals);
  }
  FlagFacts flag;
  if (!FindFlag(name, &flag)) {
    if (name == "describe" && has_value && running->table != nullptr) {
      request->describe = value;
      return kExitRight;
    }
    const bool negated = !has_value && name.compare(0, 2, "no") == 0 &&
                         FindFlag(name.substr(2), &flag) && flag.type == "bool";
    return negated ? SetFlag(flag, "false") : UnknownFlag(name);
  }
  if (!has_value && flag.type == "bool") {
    value = "true";
  } else if (!has_value) {
    if (*i + 1 >= argc) {
      return Misused("--" + name + " needs a value: " + flag.Allowed());
    }
    value = argv[++*i];
  }
  return SetFlag(flag, value);
}

int ParseLine(int argc, char** argv, Request* request) {
  bool flags = true;
  for (int i = 1; i < argc; i++) {
    const std::string_view word = argv[i];
    if (flags && word == "--") {
      flags = false;
    } else if (flags && (word == "--help" || word == "-help" || word == "-h")) {
      request->help = true;
    } else if (flags && (word == "--version" || word == "-version")) {
      request->version = true;
    } else if (flags && word.size() > 1 && word[0] == '-') {
      const int code = TakeFlag(argc, argv, &i, request);
      if (code != kExitRight) return code;
    } else {
      request->words.emplace_back(word);
    }
  }
  return kExitRight;
}

// Whether the command takes the flags that are given, and has those it needs.
int CheckFlags(const Command& command) {
  const std::vector<TakenFlag> taken = FlagsOf(command);
  for (const std::string& name : given) {
    const bool takes =
        std::any_of(taken.begin(), taken.end(),
                    [&](const TakenFlag& flag) { return flag.name == name; });
    if (!takes)
      return Misused(std::string(command.name) + " takes no --" + name);
  }
  for (const TakenFlag& flag : taken) {
    FlagFacts facts;
    if (!flag.needed || !FindFlag(flag.name, &facts)) continue;
    std::string value;
    gflags::GetCommandLineOption(flag.name.c_str(), &value);
    if (!IsGiven(flag.name) || value.empty()) {
      return Misused(std::string(command.name) + " needs " + facts.Spelled());
    }
  }
  return kExitRight;
}

int RunCommandOf(const CommandTable& table,
                 const std::vector<std::string>& words) {
  const std::string all =
      std::string("; ") + running->name + " --help lists the commands";
  if (words.empty()) return Misused("no command" + all);
  const Command* const command = FindCommand(table, words[0]);
  if (command == nullptr) {
    const char* const why = RefusedBecause(table.refused_commands, words[0]);
    if (why != nullptr) return Misused("no command " + words[0] + ": " + why);
    const std::string near = NearestHint(words[0], "", CommandNames(table));
    return Misused("unknown command " + words[0] + (near.empty() ? all : near));
  }
  const size_t count = words.size() - 1;
  if (count < command->words_min || count > command->words_max) {
    const std::string takes = command->arguments;
    return Misused(words[0] + " takes " + (takes.empty() ? "no words" : takes) +
                   ", not " + std::to_string(count) +
                   (count == 1 ? " word" : " words"));
  }
  const int code = CheckFlags(*command);
  if (code != kExitRight) return code;
  return command->run({{words.begin() + 1, words.end()}});
}

int Help(const Request& request) {
  const CommandTable* const table = running->table;
  if (table == nullptr) {
    Print(running->usage);
    return kExitRight;
  }
  for (const std::string& word : request.words) {
    if (const Command* command = FindCommand(*table, word)) {
      Print(CommandHelp(*running, *command));
      return kExitRight;
    }
  }
  Print(ToolHelp(*running));
  return kExitRight;
}

int Run(const Request& request) {
  if (request.help) return Help(request);
  if (request.version) {
    Print(std::string(running->name) + " (Tamis) " + GetVersion() + "\n");
    return kExitRight;
  }
  if (!request.describe.empty()) {
    std::string text;
    if (!Describe(*running, request.describe, &text)) {
      return Misused("--describe cannot be '" + request.describe +
                     "', it is man, bash, zsh or json");
    }
    Print(text);
    return kExitRight;
  }
  if (running->run != nullptr) return running->run(request.words);
  return RunCommandOf(*running->table, request.words);
}

}  // namespace

int RunTool(const Tool& tool, int argc, char** argv) {
  running = &tool;
  given.clear();
  Request request;
  int code = ParseLine(argc, argv, &request);
  if (code != kExitRight) return code;
  code = Run(request);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    Complain("stdout: not all could be written");
    if (code == kExitRight) code = kExitFailed;
  }
  return code;
}

bool IsGiven(std::string_view flag) { return given.find(flag) != given.end(); }

int Failed(const Status& status) {
  Complain(status.ToString());
  return kExitFailed;
}

int Misused(std::string_view why) {
  Complain(why);
  return kExitMisused;
}

void Remark(std::string_view text) { Complain(text); }

void Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace tamis
