// SPDX-License-Identifier: Apache-2.0
//
// Trees in text form, for tests of decisions by the metadata of files alone:
//
//   L0: 9=a-f 8=c-c       level 0 newest first, the others by key
//   L1: 5=a-c@200 6=e-g   number=smallest-largest@bytes (100 when left out)
//   L2: 3=a-d) 4=d-g/1    3 ends in a range tombstone: it holds no d; 4 is in
//                         path 1
//
// A file's number is also its sequence number and its epoch. In data-driven
// tests such a tree is the input of a case, or of a `define` before it.
#pragma once

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "db/version/version.h"
#include "tests/support/data_driven.h"
#include "tests/support/tables.h"

namespace tamis {

inline FileMetaData ParseFile(const std::string& with_path) {
  FileMetaData meta;
  const size_t slash = std::min(with_path.find('/'), with_path.size());
  const std::string text = with_path.substr(0, slash);
  if (slash < with_path.size()) {
    meta.path_id = static_cast<uint8_t>(std::stoi(with_path.substr(slash + 1)));
  }
  const size_t equals = text.find('=');
  const size_t dash = text.find('-', equals);
  const size_t at = std::min(text.find('@'), text.size());
  const uint64_t number = std::stoull(text.substr(0, equals));
  meta.number = FileNumber(number);
  meta.epoch_number = EpochNumber(number);
  meta.smallest_seqno = number;
  meta.largest_seqno = number;
  meta.smallest =
      InternalKey(text.substr(equals + 1, dash - equals - 1), number);
  const std::string largest = text.substr(dash + 1, at - dash - 1);
  meta.largest = largest.ends_with(')')
                     ? InternalKey(largest.substr(0, largest.size() - 1),
                                   kMaxSequenceNumber, kTypeRangeDeletion)
                     : InternalKey(largest, number);
  meta.size = at < text.size() ? std::stoull(text.substr(at + 1)) : 100;
  return meta;
}

inline VersionPtr ParseTree(const std::string& text,
                            const KeyOrder& order = Bytewise()) {
  Version::Levels levels;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word)) continue;
    const Level level(word[1] - '0');
    if (word != "L" + level.ToString() + ":" || !IsLevel(level)) {
      throw std::invalid_argument("no level: " + line);
    }
    while (words >> word) {
      levels[level].push_back(
          std::make_shared<const TableFile>(ParseFile(word)));
    }
  }
  return std::make_shared<const Version>(order, nullptr, std::move(levels));
}

// "5 6"
inline std::string Numbers(const LevelFiles& files) {
  std::string text;
  for (const TableFilePtr& file : files) {
    text += (text.empty() ? "" : " ") + file->meta.number.ToString();
  }
  return text;
}

// "L0: 9 8, 200 bytes", a line for each level that has files.
inline std::string Describe(const Version& version) {
  std::string text;
  for (const Level level : kLevels) {
    if (version.files(level).empty()) continue;
    text += "L" + level.ToString() + ": " + Numbers(version.files(level)) +
            ", " + std::to_string(version.LevelBytes(level)) + " bytes\n";
  }
  return text;
}

// The level=n of a case.
inline Level LevelOf(const DataCase& data,
                     const std::string& argument = "level") {
  return Level(static_cast<int>(data.Number(argument)));
}

// The tree that a case is about.
class TreeOfCase {
 public:
  // Answers the directive `define`.
  std::string Define(const DataCase& data) {
    defined_ = ParseTree(data.input());
    return Describe(*defined_);
  }
  // That of the case's input; of a case without input, the one defined last.
  VersionPtr Of(const DataCase& data) const {
    return data.input().empty() ? defined_ : ParseTree(data.input());
  }
  const VersionPtr& defined() const { return defined_; }

 private:
  VersionPtr defined_ = ParseTree("");
};

}  // namespace tamis
