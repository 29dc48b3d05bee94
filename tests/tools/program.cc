// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/program.h"

#include <cstdio>
#include <sys/wait.h>

namespace tamis {
namespace {

std::string Quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out.push_back(c);
    }
  }
  return out + "'";
}

}  // namespace

Outcome RunOurs(const std::string& name,
                const std::vector<std::string>& arguments) {
  std::string command = Quoted(std::string(TAMIS_BIN_DIR) + "/" + name);
  for (const std::string& argument : arguments) {
    command += " " + Quoted(argument);
  }
  Outcome outcome;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0) {
    outcome.text.append(buffer, n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

}  // namespace tamis
