// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/script.h"

#include <cstdio>
#include <map>
#include <sstream>

#include "util/base/check.h"
#include "util/base/random.h"

namespace tamis::crash {

namespace {

using model::Change;
using model::ChangeKind;

class Parser {
 public:
  explicit Parser(const std::string& name) { script_.name = name; }

  void Line(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    if (!(words >> verb) || verb.starts_with('#')) return;
    if (verb == "set") {
      std::string option;
      words >> option >> script_.settings[option];
      TAMIS_CHECK(!words.fail());
      return;
    }
    if (verb == "fill") {
      Fill(&words, line);
      return;
    }
    Operation operation;
    operation.line = line;
    if (verb == "write" || verb == "ingest") {
      Write(&words, &operation);
      if (verb == "ingest") operation.act = Act::kIngest;
    } else {
      Other(verb, &words, &operation);
    }
    script_.operations.push_back(std::move(operation));
  }

  Script Take() { return std::move(script_); }

 private:
  std::string Value(size_t bytes) {
    std::string value = "v" + std::to_string(++values_) + ".";
    Random noise(values_);
    while (value.size() < bytes) {
      value.push_back(static_cast<char>('a' + noise.Uniform(26)));
    }
    return value;
  }

  void Write(std::istringstream* words, Operation* operation) {
    operation->act = Act::kWrite;
    std::string word;
    while (*words >> word) {
      if (word == "sync") {
        operation->sync = true;
      } else if (word == "nowal") {
        operation->nowal = script_.uses_nowal = true;
      } else if (word == "move") {
        operation->flag = true;
      } else {
        operation->changes.push_back(MakeChange(word, words));
      }
    }
    TAMIS_CHECK(!operation->changes.empty());
  }

  Change MakeChange(const std::string& verb, std::istringstream* words) {
    Change change;
    size_t bytes = 0;
    *words >> change.key;
    if (verb == "put") {
      *words >> bytes;
      change.kind = ChangeKind::kPut;
      change.value = Value(bytes);
    } else if (verb == "merge") {
      change.kind = ChangeKind::kMerge;
      change.value = Value(0);
    } else if (verb == "range") {
      change.kind = ChangeKind::kDeleteRange;
      *words >> change.value;
    } else {
      TAMIS_CHECK(verb == "del" || verb == "single");
      change.kind =
          verb == "del" ? ChangeKind::kDelete : ChangeKind::kSingleDelete;
    }
    TAMIS_CHECK(!words->fail());
    // The comma behind a change.
    for (std::string* text : {&change.key, &change.value}) {
      if (text->ends_with(',')) text->pop_back();
    }
    if (words->peek() == ',') words->get();
    change.key = WithFamily(change.key);
    if (change.kind == ChangeKind::kDeleteRange) {
      change.value = WithFamily(change.value);
    }
    return change;
  }

  void Fill(std::istringstream* words, const std::string& line) {
    uint64_t count = 0;
    std::string prefix;
    size_t bytes = 0;
    std::string how;
    *words >> count >> prefix >> bytes;
    TAMIS_CHECK(!words->fail());
    const bool nowal = *words >> how && how == "nowal";
    script_.uses_nowal = script_.uses_nowal || nowal;
    for (uint64_t i = 0; i < count; ++i) {
      char digits[8];
      std::snprintf(digits, sizeof(digits), "%02u", static_cast<unsigned>(i));
      Operation operation;
      operation.line = line + ": " + digits;
      operation.act = Act::kWrite;
      operation.nowal = nowal;
      operation.changes.push_back(
          {ChangeKind::kPut, WithFamily(prefix + digits), Value(bytes)});
      script_.operations.push_back(std::move(operation));
    }
  }

  static std::string WithFamily(const std::string& key) {
    return key.find(':') == std::string::npos ? InFamily("", key) : key;
  }

  static void Other(const std::string& verb, std::istringstream* words,
                    Operation* operation) {
    static const std::map<std::string, Act> kActs = {
        {"flush", Act::kFlush},
        {"compact", Act::kCompact},
        {"rewrite_filters", Act::kRewriteFilters},
        {"sync_log", Act::kSyncLog},
        {"jobs", Act::kJobs},
        {"read", Act::kRead},
        {"create", Act::kCreate},
        {"drop", Act::kDrop},
        {"reopen", Act::kReopen},
        {"checkpoint", Act::kCheckpoint},
        {"close", Act::kReopen},
    };
    operation->act = kActs.at(verb);
    operation->flag = verb == "close";
    if (verb == "jobs") *words >> operation->number;
    std::string word;
    while (*words >> word) {
      if (word == "later" || word == "force") {
        operation->flag = true;
      } else {
        operation->names.push_back(word);
      }
    }
  }

  Script script_;
  uint64_t values_ = 0;
};

}  // namespace

std::string FamilyOf(const std::string& key) {
  return key.substr(0, key.find(':'));
}

std::string InFamily(const std::string& family, const std::string& key) {
  return family + ":" + key;
}

std::string PlainKey(const std::string& key) {
  return key.substr(key.find(':') + 1);
}

Script ParseScript(const std::string& name, const std::string& text) {
  Parser parser(name);
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) parser.Line(line);
  return parser.Take();
}

}  // namespace tamis::crash
