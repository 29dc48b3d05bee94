// SPDX-License-Identifier: Apache-2.0
//
// The common part of every tool: flags, usage and exit codes. Results go to
// stdout, errors to stderr.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tamis/status.h"

namespace tamis {

enum ExitCode : int {
  kExitRight = 0,
  kExitFailed = 1,   // corrupt, not found, or otherwise failed
  kExitMisused = 2,  // unknown or incomplete flag or command
};

struct Tool {
  const char* name;
  const char* usage;
  // Receives the arguments other than flags, in order; returns an ExitCode.
  int (*run)(const std::vector<std::string>& arguments);
};

// The main() of a tool. Accepts --flag=value, --flag value (not for booleans),
// --flag and --noflag; everything after "--" is an argument. Only flags defined
// in the tools' sources are accepted.
int RunTool(const Tool& tool, int argc, char** argv);

// Print a message with the tool's name to stderr; return the exit code.
int Failed(const Status& status);
int Misused(std::string_view why);

// Prints to stdout. If that fails, the tool exits with an error.
void Print(std::string_view text);

}  // namespace tamis
