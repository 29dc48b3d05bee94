// SPDX-License-Identifier: Apache-2.0
#include "tools/command_help.h"

#include <algorithm>
#include <vector>

#include "tamis/version.h"

#include "tools/json_text.h"

namespace tamis {
namespace {

constexpr size_t kHelpColumn = 27;
constexpr size_t kLineWidth = 80;

constexpr const char* kExitCodes =
    "0 right; 1 not found, corrupt or failed; 2 misused";

// "  left       right", with right broken into lines in its column.
std::string HelpRow(const std::string& left, const std::string& right) {
  std::string out = "  " + left;
  size_t column = out.size();
  if (column + 2 > kHelpColumn) {
    out += "\n";
    column = 0;
  }
  out += std::string(kHelpColumn - column, ' ');
  column = kHelpColumn;
  for (size_t at = 0; at < right.size();) {
    const size_t end = std::min(right.find(' ', at), right.size());
    const std::string word = right.substr(at, end - at);
    if (column > kHelpColumn && column + 1 + word.size() > kLineWidth) {
      out += "\n" + std::string(kHelpColumn, ' ');
      column = kHelpColumn;
    } else if (column > kHelpColumn) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
    at = end + 1;
  }
  return out + "\n";
}

// The help of a flag, with its range and its default.
std::string FlagText(const FlagFacts& flag) {
  std::string text = flag.help;
  if (!flag.range.words.empty() || flag.range.bounded) {
    text += "; " + flag.Allowed();
  }
  const bool plain =
      flag.type == "bool" ? flag.otherwise == "false" : flag.otherwise.empty();
  if (!plain) text += " [" + flag.otherwise + "]";
  return text;
}

std::string Synopsis(const Command& command) {
  std::string text = command.name;
  if (*command.arguments != '\0') text += std::string(" ") + command.arguments;
  return text;
}

std::string FlagRows(const std::vector<FlagFacts>& flags) {
  std::string out;
  for (const FlagFacts& flag : flags)
    out += HelpRow(flag.Spelled(), FlagText(flag));
  return out;
}

// "[--from=KEY] [--to=KEY]": the flags of a command that few others take.
std::string OwnFlags(const CommandTable& table, const Command& command) {
  std::string out;
  for (const TakenFlag& taken : FlagsOf(command)) {
    size_t takers = 0;
    for (const Command& other : table.commands) {
      for (const TakenFlag& flag : FlagsOf(other)) {
        if (flag.name == taken.name) ++takers;
      }
    }
    FlagFacts flag;
    if (takers > table.commands.size() / 4 || !FindFlag(taken.name, &flag)) {
      continue;
    }
    out += (out.empty() ? "" : " ") +
           (taken.needed ? flag.Spelled() : "[" + flag.Spelled() + "]");
  }
  return out;
}

std::string Roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '-' || c == '\\') out.push_back('\\');
    if (c == '.' && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\'' && (out.empty() || out.back() == '\n')) out += "\\&";
    out.push_back(c);
  }
  return out;
}

std::string RoffItem(const std::string& what, const std::string& text) {
  return ".TP\n\\fB" + Roff(what) + "\\fR\n" + Roff(text) + "\n";
}

std::string ManPage(const Tool& tool) {
  const CommandTable& table = *tool.table;
  const std::string summary = table.summary;
  std::string out = std::string(".TH ") + tool.name + " 1 \"\" \"Tamis " +
                    GetVersion() + "\" \"User Commands\"\n";
  out += ".SH NAME\n" + std::string(tool.name) + " \\- " +
         Roff(summary.substr(0, summary.find_first_of(".\n"))) + "\n";
  out += ".SH SYNOPSIS\n.B " + std::string(tool.name) + "\n" +
         Roff(table.synopsis) + "\n";
  out += ".SH DESCRIPTION\n" + Roff(summary);
  if (!table.commands.empty()) out += ".SH COMMANDS\n";
  for (const Command& command : table.commands) {
    out += RoffItem(Synopsis(command), command.help);
    const std::string own = OwnFlags(table, command);
    if (!own.empty()) out += ".br\n" + Roff(own) + "\n";
  }
  out += ".SH OPTIONS\n";
  for (const FlagFacts& flag : AllFlags()) {
    out += RoffItem(flag.Spelled(), FlagText(flag));
  }
  out += RoffItem("--help", "print the usage; with a command, that of it");
  out += RoffItem("--version", "print the version");
  if (*table.examples != '\0') {
    out += ".SH EXAMPLES\n.nf\n" + Roff(table.examples) + ".fi\n";
  }
  out += std::string(".SH EXIT STATUS\n") + kExitCodes + "\n";
  return out;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

// "--name=" where a value follows.
std::vector<std::string> FlagWords() {
  std::vector<std::string> words = {"--help", "--version"};
  for (const FlagFacts& flag : AllFlags()) {
    words.push_back("--" + flag.name + (flag.type == "bool" ? "" : "="));
  }
  return words;
}

std::string BashCompletion(const Tool& tool) {
  const std::string name = tool.name;
  std::string out = "# bash completion of " + name +
                    ", made by it with --describe=bash\n_" + name + "() {\n" +
                    R"(  local word=${COMP_WORDS[COMP_CWORD]} flag=
  # Bash makes words of a flag, "=" and its value.
  if [[ $word == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-1]} word=
  elif [[ ${COMP_WORDS[COMP_CWORD-1]-} == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $flag in
)";
  for (const FlagFacts& flag : AllFlags()) {
    if (flag.range.words.empty()) continue;
    out += "    --" + flag.name + ") COMPREPLY=($(compgen -W \"" +
           Joined(flag.range.words) + "\" -- \"$word\")); return ;;\n";
  }
  out +=
      "    --*) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      Joined(FlagWords()) +
      "\" -- \"$word\"))\n"
      "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
      "    return 0\n"
      "  fi\n";
  if (!tool.table->commands.empty()) {
    out += "  COMPREPLY=($(compgen -W \"" + Joined(CommandNames(*tool.table)) +
           "\" -- \"$word\"))\n";
  }
  return out + "}\ncomplete -o default -F _" + name + " " + name + "\n";
}

// For a word in single quotes inside of _arguments.
std::string ZshText(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string ZshCompletion(const Tool& tool) {
  std::string out = std::string("#compdef ") + tool.name +
                    "\n# Made by it with --describe=zsh\n_arguments \\\n"
                    "  '--help[print the usage]' \\\n"
                    "  '--version[print the version]' \\\n";
  for (const FlagFacts& flag : AllFlags()) {
    const bool many = flag.list != nullptr;
    out += std::string("  '") + (many ? "*" : "") + "--" + flag.name;
    if (flag.type != "bool") out += "=";
    out += "[" + ZshText(flag.help) + "]";
    if (flag.type != "bool") {
      out += ":" + ZshText(flag.placeholder) + ":" +
             (flag.range.words.empty() ? "_files"
                                       : "(" + Joined(flag.range.words) + ")");
    }
    out += "' \\\n";
  }
  if (!tool.table->commands.empty()) {
    out += "  '1:command:(" + Joined(CommandNames(*tool.table)) + ")' \\\n";
  }
  return out + "  '*:file:_files'\n";
}

std::string FlagJson(const FlagFacts& flag) {
  std::vector<std::string> words;
  for (const std::string& word : flag.range.words) {
    words.push_back(JsonString(word));
  }
  JsonObject object;
  object.Text("name", flag.name)
      .Text("type", flag.type)
      .Text("value", flag.placeholder)
      .Text("help", flag.help)
      .Text("default", flag.otherwise)
      .Text("allowed", flag.Allowed())
      .Bool("bounded", flag.range.bounded)
      .Value("words", JsonArray(words));
  return object.ToString();
}

std::string CommandJson(const Command& command) {
  std::vector<std::string> takes;
  std::vector<std::string> needs;
  for (const TakenFlag& flag : FlagsOf(command)) {
    takes.push_back(JsonString(flag.name));
    if (flag.needed) needs.push_back(JsonString(flag.name));
  }
  JsonObject object;
  object.Text("name", command.name)
      .Text("arguments", command.arguments)
      .Number("words_min", command.words_min)
      .Value("words_max", command.words_max == Command::kAny
                              ? "null"
                              : std::to_string(command.words_max))
      .Text("help", command.help)
      .Value("flags", JsonArray(takes))
      .Value("needs", JsonArray(needs));
  return object.ToString();
}

std::string RefusalsJson(std::span<const Refusal> refusals) {
  std::vector<std::string> rows;
  for (const Refusal& refusal : refusals) {
    JsonObject object;
    object.Text("name", refusal.name).Text("why", refusal.why);
    rows.push_back(object.ToString());
  }
  return JsonArray(rows);
}

std::string TableJson(const Tool& tool) {
  std::vector<std::string> flags;
  for (const FlagFacts& flag : AllFlags()) flags.push_back(FlagJson(flag));
  std::vector<std::string> commands;
  for (const Command& command : tool.table->commands) {
    commands.push_back(CommandJson(command));
  }
  JsonObject object;
  object.Text("name", tool.name)
      .Text("version", GetVersion())
      .Value("flags", JsonArray(flags))
      .Value("commands", JsonArray(commands))
      .Value("refused_flags", RefusalsJson(tool.table->refused_flags))
      .Value("refused_commands", RefusalsJson(tool.table->refused_commands));
  return object.ToString() + "\n";
}

}  // namespace

std::string ToolHelp(const Tool& tool) {
  const CommandTable& table = *tool.table;
  std::string out = std::string("usage: ") + tool.name + " " + table.synopsis +
                    "\n\n" + table.summary;
  if (!table.commands.empty()) out += "\ncommands:\n";
  for (const Command& command : table.commands) {
    const std::string own = OwnFlags(table, command);
    out += HelpRow(Synopsis(command),
                   command.help + (own.empty() ? "" : " " + own));
  }
  out += "\nflags:\n" + FlagRows(AllFlags());
  if (!table.refused_commands.empty() || !table.refused_flags.empty()) {
    out += "\nnot in this tool:\n";
  }
  for (const Refusal& refused : table.refused_commands) {
    out += HelpRow(refused.name, refused.why);
  }
  for (const Refusal& refused : table.refused_flags) {
    out += HelpRow(std::string("--") + refused.name, refused.why);
  }
  if (*table.examples != '\0') {
    out += std::string("\nexamples:\n") + table.examples;
  }
  return out + "\nexit codes: " + kExitCodes + "\n";
}

std::string CommandHelp(const Tool& tool, const Command& command) {
  std::vector<FlagFacts> flags;
  for (const TakenFlag& taken : FlagsOf(command)) {
    FlagFacts flag;
    if (FindFlag(taken.name, &flag)) flags.push_back(std::move(flag));
  }
  return std::string("usage: ") + tool.name + " [flags] " + Synopsis(command) +
         "\n\n" + command.help + "\n\nflags:\n" + FlagRows(flags);
}

bool Describe(const Tool& tool, const std::string& form, std::string* text) {
  if (form == "man") {
    *text = ManPage(tool);
  } else if (form == "bash") {
    *text = BashCompletion(tool);
  } else if (form == "zsh") {
    *text = ZshCompletion(tool);
  } else if (form == "json") {
    *text = TableJson(tool);
  } else {
    return false;
  }
  return true;
}

}  // namespace tamis
