// SPDX-License-Identifier: Apache-2.0
//
// What a person and a shell read of a tool's table: help, man page, completions
// and the table itself as JSON.
#pragma once

#include <string>

#include "tools/tool_main.h"

namespace tamis {

// REQUIRES of all: the tool has a table.
std::string ToolHelp(const Tool& tool);
std::string CommandHelp(const Tool& tool, const Command& command);
// `form` is man, bash, zsh or json. False: it is none of these.
bool Describe(const Tool& tool, const std::string& form, std::string* text);

}  // namespace tamis
