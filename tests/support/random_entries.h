// SPDX-License-Identifier: Apache-2.0
//
// Random entries of a block: keys of several kinds, some with several versions;
// random keys to seek among them; and which entry a point read sees.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "table/internal_key.h"
#include "tests/support/tables.h"
#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {

// Kinds of keys a database may have.
inline std::string RandomKey(Random* random, uint64_t kind) {
  const auto digits = [random](uint64_t n) {
    const std::string number = std::to_string(random->Uniform(n));
    return std::string(16 - number.size(), '0') + number;
  };
  std::string key;
  switch (kind) {
    case 0:  // decimal, near each other
      return digits(1000);
    case 1:  // decimal, far from each other
      return digits(1000000000000);
    case 2:  // a prefix that does not fit among the tags
      return std::string(40, 'p') + digits(300);
    case 3:  // prefixes of each other, the empty one included
      return std::string(random->Uniform(60), 'a');
    case 4:  // short ones of few bytes, zeros among them
      for (uint64_t n = random->Uniform(8); n > 0; --n) {
        key.push_back(static_cast<char>(random->Uniform(3) * 127));
      }
      return key;
    case 5:  // any bytes
      for (uint64_t n = random->Uniform(24); n > 0; --n) {
        key.push_back(static_cast<char>(random->Next()));
      }
      return key;
    case 6:  // long ones that differ here and there: parents of parents
      key = std::string(30 + random->Uniform(200), 'x');
      for (uint64_t n = random->Uniform(4); n > 0; --n) {
        key[random->Uniform(key.size())] = 'y';
      }
      return key;
    default:  // one key, or nearly
      return random->OneIn(8) ? "other" : "only";
  }
}

constexpr uint64_t kKeyKinds = 8;

inline uint64_t RandomTail(Random* random) {
  // Neighbours share most bytes of their tails; others none.
  const SequenceNumber sequence =
      random->OneIn(4) ? random->Next() >> 8 : random->Uniform(50);
  return PackSequenceAndType(sequence,
                             random->OneIn(2) ? kTypeValue : kTypeDeletion);
}

inline Entries RandomEntries(Random* random, uint64_t kind) {
  const uint64_t count = 1 + random->Uniform(random->OneIn(4) ? 600 : 60);
  const bool versions = random->OneIn(2);
  const auto less = [](const std::string& a, const std::string& b) {
    return Bytewise().Compare(a, b) < 0;
  };
  std::set<std::string, decltype(less)> keys(less);
  for (uint64_t i = 0; i < count; ++i) {
    const std::string user_key = RandomKey(random, kind);
    for (uint64_t n = versions ? 1 + random->Uniform(6) : 1; n > 0; --n) {
      std::string key = user_key;
      PutFixed64(&key, RandomTail(random));
      keys.insert(key);
    }
  }
  Entries entries;
  const uint64_t value_max = random->OneIn(3) ? 300 : 120;
  size_t bytes = 0;
  for (const std::string& key : keys) {
    // Values differ in each byte from their neighbours'.
    const auto byte = static_cast<char>(entries.size());
    entries.emplace_back(key, std::string(random->Uniform(value_max), byte));
    bytes += key.size() + entries.back().second.size() + 16;
    if (bytes > size_t{63} * 1024) break;
  }
  return entries;
}

struct SoughtKey {
  std::string user_key;
  uint64_t tail;
};

// The key and tail of an entry, or such that differ from them in one respect.
inline SoughtKey RandomSoughtKey(Random* random, const Entries& entries,
                                 uint64_t kind) {
  const std::string& entry = entries[random->Uniform(entries.size())].first;
  SoughtKey sought = {ExtractUserKey(entry).ToString(), ExtractTail(entry)};
  switch (random->Uniform(5)) {
    case 0:
      sought.user_key = RandomKey(random, kind);
      break;
    case 1:
      sought.tail = RandomTail(random);
      break;
    case 2:
      if (!sought.user_key.empty()) sought.user_key.pop_back();
      break;
    case 3:
      sought.user_key.push_back('\0');
      break;
    default:
      break;
  }
  return sought;
}

// The newest visible version of a key; nullptr if there is none.
inline const std::pair<std::string, std::string>* FirstVisible(
    const Entries& entries, const Slice& user_key, uint64_t tail) {
  for (const auto& entry : entries) {
    if (ExtractUserKey(entry.first) == user_key &&
        ExtractTail(entry.first) <= tail) {
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace tamis
