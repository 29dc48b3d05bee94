// SPDX-License-Identifier: Apache-2.0
//
// What every tool does alike: flags, usage, and exit codes that mean what they
// say. Answers go to stdout, complaints to stderr.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tamis/status.h"

namespace tamis {

enum ExitCode : int {
  kExitRight = 0,
  kExitFailed = 1,   // corrupt, not found, or otherwise failed
  kExitMisused = 2,  // unknown flag or command, or one that lacks something
};

struct Tool {
  const char* name;
  const char* usage;
  // Gets what is not a flag, in order; returns an ExitCode.
  int (*run)(const std::vector<std::string>& arguments);
};

// The main() of a tool. Takes --flag=value, --flag value (not for booleans),
// --flag and --noflag; everything behind "--" is an argument. Flags are those
// that the tools' own sources define.
int RunTool(const Tool& tool, int argc, char** argv);

// Says so on stderr, in the name of the running tool, and returns the code.
int Failed(const Status& status);
int Misused(std::string_view why);

// To stdout. What cannot be written there makes the tool fail at its end.
void Print(std::string_view text);

}  // namespace tamis
