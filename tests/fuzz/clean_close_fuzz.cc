// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a log that may end in a clean-close marker: if it is accepted,
// it is a complete record with an empty batch. And valid logs: with the marker
// they are cleanly closed; with anything after it, or a byte of it missing,
// they are not.
//
//   input := mode u8 | ...
//   mode     bit 0: cut u8 | fill u16 | (length u8 | record)*, else the log
//            bit 1: compressed
#include <memory>
#include <string>

#include "db/wal/log_reader.h"
#include "db/wal/log_writer.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/simulated_file_system.h"
#include "util/coding/coding.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

bool IsClosedLog(const std::string& bytes) {
  const auto fs = NewSimulatedFileSystem();
  Claim(WriteStringToFile(fs.get(), bytes, "/log", false).ok());
  const Result<bool> closed = IsCleanlyClosed(fs.get(), "/log");
  Claim(closed.ok());
  return *closed;
}

void AskAnything(const std::string& bytes) {
  if (!IsClosedLog(bytes)) return;
  // As it is, or in a frame.
  bool found = false;
  for (const size_t size : {log::kCleanCloseBytes, log::kZstdCleanCloseBytes}) {
    if (bytes.size() < size) continue;
    LogReader reader(
        std::make_unique<FuzzSequentialFile>(bytes.substr(bytes.size() - size)),
        "log", kNoFile, LogKind::kWal);
    std::string record;
    if (reader.ReadRecord(&record) != LogReader::Outcome::kRecord) continue;
    if (record.size() != size - log::kHeaderBytes) continue;
    found = true;
    Claim(DecodeFixed32(record.data() + record.size() - 4) == 0);
    Claim(reader.ReadRecord(&record) == LogReader::Outcome::kEnd);
  }
  Claim(found);
}

void WriteAndAsk(FuzzInput input, bool compressed) {
  const size_t cut = 1 + input.Byte() % (log::kCleanCloseBytes - 1);
  const size_t fill = input.Short() % (2 * log::kBlockBytes);
  std::string bytes;
  LogWriter writer(
      std::make_unique<FuzzWritableFile>(&bytes), FileNumber(7),
      LogWriter::Style::kAppended,
      compressed && CompressionSupported(kZSTD) ? kZSTD : kNoCompression);
  // No record holds what a marker ends with.
  Claim(writer.AddRecord(std::string(fill, 'f')).ok());
  while (!input.empty()) {
    std::string record = input.Bytes(input.Byte());
    for (char& c : record) c = static_cast<char>(c | 0x40);
    Claim(writer.AddRecord(record).ok());
  }
  Claim(writer.Flush().ok());
  Claim(!IsClosedLog(bytes));
  Claim(writer.AddCleanCloseMarker(5).ok());
  Claim(writer.Flush().ok());
  const std::string closed = bytes;
  Claim(IsClosedLog(closed));
  Claim(!IsClosedLog(closed.substr(0, closed.size() - cut)));
  Claim(writer.AddRecord("behind it").ok());
  Claim(writer.Flush().ok());
  Claim(!IsClosedLog(bytes));
}

void Fuzz(FuzzInput input) {
  const uint8_t mode = input.Byte();
  if ((mode & 1) != 0) {
    WriteAndAsk(input, (mode & 2) != 0);
  } else {
    AskAnything(input.Rest());
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
