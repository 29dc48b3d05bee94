// SPDX-License-Identifier: Apache-2.0
#include "tools/tool_file_system.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace tamis {

[[gnu::weak]] std::shared_ptr<FileSystem> ToolFileSystem() {
  return NewPosixFileSystem();
}

[[gnu::weak]] bool KnowsClusters() { return false; }

namespace {

// Does not return, unless the program is not installed.
void Execute(const std::string& program, char** argv) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) ::execv((self.parent_path() / program).c_str(), argv);
  ::execvp(program.c_str(), argv);
}

bool NamesCluster(std::span<char* const> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const char* one) {
    return std::string_view(one).find("rados://") != std::string_view::npos;
  });
}

}  // namespace

int RunToolOfFiles(const Tool& tool, int argc, char** argv) {
  if (KnowsClusters() || !NamesCluster({argv, static_cast<size_t>(argc)})) {
    return RunTool(tool, argc, argv);
  }
  const std::string program =
      "tamis_rados_" +
      std::string(tool.name).substr(std::string_view("tamis_").size());
  Execute(program, argv);
  std::fprintf(stderr,
               "%s: paths in a Ceph cluster need %s, which is not installed\n",
               tool.name, program.c_str());
  return kExitFailed;
}

bool IsDirectory(const std::string& path) {
  std::vector<std::string> names;
  return ToolFileSystem()->GetChildren(path, &names).ok();
}

}  // namespace tamis
