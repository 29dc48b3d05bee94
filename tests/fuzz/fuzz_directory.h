// SPDX-License-Identifier: Apache-2.0
//
// A directory as an input: the operation on it, and its files.
//
//   input := mode u8 | flags u8 | (kind u8 | number u8 | length u16 | bytes)*
//
// A file that is longer than the rest of the input gets the rest.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/base/file_names.h"
#include "tests/fuzz/fuzz_database.h"
#include "util/coding/coding.h"

namespace tamis {

enum class FuzzFileKind : uint8_t {
  kCurrent,
  kManifest,
  kLog,
  kTable,
  kLevelDBTable,
  kIdentity,
  kOptions,
  kTemp,
  kBlob,
  kOddLog,  // a log whose number is spelled in another way
  kCount,
};

struct FuzzFile {
  FuzzFileKind kind = FuzzFileKind::kCurrent;
  uint8_t number = 0;
  std::string bytes;

  std::string Name() const {
    const std::string digits = std::to_string(number);
    switch (kind) {
      case FuzzFileKind::kCurrent:
        return "CURRENT";
      case FuzzFileKind::kManifest:
        return DescriptorFileName("", FileNumber(number)).substr(1);
      case FuzzFileKind::kLog:
        return LogFileName("", FileNumber(number)).substr(1);
      case FuzzFileKind::kTable:
        return TableFileName("", FileNumber(number)).substr(1);
      case FuzzFileKind::kLevelDBTable:
        return LevelDBTableFileName("", FileNumber(number)).substr(1);
      case FuzzFileKind::kIdentity:
        return "IDENTITY";
      case FuzzFileKind::kOptions:
        return "OPTIONS-" + digits;
      case FuzzFileKind::kTemp:
        return TempFileName("", FileNumber(number)).substr(1);
      case FuzzFileKind::kBlob:
        return digits + ".blob";
      default:
        return "0000000" + digits + ".log";
    }
  }
};

struct FuzzDirectoryInput {
  uint8_t mode = 0;
  uint8_t flags = 0;
  std::vector<FuzzFile> files;

  static FuzzDirectoryInput Take(FuzzInput input) {
    FuzzDirectoryInput out;
    out.mode = input.Byte();
    out.flags = input.Byte();
    while (!input.empty()) {
      FuzzFile file;
      file.kind = static_cast<FuzzFileKind>(
          input.Byte() % static_cast<uint8_t>(FuzzFileKind::kCount));
      file.number = input.Byte();
      file.bytes = input.Bytes(input.Short());
      out.files.push_back(std::move(file));
    }
    return out;
  }
  // REQUIRES: every file is below 64 KiB.
  std::string Encode() const {
    std::string out = {static_cast<char>(mode), static_cast<char>(flags)};
    for (const FuzzFile& file : files) {
      out.push_back(static_cast<char>(file.kind));
      out.push_back(static_cast<char>(file.number));
      PutFixed16(&out, static_cast<uint16_t>(file.bytes.size()));
      out += file.bytes;
    }
    return out;
  }

  FuzzFiles Files() const {
    FuzzFiles all;
    for (const FuzzFile& file : files) all[file.Name()] = file.bytes;
    return all;
  }
};

}  // namespace tamis
