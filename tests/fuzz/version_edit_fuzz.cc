// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as an edit of the MANIFEST. An edit that is read is the same after
// it is written and read again, but for path ids, which are not written.
#include "db/manifest/version_edit.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

void Fuzz(FuzzInput input) {
  const Result<VersionEdit> edit = VersionEdit::Decode(input.Rest());
  if (!edit.ok()) {
    Claim(!edit.status().message().empty());
    return;
  }
  const std::string shown = edit->DebugString();
  bool writable = edit->unsupported.empty();
  for (const auto& [level, file] : edit->new_files) {
    Claim(level >= kLevelZero);
    writable = writable && file.seqnos_known;
  }
  if (!writable) return;
  std::string again;
  edit->EncodeTo(&again);
  const Result<VersionEdit> second = VersionEdit::Decode(again);
  Claim(second.ok());
  Claim(second->DebugString() == shown);
  std::string third;
  second->EncodeTo(&third);
  Claim(third == again);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
