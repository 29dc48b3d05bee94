// SPDX-License-Identifier: Apache-2.0
//
// Any records, with valid framing, in the MANIFEST and in the log of a small
// database, which is then opened, read, closed and opened again. A failed open
// changes no file; a database that opens can be read, and has the same contents
// at the next open, with the writes in between.
//
//   input := (to u8 | length u16 | record)*
//   to    := bit 0: to the log, else to the MANIFEST
//            bit 1: unchanged, else the sizes of existing tables are corrected
//            bit 2: write something in between
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "db/base/file_names.h"
#include "db/manifest/version_edit.h"
#include "db/wal/log_writer.h"
#include "tests/fuzz/fuzz_database.h"

namespace tamis {
namespace {

std::string NameOf(const FuzzFiles& files, FileKind type) {
  for (const auto& [name, bytes] : files) {
    const auto parsed = ParseFileName(name);
    if (parsed && parsed->type == type) return name;
  }
  std::abort();
}

std::string Framed(const std::vector<std::string>& records) {
  std::string bytes;
  LogWriter writer(std::make_unique<FuzzWritableFile>(&bytes), FileNumber(0));
  for (const std::string& record : records) {
    Claim(writer.AddRecord(record).ok());
  }
  Claim(writer.Flush().ok());
  return bytes;
}

// A wrong size is refused before anything else is looked at.
std::string WithRightSizes(const FuzzFiles& files, std::string record) {
  Result<VersionEdit> edit = VersionEdit::Decode(record);
  if (!edit.ok() || !edit->unsupported.empty()) return record;
  for (auto& [level, file] : edit->new_files) {
    if (!file.seqnos_known) return record;
    const auto table = files.find(TableFileName("", file.number).substr(1));
    if (table == files.end()) continue;
    file.size = table->second.size();
    file.unique_id.clear();
  }
  record.clear();
  edit->EncodeTo(&record);
  return record;
}

using Rows = std::vector<std::pair<std::string, std::string>>;

const std::pair<const std::string, const std::string> kWritten("written", "x");

// False: it cannot be read, or not opened. *rows: all that it shows. *write:
// whether to write to it; then whether that was done.
bool OpenAndRead(const std::shared_ptr<SimulatedFileSystem>& fs, bool* write,
                 Rows* rows) {
  const FuzzFiles before = FuzzFilesOf(fs.get());
  std::unique_ptr<DB> db;
  const Status status = DB::Open(FuzzOptions(fs), kFuzzDirectory, &db);
  if (!status.ok()) {
    // A family that is not named is the caller's mistake.
    Claim(status.IsInvalidArgument() ||
          status.message().find(kFuzzDirectory) != std::string::npos);
    Claim(FuzzFilesOf(fs.get()) == before);
    return false;
  }
  const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    rows->emplace_back(it->key().ToString(), it->value().ToString());
  }
  if (!it->status().ok()) return false;
  WriteOptions sync;
  sync.sync = true;
  *write = *write && db->Put(sync, kWritten.first, kWritten.second).ok();
  return true;
}

void Fuzz(FuzzInput input) {
  static const FuzzFiles* const kFiles = new FuzzFiles(MakeFuzzDatabase());
  FuzzFiles files = *kFiles;
  std::vector<std::string> edits;
  std::vector<std::string> batches;
  bool write = false;
  while (!input.empty()) {
    const uint8_t to = input.Byte();
    write = write || (to & 4) != 0;
    const uint16_t length = input.Short();
    std::string record = input.Bytes(length);
    if ((to & 3) == 0) record = WithRightSizes(files, std::move(record));
    ((to & 1) != 0 ? batches : edits).push_back(std::move(record));
  }
  files[NameOf(files, FileKind::kDescriptor)] = Framed(edits);
  files[NameOf(files, FileKind::kLog)] = Framed(batches);

  const auto fs = FuzzFileSystem(files);
  Rows first;
  if (!OpenAndRead(fs, &write, &first)) return;
  const bool written = std::exchange(write, false);
  Rows second;
  Claim(OpenAndRead(fs, &write, &second));
  if (written) {
    // What a lying MANIFEST hid behind its last sequence may show as well.
    Claim(std::any_of(second.begin(), second.end(), [](const auto& row) {
      return row.first == kWritten.first && row.second == kWritten.second;
    }));
  } else {
    Claim(first == second);
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
