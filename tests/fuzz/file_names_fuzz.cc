// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a file name, and as the contents of CURRENT and IDENTITY. An
// accepted name, formatted again from its number, parses to the same.
#include <memory>
#include <string>

#include "db/base/file_names.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/simulated_file_system.h"

namespace tamis {
namespace {

// With the directory; empty: no name is made of such a number alone.
std::string NameOf(const ParsedFileName& file) {
  switch (file.type) {
    case FileKind::kLog:
      return LogFileName("/db", file.number);
    case FileKind::kTable:
      return TableFileName("/db", file.number);
    case FileKind::kDescriptor:
      return DescriptorFileName("/db", file.number);
    case FileKind::kCurrent:
      return CurrentFileName("/db");
    case FileKind::kLock:
      return LockFileName("/db");
    case FileKind::kIdentity:
      return IdentityFileName("/db");
    default:
      return "";
  }
}

void ParseName(const std::string& name) {
  const auto file = ParseFileName(name);
  if (!file) return;
  Claim(file->number <= kFileNumberMax || file->type == FileKind::kInfoLog);
  const std::string path = NameOf(*file);
  if (path.empty()) return;
  const auto again = ParseFileName(path.substr(4));
  Claim(again && again->type == file->type && again->number == file->number);
}

void ReadSmallFiles(const std::string& contents) {
  const auto fs = NewSimulatedFileSystem();
  Claim(fs->CreateDirIfMissing("/db").ok());
  for (const std::string& path :
       {CurrentFileName("/db"), IdentityFileName("/db")}) {
    Claim(WriteStringToFile(fs.get(), contents, path, true).ok());
  }
  const auto current = ReadCurrentFile(fs.get(), "/db");
  if (current.ok()) {
    Claim(*current + "\n" == contents);
    const auto file = ParseFileName(*current);
    Claim(file && file->type == FileKind::kDescriptor);
  } else {
    Claim(current.status().IsCorruption());
    Claim(current.status().message().find("/db/CURRENT") != std::string::npos);
  }
  const auto identity = ReadIdentityFile(fs.get(), "/db");
  if (identity.ok()) {
    Claim(contents.compare(0, identity->size(), *identity) == 0);
  }
}

void Fuzz(FuzzInput input) {
  const std::string bytes = input.Rest();
  ParseName(bytes);
  ReadSmallFiles(bytes);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
