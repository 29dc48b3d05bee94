// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a log, of either kind; and valid logs, whose records are read
// back. After a cut, the first ones are; after the loss of a piece in the
// middle, no other records appear.
//
//   input := mode u8 | ...
//   mode     bit 0: a MANIFEST, not a write-ahead log
//            bit 1: cut u16 | (length u16 | record)*, else the log
//            bit 2, with bit 1: (place u16 | length u8) of the piece comes
//            first, both in units of 16 bytes
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "db/wal/log_reader.h"
#include "db/wal/log_writer.h"
#include "tests/fuzz/fuzz_input.h"

namespace tamis {
namespace {

constexpr FileNumber kNumber{7};
// What AddCleanCloseMarker(1) writes.
const Slice kMarker("\1\0\0\0\0\0\0\0\0\0\0\0", 12);

using Outcome = LogReader::Outcome;

// What every record and every end promises.
Outcome ReadAll(const std::string& bytes, LogKind kind,
                std::vector<std::string>* records) {
  LogReader reader(std::make_unique<FuzzSequentialFile>(bytes), "log", kNumber,
                   kind);
  std::string record;
  Outcome outcome = Outcome::kEnd;
  size_t total = 0;
  while ((outcome = reader.ReadRecord(&record)) == Outcome::kRecord) {
    Claim(reader.record_offset() < bytes.size());
    total += record.size();
    records->push_back(record);
  }
  Claim(total <= bytes.size() || reader.compressed());
  Claim(records->size() <= bytes.size());
  Claim(reader.ReadRecord(&record) == outcome);
  Claim(reader.status().ok() == (outcome == Outcome::kEnd));
  if (outcome != Outcome::kEnd) {
    Claim(reader.status().message().find("log") != std::string::npos);
    Claim(reader.record_offset() + reader.bytes_dropped() <= bytes.size());
  }
  if (outcome == Outcome::kTornTail || outcome == Outcome::kBadTail) {
    Claim(reader.record_offset() + reader.bytes_dropped() == bytes.size());
    Claim(!reader.Resume());
  }
  Claim(outcome != Outcome::kBadTail || kind == LogKind::kWal);
  return outcome;
}

// Behind all damage: it comes to an end, and every step goes forward. All that
// is read.
std::vector<std::string> ReadOn(const std::string& bytes, LogKind kind,
                                const std::vector<std::string>& first) {
  std::vector<std::string> all;
  LogReader reader(std::make_unique<FuzzSequentialFile>(bytes), "log", kNumber,
                   kind);
  std::string record;
  size_t count = 0;
  uint64_t reached = 0;
  do {
    while (reader.ReadRecord(&record) == Outcome::kRecord) {
      Claim(count >= first.size() || record == first[count]);
      Claim(count == 0 || reader.record_offset() >= reached);
      reached = reader.record_offset() + 1;
      ++count;
      all.push_back(record);
    }
    Claim(reader.record_offset() + reader.bytes_dropped() <= bytes.size());
  } while (reader.Resume());
  Claim(count >= first.size());
  return all;
}

struct Piece {
  size_t place = 0;
  size_t length = 0;
};

void LoseAndRead(std::string bytes, LogKind kind, Piece lost,
                 const std::vector<std::string>& written) {
  lost.place = std::min(lost.place, bytes.size());
  lost.length = std::min(lost.length, bytes.size() - lost.place);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(lost.place),
              lost.length, '\0');
  std::vector<std::string> first;
  ReadAll(bytes, kind, &first);
  size_t next = 0;
  for (const std::string& record : ReadOn(bytes, kind, first)) {
    if (Slice(record) == kMarker) continue;
    while (next < written.size() && written[next] != record) ++next;
    Claim(next < written.size());
    ++next;
  }
}

void WriteAndRead(FuzzInput input, LogKind kind, const Piece& lost) {
  const uint16_t cut = input.Short();
  std::string bytes;
  std::vector<std::string> written;
  LogWriter writer(std::make_unique<FuzzWritableFile>(&bytes), kNumber);
  while (!input.empty() && written.size() < 16) {
    // Long ones too, so that records cross blocks.
    const size_t length = input.Short() % 40000;
    std::string record = input.Bytes(length % 64);
    // No payload holds what might begin a record: where such a one is cut,
    // the log is refused.
    for (char& c : record) c = static_cast<char>(c | 0x40);
    record.resize(length, 'r');
    written.push_back(record);
    Claim(writer.AddRecord(record).ok());
  }
  const bool closed = written.size() % 2 == 1;
  if (closed) {
    const uint64_t before = writer.size();
    Claim(writer.AddCleanCloseMarker(1).ok());
    // Itself, or a split one and a padding before it.
    Claim(writer.size() - before <=
          2 * log::kCleanCloseBytes + log::kHeaderBytes);
  }
  Claim(writer.Flush().ok());
  std::vector<std::string> read;
  Claim(ReadAll(bytes, kind, &read) == Outcome::kEnd);
  while (closed && read.size() > written.size()) {
    Claim(Slice(read.back()) == kMarker);
    read.pop_back();
  }
  Claim(read == written);
  LoseAndRead(bytes, kind, lost, written);

  read.clear();
  bytes.resize(bytes.size() - std::min<size_t>(bytes.size(), cut));
  const Outcome outcome = ReadAll(bytes, kind, &read);
  Claim(outcome == Outcome::kEnd || outcome == Outcome::kTornTail);
  read.resize(std::min(read.size(), written.size()));  // without markers
  Claim(std::equal(read.begin(), read.end(), written.begin()));
}

void Fuzz(FuzzInput input) {
  const uint8_t mode = input.Byte();
  const LogKind kind = (mode & 1) != 0 ? LogKind::kManifest : LogKind::kWal;
  if ((mode & 2) != 0) {
    Piece lost;
    if ((mode & 4) != 0) {
      lost.place = size_t{input.Short()} * 16;
      lost.length = size_t{input.Byte()} * 16;
    }
    WriteAndRead(input, kind, lost);
    return;
  }
  std::vector<std::string> records;
  const std::string bytes = input.Rest();
  ReadAll(bytes, kind, &records);
  ReadOn(bytes, kind, records);
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
