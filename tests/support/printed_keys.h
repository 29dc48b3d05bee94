// SPDX-License-Identifier: Apache-2.0
//
// Keys of text, for tests and benchmarks of range filters.
#pragma once

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>

#include "util/base/random.h"

namespace tamis {

// Printed as by printf, up to 99 bytes.
template <typename... Values>
std::string PrintKey(const char* format, Values... values) {
  char buffer[100];
  const int n = std::snprintf(buffer, sizeof(buffer), format, values...);
  return std::string(buffer, static_cast<size_t>(n));
}

// "user" and 19 digits, as YCSB makes them.
inline std::string UserKey(Random* random) {
  return PrintKey("user%019llu", static_cast<unsigned long long>(
                                     random->Next() % 10000000000000000000u));
}

// A tenant, one of 1000, a time within a month in milliseconds, and a number.
inline std::string TenantKey(Random* random) {
  return PrintKey("tenant/%03u/%013llu/%07x",
                  static_cast<unsigned>(random->Uniform(1000)),
                  static_cast<unsigned long long>(1700000000000 +
                                                  random->Uniform(2592000000)),
                  static_cast<unsigned>(random->Uniform(1 << 28)));
}

// Files of packages, as a Debian system has them.
inline std::string FileKey(Random* random) {
  static constexpr const char* kSyllables[] = {
      "lib",  "dev",  "net", "gnu",  "py",   "thon", "perl", "xml",  "gtk",
      "core", "data", "con", "util", "tool", "ker",  "nel",  "font", "java",
      "ruby", "doc",  "min", "max",  "base", "test", "gui",  "cpp"};
  static constexpr const char* kFolders[] = {
      "usr/share/doc/", "usr/lib/x86_64-linux-gnu/", "usr/share/locale/",
      "usr/include/", "var/lib/dpkg/info/"};
  static constexpr const char* kEnds[] = {".h",  ".so", ".html",
                                          ".mo", ".py", ".gz"};
  const auto any = [random](const auto& of) {
    return of[random->Uniform(std::size(of))];
  };
  const auto word = [](Random* from) {
    std::string s;
    for (uint64_t n = from->Uniform(3) + 1; n > 0; --n) {
      s += kSyllables[from->Uniform(std::size(kSyllables))];
    }
    return s;
  };
  // Few packages and folders, more files.
  Random package(random->Uniform(1000) + 1);
  std::string path = std::string(any(kFolders)) + word(&package) + "/";
  for (uint64_t n = random->Uniform(3); n > 0; --n) {
    path += word(&package) + "/";
  }
  return path + word(random) + any(kEnds);
}

}  // namespace tamis
