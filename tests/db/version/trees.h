// SPDX-License-Identifier: Apache-2.0
//
// Trees drawn in text, for tests of what decides over files by their metadata
// alone:
//
//   L0: 9=a-f 8=c-c       level 0 newest first, the others by key
//   L1: 5=a-c@200 6=e-g   number=smallest-largest@bytes (100 when left out)
//   L2: 3=a-d) 4=d-g      3 ends in a range tombstone: it holds no d
//
// A file's sequence numbers are its number, its epoch too.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "db/version/version.h"
#include "tests/support/tables.h"

namespace tamis {

inline FileMetaData ParseFile(const std::string& text) {
  FileMetaData meta;
  const size_t equals = text.find('=');
  const size_t dash = text.find('-', equals);
  const size_t at = std::min(text.find('@'), text.size());
  meta.number = std::stoull(text.substr(0, equals));
  meta.epoch_number = meta.number;
  meta.smallest_seqno = meta.number;
  meta.largest_seqno = meta.number;
  meta.smallest =
      InternalKey(text.substr(equals + 1, dash - equals - 1), meta.number);
  const std::string largest = text.substr(dash + 1, at - dash - 1);
  meta.largest = largest.ends_with(')')
                     ? InternalKey(largest.substr(0, largest.size() - 1),
                                   kMaxSequenceNumber, kTypeRangeDeletion)
                     : InternalKey(largest, meta.number);
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
    const auto level = static_cast<size_t>(word[1] - '0');
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
    text += (text.empty() ? "" : " ") + std::to_string(file->meta.number);
  }
  return text;
}

}  // namespace tamis
