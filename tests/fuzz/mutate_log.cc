// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate_log.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "db/wal/log_format.h"
#include "util/coding/coding.h"
#include "util/coding/crc32c.h"

namespace tamis {

namespace {

struct LogPart {
  uint8_t type = log::kFull;
  uint32_t number = 0;  // of the forms that have one
  std::string payload;
  bool bad_checksum = false;

  bool is_whole() const {
    return type == log::kFull || type == log::kRecyclableFull;
  }
};

std::vector<LogPart> ParseLog(const std::string& bytes) {
  std::vector<LogPart> parts;
  size_t at = 0;
  while (at < bytes.size()) {
    const size_t end =
        std::min(bytes.size(), (at / log::kBlockBytes + 1) * log::kBlockBytes);
    if (end - at < log::kHeaderBytes) {
      at = end;
      continue;
    }
    const char* const p = bytes.data() + at;
    LogPart part;
    part.type = static_cast<uint8_t>(p[6]);
    const size_t length = DecodeFixed16(p + 4);
    const size_t header = log::HeaderBytes(part.type);
    const bool is_padding = part.type == log::kZero && length == 0;
    if (is_padding || header + length > end - at) {
      at = end;
      continue;
    }
    if (header == log::kRecyclableHeaderBytes) {
      part.number = DecodeFixed32(p + log::kHeaderBytes);
    }
    part.payload.assign(p + header, length);
    parts.push_back(std::move(part));
    at += header + length;
  }
  return parts;
}

std::string EncodeLog(const std::vector<LogPart>& parts) {
  std::string out;
  for (const LogPart& part : parts) {
    std::string covered(1, static_cast<char>(part.type));
    const size_t header = log::HeaderBytes(part.type);
    if (header == log::kRecyclableHeaderBytes) {
      PutFixed32(&covered, part.number);
    }
    const std::string payload =
        part.payload.substr(0, log::kBlockBytes - header);
    covered += payload;
    const size_t left = log::kBlockBytes - out.size() % log::kBlockBytes;
    if (left < header + payload.size()) out.append(left, '\0');
    uint32_t crc = crc32c::Value(covered.data(), covered.size());
    if (part.bad_checksum) crc ^= 1;
    PutFixed32(&out, crc32c::Mask(crc));
    PutFixed16(&out, static_cast<uint16_t>(payload.size()));
    out += covered;
  }
  return out;
}

LogPart FreshPart(Mutator* mutator) {
  LogPart part;
  part.type = static_cast<uint8_t>(mutator->OneIn(4) ? mutator->Below(256)
                                                     : mutator->Below(12));
  part.payload = std::string(mutator->Below(3) * 4, '\7');
  return part;
}

void SplitPart(std::vector<LogPart>* parts, size_t i, Mutator* mutator) {
  LogPart& first = (*parts)[i];
  if (!first.is_whole()) return;
  const bool recyclable = first.type == log::kRecyclableFull;
  const size_t cut = mutator->Below(first.payload.size() + 1);
  LogPart last = first;
  last.payload.erase(0, cut);
  last.type = recyclable ? log::kRecyclableLast : log::kLast;
  first.payload.resize(cut);
  first.type = recyclable ? log::kRecyclableFirst : log::kFirst;
  parts->insert(parts->begin() + static_cast<std::ptrdiff_t>(i) + 1,
                std::move(last));
}

void MutatePart(std::vector<LogPart>* parts, RecordMutator mutate_record,
                Mutator* mutator) {
  const size_t i = mutator->Below(parts->size());
  LogPart& part = (*parts)[i];
  switch (mutator->Below(12)) {
    case 0:
      return mutator->Shuffle(parts);
    case 1:
      return SplitPart(parts, i, mutator);
    case 2:
      part.type = FreshPart(mutator).type;
      return;
    case 3:
      part.number = static_cast<uint32_t>(mutator->Number(part.number));
      return;
    case 4:
      part.bad_checksum = true;
      return;
    case 5:
      parts->insert(parts->begin() + static_cast<std::ptrdiff_t>(i),
                    FreshPart(mutator));
      return;
    default:
      break;
  }
  if (part.is_whole() && !mutator->OneIn(8)) {
    part.payload = mutate_record(part.payload, mutator);
  } else {
    mutator->Change(&part.payload);
  }
}

}  // namespace

std::string MutateLog(const std::string& bytes, RecordMutator mutate_record,
                      Mutator* mutator) {
  std::vector<LogPart> parts = ParseLog(bytes);
  do {
    if (parts.empty()) parts.push_back(FreshPart(mutator));
    MutatePart(&parts, mutate_record, mutator);
  } while (mutator->OneIn(3));
  std::string out = EncodeLog(parts);
  if (mutator->OneIn(16)) mutator->Change(&out);
  return out;
}

std::string WithRecords(
    const std::string& bytes,
    const std::function<std::string(const std::string& record)>& replace) {
  std::vector<LogPart> parts = ParseLog(bytes);
  for (LogPart& part : parts) {
    if (part.is_whole()) part.payload = replace(part.payload);
  }
  return EncodeLog(parts);
}

}  // namespace tamis
