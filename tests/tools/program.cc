// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/program.h"

#include <utility>

#include "tests/support/directories.h"

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
  CommandResult result = RunCommand(command);
  return {result.exit_code, std::move(result.output)};
}

}  // namespace tamis
