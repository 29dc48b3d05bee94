// SPDX-License-Identifier: Apache-2.0
//
// Data-driven tests: a file below tests/testdata is a list of cases, each with
// its input and its expected output.
//
//   # Level 0 is full, level 1 empty.
//   pick trigger=2 busy
//   L0: 9=a-f 8=f-z
//   ----
//   L0 9 8 -> L1, bottom
//
// A case is a directive with arguments, lines of input, the line ----, and the
// expected output; an empty line ends it. A line that begins with # is a
// comment, except in the output. TAMIS_REWRITE=1 in the environment writes the
// actual output into the source tree; review the diff.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace tamis {

// A case that cannot be run, or a file without cases: "file:line: why".
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One case, passed to the function of its directive. Accessors of arguments and
// numbers throw DataError if the case lacks them.
class DataCase {
 public:
  const std::string& directive() const { return directive_; }
  // Without comments; a newline ends every line.
  const std::string& input() const { return input_; }
  std::vector<std::string> InputLines() const;

  bool Has(const std::string& argument) const;
  // The value of argument=value.
  std::string Text(const std::string& argument) const;
  std::string Text(const std::string& argument,
                   const std::string& otherwise) const;
  uint64_t Number(const std::string& argument) const;
  uint64_t Number(const std::string& argument, uint64_t otherwise) const;
  // Elements of a list: argument=1,2,3. None: argument=, or no such argument.
  std::vector<std::string> Words(const std::string& argument) const;
  std::vector<uint64_t> Numbers(const std::string& argument) const;

  // REQUIRES: the whole text is a number; otherwise throws DataError.
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

// The function that produces the output, by directive.
using DataDirectives =
    std::map<std::string, std::function<std::string(const DataCase&)>>;

// The results of the cases of a text.
struct DataOutcome {
  struct Failure {
    size_t line = 0;  // of the directive
    std::string message;
  };

  size_t cases = 0;
  std::vector<Failure> failures;
  // The text with the actual output of every case; empty if a case could not be
  // run.
  std::string rewritten;
};

// Runs every case of `text`; `name` is for messages. Unused arguments and a
// text without cases are errors.
DataOutcome RunData(const std::string& name, const std::string& text,
                    const DataDirectives& directives);

// The same for tests/testdata/<path>, or for an absolute path. Failures are
// those of the running test.
void RunDataFile(const std::string& path, const DataDirectives& directives);

// The full path of tests/testdata/<path>; absolute paths are unchanged.
std::string DataPath(const std::string& path);
std::string ReadDataFile(const std::string& path);

}  // namespace tamis
