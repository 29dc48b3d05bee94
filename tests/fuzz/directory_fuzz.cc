// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a log, as an edit of the MANIFEST, as a batch. What an edit or
// a batch says when read, it says again when written and read once more.
#include <memory>

#include "tamis/write_batch.h"

#include "db/log_reader.h"
#include "db/version_edit.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

void ReadLog(FuzzInput input) {
  const LogKind kind =
      input.Byte() % 2 == 0 ? LogKind::kWal : LogKind::kManifest;
  const std::string bytes = input.Rest();
  const size_t size = bytes.size();
  LogReader reader(std::make_unique<FuzzSequentialFile>(bytes), "log", 7, kind);
  std::string record;
  size_t records = 0;
  while (reader.ReadRecord(&record) == LogReader::Outcome::kRecord) {
    Claim(record.size() <= size);
    Claim(++records <= size);
  }
}

void ReadEdit(FuzzInput input) {
  const Result<VersionEdit> edit = VersionEdit::Decode(input.Rest());
  if (!edit.ok()) return;
  (void)edit->ToString();
  bool writable = edit->unsupported.empty();
  for (const auto& [level, file] : edit->new_files) {
    writable = writable && file.seqnos_known;
  }
  if (!writable) return;
  std::string again;
  edit->EncodeTo(&again);
  const Result<VersionEdit> second = VersionEdit::Decode(again);
  Claim(second.ok());
  Claim(second->ToString() == edit->ToString());
}

class CountingHandler : public WriteBatch::Handler {
 public:
  Status PutCF(uint32_t, const Slice&, const Slice&) override {
    changes_++;
    return Status::OK();
  }
  Status DeleteCF(uint32_t, const Slice&) override {
    changes_++;
    return Status::OK();
  }
  uint32_t changes() const { return changes_; }

 private:
  uint32_t changes_ = 0;
};

void ReadBatch(FuzzInput input) {
  const WriteBatch batch(input.Rest());
  CountingHandler handler;
  if (batch.Iterate(&handler).ok()) Claim(handler.changes() == batch.Count());
}

void Fuzz(FuzzInput input) {
  switch (input.Byte() % 3) {
    case 0:
      return ReadLog(input);
    case 1:
      return ReadEdit(input);
    default:
      return ReadBatch(input);
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
