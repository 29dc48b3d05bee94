// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate_directory.h"

#include <cstdint>
#include <map>
#include <vector>

#include "tests/fuzz/fuzz_directory.h"
#include "tests/fuzz/mutate_log.h"
#include "tests/fuzz/mutate_record.h"
#include "tests/fuzz/mutate_table.h"

namespace tamis {

namespace {

bool IsTable(const FuzzFile& file) {
  return file.kind == FuzzFileKind::kTable ||
         file.kind == FuzzFileKind::kLevelDBTable;
}

void MutateFile(FuzzFile* file, Mutator* mutator) {
  if (mutator->OneIn(16)) {
    file->number = static_cast<uint8_t>(mutator->Below(24));
    return;
  }
  switch (file->kind) {
    case FuzzFileKind::kManifest:
      file->bytes = MutateLog(file->bytes, MutateEdit, mutator);
      return;
    case FuzzFileKind::kLog:
    case FuzzFileKind::kOddLog:
      file->bytes = MutateLog(file->bytes, MutateBatch, mutator);
      return;
    case FuzzFileKind::kTable:
    case FuzzFileKind::kLevelDBTable:
      file->bytes = MutateTable(file->bytes, mutator);
      return;
    default:
      mutator->Change(&file->bytes);
  }
}

void TellSizes(std::vector<FuzzFile>* files) {
  std::map<uint64_t, uint64_t> sizes;
  for (const FuzzFile& file : *files) {
    if (IsTable(file)) sizes[file.number] = file.bytes.size();
  }
  for (FuzzFile& file : *files) {
    if (file.kind != FuzzFileKind::kManifest) continue;
    file.bytes = WithRecords(file.bytes, [&sizes](const std::string& record) {
      return WithTableSizes(record, sizes);
    });
  }
}

}  // namespace

std::string MutateDirectory(const std::string& input, Mutator* mutator) {
  FuzzDirectoryInput directory = FuzzDirectoryInput::Take(FuzzInput(
      static_cast<const uint8_t*>(static_cast<const void*>(input.data())),
      input.size()));
  if (mutator->OneIn(6)) {
    directory.mode = static_cast<uint8_t>(mutator->Below(256));
  }
  if (mutator->OneIn(6)) {
    directory.flags = static_cast<uint8_t>(mutator->Below(256));
  }
  if (directory.files.empty() || mutator->OneIn(12)) {
    if (directory.files.empty()) directory.files.emplace_back();
    FuzzFile fresh = directory.files[mutator->Below(directory.files.size())];
    fresh.kind = static_cast<FuzzFileKind>(
        mutator->Below(static_cast<size_t>(FuzzFileKind::kCount)));
    directory.files.push_back(std::move(fresh));
  } else if (mutator->OneIn(12)) {
    mutator->Shuffle(&directory.files);
  } else {
    FuzzFile& file = directory.files[mutator->Below(directory.files.size())];
    MutateFile(&file, mutator);
    if (IsTable(file) && !mutator->OneIn(8)) TellSizes(&directory.files);
  }
  return directory.Encode();
}

}  // namespace tamis
