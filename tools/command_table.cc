// SPDX-License-Identifier: Apache-2.0
#include "tools/command_table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

namespace tamis {
namespace {

// Constructed before the first row, which may be of any source.
std::vector<const FlagRow*>& Rows() {
  static std::vector<const FlagRow*> rows;
  return rows;
}

const FlagRow* FindRow(const std::string& name) {
  for (const FlagRow* row : Rows()) {
    if (row->name == name) return row;
  }
  return nullptr;
}

std::string PlaceholderOf(const std::string& type) {
  if (type == "bool") return "";
  if (type == "string") return "TEXT";
  return type == "double" ? "X" : "N";
}

// Excludes gflags' own flags, which are not a tool's.
bool IsOurs(const gflags::CommandLineFlagInfo& info) {
  return info.filename.find("tools/") != std::string::npos;
}

FlagFacts FactsOf(const gflags::CommandLineFlagInfo& info, const FlagRow* row) {
  FlagFacts facts;
  facts.name = info.name;
  facts.type = info.type;
  facts.help = info.description;
  facts.otherwise = info.default_value;
  facts.placeholder =
      row != nullptr ? row->placeholder : PlaceholderOf(info.type);
  if (row != nullptr) facts.range = row->range;
  return facts;
}

FlagFacts FactsOfList(const FlagRow& row) {
  FlagFacts facts;
  facts.name = row.name;
  facts.type = "list";
  facts.help = row.help;
  facts.placeholder = row.placeholder;
  facts.list = row.list;
  return facts;
}

// The number of bytes to insert, remove or replace to make `b` of `a`.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string Number(double value) {
  std::ostringstream out;
  out.precision(std::numeric_limits<double>::max_digits10);
  out << value;
  return out.str();
}

}  // namespace

FlagRange Among(std::vector<std::string> words) {
  FlagRange range;
  range.words = std::move(words);
  return range;
}

FlagRange Between(double least, double most) {
  FlagRange range;
  range.bounded = true;
  range.least = least;
  range.most = most;
  return range;
}

FlagRange AtLeast(double least) {
  return Between(least, std::numeric_limits<double>::infinity());
}

FlagRow::FlagRow(const char* n, const char* p, FlagRange r)
    : name(n), placeholder(p), range(std::move(r)) {
  Rows().push_back(this);
}

FlagRow::FlagRow(const char* n, const char* p, const char* h,
                 std::vector<std::string>* l)
    : name(n), placeholder(p), help(h), list(l) {
  Rows().push_back(this);
}

std::string FlagFacts::Allowed() const {
  if (type == "bool") return "true or false";
  if (!range.words.empty()) return OneOf(range.words);
  if (type == "string" || type == "list") return "text";
  std::string text = type == "double" ? "a number" : "a whole number";
  const bool natural = type == "uint32" || type == "uint64";
  if (range.bounded && range.most <= std::numeric_limits<double>::max()) {
    text += " from " + Number(range.least) + " to " + Number(range.most);
  } else if (range.bounded || natural) {
    text += " of " + Number(range.bounded ? range.least : 0) + " or more";
  }
  return text;
}

std::string FlagFacts::Spelled() const {
  return "--" + name + (placeholder.empty() ? "" : "=" + placeholder);
}

std::vector<FlagFacts> AllFlags() {
  std::vector<FlagFacts> flags;
  for (const FlagRow* row : Rows()) {
    gflags::CommandLineFlagInfo info;
    if (row->list != nullptr) {
      flags.push_back(FactsOfList(*row));
    } else if (gflags::GetCommandLineFlagInfo(row->name.c_str(), &info)) {
      flags.push_back(FactsOf(info, row));
    }
  }
  std::vector<gflags::CommandLineFlagInfo> all;
  gflags::GetAllFlags(&all);
  std::map<std::string, FlagFacts> others;
  for (const gflags::CommandLineFlagInfo& info : all) {
    if (IsOurs(info) && FindRow(info.name) == nullptr) {
      others.emplace(info.name, FactsOf(info, nullptr));
    }
  }
  for (auto& [name, facts] : others) flags.push_back(std::move(facts));
  return flags;
}

bool FindFlag(const std::string& name, FlagFacts* facts) {
  const FlagRow* const row = FindRow(name);
  if (row != nullptr && row->list != nullptr) {
    *facts = FactsOfList(*row);
    return true;
  }
  gflags::CommandLineFlagInfo info;
  if (!gflags::GetCommandLineFlagInfo(name.c_str(), &info) || !IsOurs(info)) {
    return false;
  }
  *facts = FactsOf(info, row);
  return true;
}

const Command* FindCommand(const CommandTable& table, std::string_view name) {
  for (const Command& command : table.commands) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

std::vector<std::string> CommandNames(const CommandTable& table) {
  std::vector<std::string> names;
  for (const Command& command : table.commands) names.push_back(command.name);
  return names;
}

const char* RefusedBecause(std::span<const Refusal> refusals,
                           std::string_view name) {
  for (const Refusal& refusal : refusals) {
    if (name == refusal.name) return refusal.why;
  }
  return nullptr;
}

std::vector<TakenFlag> FlagsOf(const Command& command) {
  std::vector<TakenFlag> flags;
  for (const char* group : command.flags) {
    std::istringstream in(group);
    for (std::string name; in >> name;) {
      const bool needed = name.back() == '!';
      if (needed) name.pop_back();
      flags.push_back({name, needed});
    }
  }
  return flags;
}

std::string NearestHint(std::string_view word, const char* prefix,
                        const std::vector<std::string>& words) {
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  std::string nearest;
  for (const std::string& known : words) {
    // A beginning is near, however much follows.
    const bool begins = word.size() >= 3 && known.starts_with(word);
    const size_t distance = begins ? 1 : EditDistance(word, known);
    if (distance < least && distance < known.size()) {
      least = distance;
      nearest = known;
    }
  }
  return nearest.empty() ? "" : "; did you mean " + (prefix + nearest) + "?";
}

std::string OneOf(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace tamis
