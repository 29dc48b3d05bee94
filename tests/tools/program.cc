// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/program.h"

#include <fstream>
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

std::string CommandLine(const std::string& name,
                        const std::vector<std::string>& arguments) {
  std::string command = Quoted(std::string(TAMIS_BIN_DIR) + "/" + name);
  for (const std::string& argument : arguments) {
    command += " " + Quoted(argument);
  }
  return command;
}

}  // namespace

Outcome RunOurs(const std::string& name,
                const std::vector<std::string>& arguments) {
  CommandResult result = RunCommand(CommandLine(name, arguments));
  return {result.exit_code, std::move(result.output)};
}

Outcome RunOursOn(const std::string& input, const std::string& name,
                  const std::vector<std::string>& arguments) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("input");
  std::ofstream(path, std::ios::binary) << input;
  CommandResult result =
      RunCommand(CommandLine(name, arguments) + " < " + Quoted(path));
  return {result.exit_code, std::move(result.output)};
}

}  // namespace tamis
