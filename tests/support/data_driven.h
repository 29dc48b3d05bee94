// SPDX-License-Identifier: Apache-2.0
//
// Data-driven tests: a file below tests/testdata is a list of cases, which a
// reviewer reads as questions and answers.
//
//   # Level 0 is full, level 1 empty.
//   pick trigger=2 busy
//   L0: 9=a-f 8=f-z
//   ----
//   L0 9 8 -> L1, bottom
//
// A case is a directive with arguments, lines of input, the line ----, and the
// expected output; an empty line ends it. A line that begins with # is a
// comment, but for lines of output. TAMIS_REWRITE=1 in the environment writes
// the actual output into the source tree; the diff is then what there is to
// review.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace tamis {

// A case that cannot be run, or a file that holds none: "file:line: why".
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One case, as it is given to the function that answers it. The accessors of
// arguments and numbers throw DataError where the case does not have them.
class DataCase {
 public:
  const std::string& directive() const { return directive_; }
  // Without comments; a newline behind every line.
  const std::string& input() const { return input_; }
  std::vector<std::string> InputLines() const;

  bool Has(const std::string& argument) const;
  // The value of argument=value.
  std::string Text(const std::string& argument) const;
  std::string Text(const std::string& argument,
                   const std::string& otherwise) const;
  uint64_t Number(const std::string& argument) const;
  uint64_t Number(const std::string& argument, uint64_t otherwise) const;
  // Of a list: argument=1,2,3. None: argument=, or no such argument.
  std::vector<std::string> Words(const std::string& argument) const;
  std::vector<uint64_t> Numbers(const std::string& argument) const;

  // All of the text is one number.
  uint64_t ParseNumber(const std::string& text) const;
  [[noreturn]] void Fail(const std::string& why) const;

 private:
  friend class DataFile;

  std::string place_;  // "file:line"
  std::string directive_;
  std::map<std::string, std::string> arguments_;
  mutable std::set<std::string> used_;  // of the arguments
  std::string input_;
};

// What answers each directive.
using DataDirectives =
    std::map<std::string, std::function<std::string(const DataCase&)>>;

// What came of the cases of one text.
struct DataOutcome {
  struct Failure {
    size_t line = 0;  // of the directive
    std::string message;
  };

  size_t cases = 0;
  std::vector<Failure> failures;
  // The text with the actual output of every case; empty where a case could not
  // be run.
  std::string rewritten;
};

// Answers every case of `text`, which messages call `name`. An argument that no
// directive asked for is an error, as is a text without a case.
DataOutcome RunData(const std::string& name, const std::string& text,
                    const DataDirectives& directives);

// The same for tests/testdata/<path>, or for an absolute path; each failure is
// one of the running test.
void RunDataFile(const std::string& path, const DataDirectives& directives);

// Where the build found tests/testdata/<path>; an absolute path is itself.
std::string DataPath(const std::string& path);
std::string ReadDataFile(const std::string& path);

}  // namespace tamis
