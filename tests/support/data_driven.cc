// SPDX-License-Identifier: Apache-2.0
#include "tests/support/data_driven.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <gtest/gtest.h>

namespace tamis {

namespace {

constexpr std::string_view kSeparator = "----";

using Lines = std::vector<std::string>;

Lines SplitLines(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) lines.push_back(line);
  return lines;
}

std::string JoinLines(const Lines& lines, const std::string& before = "") {
  std::string text;
  for (const std::string& line : lines) text += before + line + "\n";
  return text;
}

// Lines that both begin or end with are shown once, after a space; other
// expected lines after "-", actual ones after "+".
std::string Diff(const Lines& expected, const Lines& actual) {
  const auto [e, a] = std::mismatch(expected.begin(), expected.end(),
                                    actual.begin(), actual.end());
  auto e_end = expected.end();
  auto a_end = actual.end();
  while (e_end != e && a_end != a && *(e_end - 1) == *(a_end - 1)) {
    --e_end;
    --a_end;
  }
  return JoinLines({expected.begin(), e}, " ") + JoinLines({e, e_end}, "-") +
         JoinLines({a, a_end}, "+") + JoinLines({e_end, expected.end()}, " ");
}

}  // namespace

std::vector<std::string> DataCase::InputLines() const {
  return SplitLines(input_);
}

bool DataCase::Has(const std::string& argument) const {
  used_.insert(argument);
  return arguments_.contains(argument);
}

std::string DataCase::Text(const std::string& argument) const {
  if (!Has(argument)) Fail("there is no argument " + argument);
  return arguments_.at(argument);
}

std::string DataCase::Text(const std::string& argument,
                           const std::string& otherwise) const {
  return Has(argument) ? Text(argument) : otherwise;
}

uint64_t DataCase::Number(const std::string& argument) const {
  return ParseNumber(Text(argument));
}

uint64_t DataCase::Number(const std::string& argument,
                          uint64_t otherwise) const {
  return Has(argument) ? Number(argument) : otherwise;
}

std::vector<std::string> DataCase::Words(const std::string& argument) const {
  std::vector<std::string> words;
  std::istringstream in(Text(argument, ""));
  std::string word;
  while (std::getline(in, word, ',')) words.push_back(word);
  return words;
}

std::vector<uint64_t> DataCase::Numbers(const std::string& argument) const {
  std::vector<uint64_t> numbers;
  for (const std::string& word : Words(argument)) {
    numbers.push_back(ParseNumber(word));
  }
  return numbers;
}

uint64_t DataCase::ParseNumber(const std::string& text) const {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) {
    Fail("expected a number, got \"" + text + "\"");
  }
  return number;
}

void DataCase::Fail(const std::string& why) const {
  throw DataError(place_ + ": " + why);
}

// Runs the cases of a text.
class DataFile {
 public:
  DataFile(std::string name, const std::string& text)
      : name_(std::move(name)), lines_(SplitLines(text)) {}

  DataOutcome Run(const DataDirectives& directives) {
    try {
      while (SkipToCase()) RunCase(directives);
      if (outcome_.cases == 0) throw DataError(name_ + ": there is no case");
    } catch (const std::exception& error) {
      Fail(error.what());
      outcome_.rewritten.clear();
    }
    return std::move(outcome_);
  }

 private:
  // Returns the next line, and copies it to the rewritten text.
  std::string Take() {
    outcome_.rewritten += lines_[at_] + "\n";
    return lines_[at_++];
  }

  bool SkipToCase() {
    while (at_ < lines_.size() &&
           (lines_[at_].empty() || lines_[at_].starts_with('#'))) {
      Take();
    }
    line_ = at_ + 1;
    return at_ < lines_.size();
  }

  void RunCase(const DataDirectives& directives) {
    const DataCase asked = ReadCase();
    const auto directive = directives.find(asked.directive());
    if (directive == directives.end()) {
      asked.Fail("there is no directive " + asked.directive());
    }
    std::string output;
    try {
      output = directive->second(asked);
    } catch (const DataError&) {
      throw;
    } catch (const std::exception& error) {
      asked.Fail(error.what());
    }
    for (const auto& [name, value] : asked.arguments_) {
      if (!asked.used_.contains(name)) {
        asked.Fail(asked.directive() + " has no argument " + name);
      }
    }
    const Lines actual = SplitLines(output);
    if (std::find(actual.begin(), actual.end(), "") != actual.end()) {
      asked.Fail("the output has an empty line:\n" + output);
    }
    const Lines expected = ReadExpected();
    if (expected != actual) {
      Fail(name_ + ":" + std::to_string(line_) + ": " + asked.directive() +
           ": expected (-), actual (+):\n" + Diff(expected, actual));
    }
    outcome_.rewritten += JoinLines(actual);
    ++outcome_.cases;
  }

  DataCase ReadCase() {
    DataCase asked;
    asked.place_ = name_ + ":" + std::to_string(line_);
    std::istringstream words(Take());
    words >> asked.directive_;
    std::string word;
    while (words >> word) {
      const size_t equals = std::min(word.find('='), word.size());
      const std::string value = word.substr(std::min(equals + 1, word.size()));
      if (!asked.arguments_.emplace(word.substr(0, equals), value).second) {
        asked.Fail("duplicate argument: " + word);
      }
    }
    while (at_ < lines_.size() && lines_[at_] != kSeparator) {
      if (lines_[at_].empty()) break;
      const std::string line = Take();
      if (!line.starts_with('#')) asked.input_ += line + "\n";
    }
    if (at_ == lines_.size() || lines_[at_] != kSeparator) {
      asked.Fail("expected the line ---- behind the input");
    }
    Take();
    return asked;
  }

  Lines ReadExpected() {
    Lines expected;
    while (at_ < lines_.size() && !lines_[at_].empty()) {
      expected.push_back(lines_[at_++]);
    }
    return expected;
  }

  void Fail(const std::string& message) {
    outcome_.failures.push_back({line_, message});
  }

  const std::string name_;
  const Lines lines_;
  size_t at_ = 0;    // index of the next line
  size_t line_ = 0;  // number of the directive's line, from 1
  DataOutcome outcome_;
};

DataOutcome RunData(const std::string& name, const std::string& text,
                    const DataDirectives& directives) {
  return DataFile(name, text).Run(directives);
}

std::string DataPath(const std::string& path) {
  return (std::filesystem::path(TAMIS_TESTDATA_DIR) / path).string();
}

std::string ReadDataFile(const std::string& path) {
  std::ifstream in(DataPath(path), std::ios::binary);
  if (!in) throw DataError(DataPath(path) + ": it cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void RunDataFile(const std::string& path, const DataDirectives& directives) {
  const std::string name =
      (std::filesystem::path("tests/testdata") / path).string();
  const std::string text = ReadDataFile(path);
  const DataOutcome outcome = RunData(name, text, directives);
  const char* const rewrite = std::getenv("TAMIS_REWRITE");
  if (rewrite != nullptr && std::string_view(rewrite) == "1" &&
      !outcome.rewritten.empty()) {
    if (outcome.rewritten == text) return;
    std::ofstream out(DataPath(path), std::ios::binary);
    out << outcome.rewritten << std::flush;
    EXPECT_TRUE(out.good()) << name << ": it cannot be written";
    return;
  }
  for (const DataOutcome::Failure& failure : outcome.failures) {
    ADD_FAILURE_AT(name.c_str(), static_cast<int>(failure.line))
        << failure.message;
  }
}

}  // namespace tamis
