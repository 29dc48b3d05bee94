// SPDX-License-Identifier: Apache-2.0
//
// Kinds of keys for tests of filters: each draws keys that users have, or that
// filters find hard.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "util/base/random.h"
#include "util/coding/coding.h"

namespace tamis {

struct KeyShape {
  const char* name;
  std::string (*draw)(Random* random);
  size_t prefix_bytes;  // of a prefix that several keys share
};

inline std::string BigEndian64(uint64_t value) {
  std::string key;
  PutFixed64(&key, __builtin_bswap64(value));
  return key;
}

inline std::string NumberKey(Random* random) {
  return BigEndian64(random->Next());
}
// Half of the numbers of a range.
inline std::string DenseNumberKey(Random* random) {
  return BigEndian64(random->Uniform(24000));
}
// YCSB's: the decimal digits of a hash.
inline std::string YcsbKey(Random* random) {
  return "user" + std::to_string(random->Next());
}
// One of 20 tenants and a time in microseconds, in binary.
inline std::string TenantTimeKey(Random* random) {
  constexpr uint64_t kDay = uint64_t{24} * 3600 * 1000 * 1000;
  std::string key = BigEndian64(random->Uniform(20)).substr(4);
  return key + BigEndian64(1700000000000000 + random->Uniform(30 * kDay));
}
// Few different bytes, so that keys are often prefixes or neighbours of others.
inline std::string ShortKey(Random* random) {
  static constexpr std::array kBytes = {'\0', '\1', 'a', '\xfe', '\xff'};
  std::string key(random->Uniform(8), '\0');
  for (char& c : key) c = kBytes[random->Uniform(kBytes.size())];
  return key;
}
inline std::string BinaryKey(Random* random) {
  std::string key(random->Uniform(24), '\0');
  for (char& c : key) c = static_cast<char>(random->Next());
  return key;
}
// Folders of folders, with runs of files in each.
inline std::string PathKey(Random* random) {
  static constexpr std::array kWords = {
      "usr",    "share", "lib",   "python3", "include", "doc", "locale",
      "x86_64", "bin",   "linux", "modules", "test",    "src", "module"};
  std::string key;
  for (uint64_t depth = 2 + random->Uniform(4); depth > 0; --depth) {
    key += "/" + std::string(kWords[random->Uniform(kWords.size())]);
  }
  return key + "/file" + std::to_string(random->Uniform(60)) + ".c";
}
// Runs of 0x00 and 0xff between other bytes.
inline std::string EdgeKey(Random* random) {
  std::string key = random->OneIn(3) ? "" : "k";
  for (uint64_t runs = random->Uniform(6); runs > 0; --runs) {
    key.append(random->Uniform(4), random->OneIn(2) ? '\0' : '\xff');
    if (random->OneIn(2)) {
      key.push_back(static_cast<char>('a' + random->Uniform(4)));
    }
  }
  return key;
}

inline constexpr std::array kKeyShapes = {
    KeyShape{"Numbers", NumberKey, 2}, KeyShape{"Dense", DenseNumberKey, 7},
    KeyShape{"Ycsb", YcsbKey, 7},      KeyShape{"TenantTime", TenantTimeKey, 4},
    KeyShape{"Short", ShortKey, 3},    KeyShape{"Binary", BinaryKey, 1},
    KeyShape{"Paths", PathKey, 12},    KeyShape{"Edges", EdgeKey, 2}};

// Sorted and distinct: n draws, or fewer if some were equal.
inline std::vector<std::string> DrawKeys(const KeyShape& shape, size_t n,
                                         Random* random) {
  std::vector<std::string> keys(n);
  for (std::string& key : keys) key = shape.draw(random);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace tamis
