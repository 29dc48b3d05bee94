// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a table of a LevelDB directory, whose MANIFEST lacks the tables'
// sequence numbers. The scan fills in those that the table shows; if it fails,
// it changes nothing.
//
//   input := flags u8 | table
//   flags    bit 0: the MANIFEST has other bounds; bit 1: the name is .sst;
//            bit 2: the MANIFEST has another size
#include <algorithm>
#include <memory>
#include <string>

#include "db/base/db_options.h"
#include "db/base/file_names.h"
#include "db/recovery/leveldb_directory.h"
#include "tests/fuzz/fuzz_database.h"
#include "tests/fuzz/fuzz_tables.h"

namespace tamis {
namespace {

FuzzRows RowsOf(const std::string& bytes) {
  constexpr size_t kRowsMax = 1 << 16;
  FuzzRows rows;
  const auto table = OpenFuzzTable(bytes);
  if (!table.ok()) return rows;
  const auto it = (*table)->NewIterator(ReadContext());
  for (it->SeekToFirst(); it->Valid() && rows.size() < kRowsMax; it->Next()) {
    rows.emplace_back(it->key().ToString(), "");
  }
  return rows;
}

void Fuzz(FuzzInput input) {
  const uint8_t flags = input.Byte();
  const std::string bytes = input.Rest();
  const FuzzRows rows = RowsOf(bytes);

  FileMetaData meta;
  meta.number = FileNumber(9);
  meta.size = bytes.size() + ((flags & 4) != 0 ? 1 : 0);
  meta.seqnos_known = false;
  meta.smallest_seqno = kMaxSequenceNumber;
  const bool other_bounds = (flags & 1) != 0 || rows.empty();
  meta.smallest = other_bounds ? std::string(12, 'a') : rows.front().first;
  meta.largest = other_bounds ? std::string(12, 'b') : rows.back().first;

  const auto fs = NewSimulatedFileSystem();
  const std::string path =
      (flags & 2) != 0 ? TableFileName(kFuzzDirectory, meta.number)
                       : LevelDBTableFileName(kFuzzDirectory, meta.number);
  Claim(fs->CreateDirIfMissing(kFuzzDirectory).ok());
  Claim(WriteStringToFile(fs.get(), bytes, path, false).ok());
  DBContext context;
  context.directory = kFuzzDirectory;
  context.options = CompleteOptions(DBOptions(FuzzOptions(fs)));
  const KeyOrder order(BytewiseComparator());
  const TableCache tables(context, order,
                          CompleteOptions(ColumnFamilyOptions()));
  const FileMetaData before = meta;
  const Status status = ScanSequenceBounds(context, order, tables, &meta);
  Claim(meta.smallest == before.smallest && meta.largest == before.largest);
  if (!status.ok()) {
    Claim(status.message().find(path) != std::string::npos);
    Claim(!meta.seqnos_known && meta.smallest_seqno == kMaxSequenceNumber &&
          meta.largest_seqno == 0);
    return;
  }
  Claim(meta.seqnos_known && meta.smallest_seqno <= meta.largest_seqno);
  for (const auto& [key, value] : rows) {
    Claim(meta.smallest_seqno <= ExtractSequence(key) &&
          ExtractSequence(key) <= meta.largest_seqno);
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
