// SPDX-License-Identifier: Apache-2.0
//
// Runs a program as a user's shell would, for tests of what it prints and of
// its exit code.
#pragma once

#include <string>
#include <vector>

namespace tamis {

struct Outcome {
  int exit_code = -1;  // -1: did not end by itself
  std::string text;    // stdout, and stderr in between
};

// A program of ours, by name.
Outcome RunOurs(const std::string& name,
                const std::vector<std::string>& arguments);

// The same with `input` as stdin.
Outcome RunOursOn(const std::string& input, const std::string& name,
                  const std::vector<std::string>& arguments);

}  // namespace tamis
