// SPDX-License-Identifier: Apache-2.0
#include "tools/tool_main.h"

#include <cstdio>

#include <gflags/gflags.h>

namespace tamis {
namespace {

const Tool* running = nullptr;

void Complain(std::string_view what) {
  std::fprintf(stderr, "%s: %.*s\n", running->name,
               static_cast<int>(what.size()), what.data());
}

// Excludes gflags' own flags, which the usage does not list.
bool FindFlag(const std::string& name, gflags::CommandLineFlagInfo* info) {
  return gflags::GetCommandLineFlagInfo(name.c_str(), info) &&
         info->filename.find("tools/") != std::string::npos;
}

// Sets the flag at argv[*i]; advances *i if its value is the next argument.
// False: misuse, already reported.
bool SetFlag(int argc, char** argv, int* i) {
  std::string name = argv[*i];
  name.erase(0, name.compare(0, 2, "--") == 0 ? 2 : 1);
  std::string value;
  const size_t equals = name.find('=');
  const bool has_value = equals != std::string::npos;
  if (has_value) {
    value = name.substr(equals + 1);
    name.resize(equals);
  }

  gflags::CommandLineFlagInfo info;
  if (!FindFlag(name, &info)) {
    const bool negated = !has_value && name.compare(0, 2, "no") == 0 &&
                         FindFlag(name.substr(2), &info) && info.type == "bool";
    if (!negated) {
      Complain("unknown flag --" + name);
      return false;
    }
    value = "false";
  } else if (!has_value && info.type == "bool") {
    value = "true";
  } else if (!has_value) {
    if (*i + 1 >= argc) {
      Complain("--" + name + " needs a value");
      return false;
    }
    value = argv[++*i];
  }
  if (gflags::SetCommandLineOption(info.name.c_str(), value.c_str()).empty()) {
    Complain("--" + name + " cannot be '" + value + "'");
    return false;
  }
  return true;
}

}  // namespace

int RunTool(const Tool& tool, int argc, char** argv) {
  running = &tool;
  std::vector<std::string> arguments;
  bool flags = true;
  for (int i = 1; i < argc; i++) {
    const std::string_view word = argv[i];
    if (flags && word == "--") {
      flags = false;
    } else if (flags && (word == "--help" || word == "-h")) {
      Print(tool.usage);
      return kExitRight;
    } else if (flags && word.size() > 1 && word[0] == '-') {
      if (!SetFlag(argc, argv, &i)) {
        std::fputs(tool.usage, stderr);
        return kExitMisused;
      }
    } else {
      arguments.emplace_back(word);
    }
  }
  int code = tool.run(arguments);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    Complain("stdout: not all could be written");
    if (code == kExitRight) code = kExitFailed;
  }
  return code;
}

int Failed(const Status& status) {
  Complain(status.ToString());
  return kExitFailed;
}

int Misused(std::string_view why) {
  Complain(why);
  std::fputs(running->usage, stderr);
  return kExitMisused;
}

void Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace tamis
