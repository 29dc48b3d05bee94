// SPDX-License-Identifier: Apache-2.0
//
// The common part of every tool: its command line, its messages and its exit
// codes. Results go to stdout. An error is one line on stderr, after the
// results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tamis/status.h"

#include "tools/command_table.h"

namespace tamis {

enum ExitCode : int {
  kExitRight = 0,
  kExitFailed = 1,   // corrupt, not found, or otherwise failed
  kExitMisused = 2,  // unknown or incomplete flag or command
};

struct Tool {
  const char* name;
  // All of --help, where there is no table.
  const char* usage;
  // Receives the arguments other than flags, in order; returns an ExitCode.
  // nullptr: the first argument names a command of the table.
  int (*run)(const std::vector<std::string>& arguments);
  const CommandTable* table = nullptr;
};

// The main() of a tool. Accepts --flag=value, --flag value (not for booleans),
// --flag and --noflag, each with one or two dashes; everything after "--" is an
// argument. Only flags of the table are accepted, each once unless it is a
// list, and by a command those that it takes. --help (with a command: of that),
// --version; --describe=man|bash|zsh|json prints what is made of the table.
int RunTool(const Tool& tool, int argc, char** argv);

// True if the command line sets the flag.
bool IsGiven(std::string_view flag);

// Print a message with the tool's name to stderr, on one line; return the exit
// code.
int Failed(const Status& status);
int Misused(std::string_view why);
// A message that is no error: a summary, a warning.
void Remark(std::string_view text);

// Prints to stdout. If that fails, the tool exits with an error.
void Print(std::string_view text);

}  // namespace tamis
