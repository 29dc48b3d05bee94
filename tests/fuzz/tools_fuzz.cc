// SPDX-License-Identifier: Apache-2.0
//
// Command lines: hex, keys and values under every flag, and complete lines of
// words and flags. Text that parses is shown as it was typed, other text gives
// InvalidArgument, and no line ends the process.
//
//   input := mode u8 | text
//   mode     bits 0-2: --hex, --key_hex, --value_hex; bit 3: a line of words
#include <cstdio>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_input.h"
#include "tools/hex.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tamis_ldb/words.h"
#include "tools/tool_main.h"

namespace tamis {
namespace {

std::vector<std::string> seen;  // by the tool that runs

int Run(const std::vector<std::string>& arguments) {
  seen = arguments;
  return kExitRight;
}

// What RunTool says of a line is not looked at.
class QuietStderr {
 public:
  QuietStderr() : before_(stderr) {
    static std::FILE* const quiet = std::fopen("/dev/null", "w");
    stderr = quiet;
  }
  ~QuietStderr() { stderr = before_; }

 private:
  std::FILE* const before_;
};

void RunLine(const std::string& line) {
  std::vector<std::string> words = {"tool"};
  bool plain = true;  // no word that means something
  for (size_t at = 0; at < line.size();) {
    const size_t end = std::min(line.find('\n', at), line.size());
    words.push_back(line.substr(at, end - at));
    plain = plain && (words.back().size() < 2 || words.back()[0] != '-');
    at = end + 1;
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  const gflags::FlagSaver saver;
  const Tool tool{"tool", "", Run};
  seen.assign(1, "not run");
  int code = 0;
  {
    const QuietStderr quiet;
    code = RunTool(tool, static_cast<int>(argv.size()), argv.data());
  }
  Claim(code == kExitRight || code == kExitMisused);
  if (!plain) return;
  words.erase(words.begin());
  for (std::string& word : words) word = word.c_str();  // up to its first \0
  Claim(code == kExitRight && seen == words);
}

void ShowAgain(const Result<std::string>& parsed, const std::string& text,
               bool hex, std::string (*show)(const Slice&),
               Result<std::string> (*parse)(const std::string&)) {
  if (!parsed.ok()) {
    Claim(hex && parsed.status().IsInvalidArgument());
    return;
  }
  const std::string shown = show(*parsed);
  Claim(shown.size() == text.size());
  Claim(hex || shown == text);
  const auto again = parse(shown);
  Claim(again.ok() && *again == *parsed);
}

void Fuzz(FuzzInput input) {
  const uint8_t mode = input.Byte();
  const std::string text = input.Rest();
  if ((mode & 8) != 0) return RunLine(text);
  const auto hex = ParseHex(text);
  Claim(hex.ok() || hex.status().IsInvalidArgument());
  if (hex.ok()) Claim(hex->size() * 2 + 2 == text.size());

  FLAGS_hex = (mode & 1) != 0;
  FLAGS_key_hex = (mode & 2) != 0;
  FLAGS_value_hex = (mode & 4) != 0;
  const bool hex_keys = FLAGS_hex || FLAGS_key_hex;
  ShowAgain(ParseKey(text), text, hex_keys, ShowKey, ParseKey);
  ShowAgain(ParseValue(text), text, FLAGS_hex || FLAGS_value_hex, ShowValue,
            ParseValue);
  FLAGS_from = text.substr(0, text.size() / 2);
  FLAGS_to = text.substr(text.size() / 2);
  const auto range = RangeFromFlags();
  if (range.ok()) {
    Claim(range->from.has_value() == !FLAGS_from.empty());
    Claim(range->to.has_value() == !FLAGS_to.empty());
  } else {
    Claim(hex_keys && range.status().IsInvalidArgument());
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
