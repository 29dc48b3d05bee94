// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate_record.h"

#include <string_view>
#include <utility>

#include "db/manifest/version_edit_tags.h"
#include "db/wal/write_batch_internal.h"
#include "util/coding/coding.h"

namespace tamis {

namespace {

namespace tags = version_edit_tags;

struct Part {
  bool is_number = false;
  uint64_t number = 0;
  std::string bytes;
};

struct Item {
  uint32_t tag = 0;
  std::vector<Part> parts;
};

struct Record {
  std::vector<Item> items;
  std::string rest;  // not understood
};

// v: a varint; s: a length and bytes; l: pairs of v and s up to the number 1.
std::string_view ShapeOfEditItem(uint32_t tag) {
  switch (tag) {
    case tags::kComparator:
    case tags::kColumnFamilyAdd:
      return "s";
    case tags::kLogNumber:
    case tags::kNextFile:
    case tags::kLastSequence:
    case tags::kPrevLogNumber:
    case tags::kMinLogNumberToKeep:
    case tags::kColumnFamily:
    case tags::kMaxColumnFamily:
    case tags::kInAtomicGroup:
    case tags::kWalDeletionOld:
      return "v";
    case tags::kCompactCursor:
      return "vs";
    case tags::kDeletedFile:
      return "vv";
    case tags::kNewFile:
      return "vvvss";
    case tags::kNewFile2:
      return "vvvssvv";
    case tags::kNewFile3:
      return "vvvvssvv";
    case tags::kNewFile4:
      return "vvvssvvl";
    case tags::kColumnFamilyDrop:
      return "";
    case tags::kBlobFileAddition:
    case tags::kBlobFileAdditionOld:
      return "vvvssv";
    case tags::kBlobFileGarbage:
    case tags::kBlobFileGarbageOld:
      return "vvvv";
    case tags::kWalAdditionOld:
      return "vvvv";
    default:
      return (tag & tags::kSkippable) != 0 ? "s" : "?";
  }
}

constexpr uint32_t kEditTags[] = {tags::kComparator,
                                  tags::kLogNumber,
                                  tags::kNextFile,
                                  tags::kLastSequence,
                                  tags::kCompactCursor,
                                  tags::kDeletedFile,
                                  tags::kNewFile,
                                  tags::kPrevLogNumber,
                                  tags::kMinLogNumberToKeep,
                                  tags::kNewFile2,
                                  tags::kNewFile3,
                                  tags::kNewFile4,
                                  tags::kColumnFamily,
                                  tags::kColumnFamilyAdd,
                                  tags::kColumnFamilyDrop,
                                  tags::kMaxColumnFamily,
                                  tags::kInAtomicGroup,
                                  tags::kBlobFileAddition,
                                  tags::kBlobFileGarbage,
                                  tags::kDbId,
                                  tags::kBlobFileAdditionOld,
                                  tags::kBlobFileGarbageOld,
                                  tags::kWalAdditionOld,
                                  tags::kWalDeletionOld,
                                  tags::kFullHistoryTsLow,
                                  tags::kPersistTimestamps,
                                  tags::kSkippable | 999};

// By tag (db/wal/write_batch.cc).
constexpr std::string_view kBatchShapes[] = {
    "s",  "ss", "ss", "s", "vs", "vss", "vss", "s",
    "vs", "",   "s",  "s", "s",  "",    "vss", "ss"};
constexpr uint32_t kLogData = 3;

std::string_view ShapeOfBatchItem(uint32_t tag) {
  return tag < std::size(kBatchShapes) ? kBatchShapes[tag] : "?";
}

bool ReadParts(std::string_view shape, Decoder* in, std::vector<Part>* parts) {
  const auto number = [&] {
    parts->push_back({true, in->Varint64(), {}});
    return parts->back().number;
  };
  const auto bytes = [&] {
    parts->push_back({false, 0, in->LengthPrefixed().ToString()});
  };
  for (const char c : shape) {
    switch (c) {
      case 'v':
        number();
        break;
      case 's':
        bytes();
        break;
      case 'l':
        while (in->ok() && number() != tags::kTerminate) bytes();
        break;
      default:
        in->Fail();
    }
  }
  return in->ok();
}

void PutParts(const std::vector<Part>& parts, std::string* out) {
  for (const Part& part : parts) {
    if (part.is_number) {
      PutVarint64(out, part.number);
    } else {
      PutLengthPrefixedSlice(out, part.bytes);
    }
  }
}

Record ParseEdit(const Slice& bytes) {
  Record record;
  Slice left = bytes;
  while (!left.empty()) {
    Decoder in(left);
    Item item;
    item.tag = in.Varint32();
    if (!in.ok() || !ReadParts(ShapeOfEditItem(item.tag), &in, &item.parts)) {
      break;
    }
    record.items.push_back(std::move(item));
    left = in.rest();
  }
  record.rest = left.ToString();
  return record;
}

std::string EncodeEdit(const Record& record) {
  std::string out;
  for (const Item& item : record.items) {
    PutVarint32(&out, item.tag);
    PutParts(item.parts, &out);
  }
  return out + record.rest;
}

Record ParseBatch(const Slice& bytes) {
  Record record;
  Slice left = bytes;
  while (!left.empty()) {
    Decoder in(left);
    Item item;
    item.tag = in.Fixed8();
    if (!ReadParts(ShapeOfBatchItem(item.tag), &in, &item.parts)) break;
    record.items.push_back(std::move(item));
    left = in.rest();
  }
  record.rest = left.ToString();
  return record;
}

std::string EncodeBatch(const Record& record) {
  std::string out;
  for (const Item& item : record.items) {
    out.push_back(static_cast<char>(item.tag));
    PutParts(item.parts, &out);
  }
  return out + record.rest;
}

void MutatePart(Part* part, Mutator* mutator) {
  if (part->is_number) {
    part->number = mutator->Number(part->number);
  } else {
    mutator->Change(&part->bytes);
  }
}

// `fresh`: an item of any tag.
void MutateItems(std::vector<Item>* items, const Item& fresh,
                 Mutator* mutator) {
  if (items->empty() || mutator->OneIn(6)) {
    const size_t at = mutator->Below(items->size() + 1);
    items->insert(items->begin() + static_cast<std::ptrdiff_t>(at), fresh);
    return;
  }
  if (mutator->OneIn(3)) return mutator->Shuffle(items);
  Item& item = (*items)[mutator->Below(items->size())];
  if (item.parts.empty() || mutator->OneIn(16)) {
    item.tag = fresh.tag;
  } else if (mutator->OneIn(8)) {
    mutator->Shuffle(&item.parts);
  } else {
    MutatePart(&item.parts[mutator->Below(item.parts.size())], mutator);
  }
}

Item FreshItem(uint32_t tag, std::string_view shape, Mutator* mutator) {
  Item item;
  item.tag = tag;
  for (const char c : shape) {
    Part part;
    part.is_number = c != 's';
    if (c == 'l') {
      // One pair of them, then their end.
      part.number = 1 + mutator->Below(18);
      if (mutator->OneIn(4)) part.number = tags::kPathId;
      item.parts.push_back(part);
      item.parts.push_back({false, 0, std::string(mutator->Below(2), '\1')});
      part.number = tags::kTerminate;
    } else if (part.is_number) {
      part.number = mutator->Below(16);
    } else {
      // Long enough for an internal key of a value.
      part.bytes = std::string(1 + mutator->Below(2), 'k') +
                   std::string("\1\1\0\0\0\0\0\0", 8);
    }
    item.parts.push_back(std::move(part));
  }
  return item;
}

}  // namespace

std::string MutateEdit(const std::string& bytes, Mutator* mutator) {
  Record record = ParseEdit(bytes);
  const uint32_t tag = kEditTags[mutator->Below(std::size(kEditTags))];
  const Item fresh = FreshItem(tag, ShapeOfEditItem(tag), mutator);
  do {
    MutateItems(&record.items, fresh, mutator);
  } while (mutator->OneIn(3));
  if (!record.rest.empty() && mutator->OneIn(2)) record.rest.clear();
  std::string out = EncodeEdit(record);
  if (mutator->OneIn(16)) mutator->Change(&out);
  return out;
}

std::string MutateBatch(const std::string& bytes, Mutator* mutator) {
  constexpr size_t kHeaderBytes = WriteBatchInternal::kHeaderBytes;
  std::string header = bytes.substr(0, kHeaderBytes);
  header.resize(kHeaderBytes);
  Record record = ParseBatch(
      bytes.size() > kHeaderBytes
          ? Slice(bytes.data() + kHeaderBytes, bytes.size() - kHeaderBytes)
          : Slice());
  const auto tag = static_cast<uint32_t>(mutator->Below(0x1a));
  std::string_view shape = ShapeOfBatchItem(tag);
  if (shape == "?") shape = "ss";
  const Item fresh = FreshItem(tag, shape, mutator);
  do {
    MutateItems(&record.items, fresh, mutator);
  } while (mutator->OneIn(3));
  if (!record.rest.empty() && mutator->OneIn(2)) record.rest.clear();
  if (mutator->OneIn(4)) {
    EncodeFixed64(header.data(), mutator->Number(DecodeFixed64(header.data())));
  }
  if (!mutator->OneIn(8)) {
    uint32_t changes = 0;
    for (const Item& item : record.items) {
      const bool marks =
          item.tag == kLogData || (item.tag >= 0x09 && item.tag <= 0x0d);
      if (!marks) ++changes;
    }
    EncodeFixed32(header.data() + sizeof(uint64_t), changes);
  }
  std::string out = header + EncodeBatch(record);
  if (mutator->OneIn(16)) mutator->Change(&out);
  return out;
}

std::string WithTableSizes(const std::string& bytes,
                           const std::map<uint64_t, uint64_t>& sizes) {
  Record record = ParseEdit(bytes);
  for (Item& item : record.items) {
    if (item.tag != tags::kNewFile && item.tag != tags::kNewFile2 &&
        item.tag != tags::kNewFile3 && item.tag != tags::kNewFile4) {
      continue;
    }
    const auto found = sizes.find(item.parts[1].number);
    if (found == sizes.end()) continue;
    item.parts[item.tag == tags::kNewFile3 ? 3 : 2].number = found->second;
    if (item.tag != tags::kNewFile4) continue;
    for (size_t i = 7; i + 1 < item.parts.size(); i += 2) {
      if (item.parts[i].number == tags::kUniqueId) {
        item.parts[i + 1].bytes.assign(tags::kUniqueIdBytes, '\0');
      }
    }
  }
  return EncodeEdit(record);
}

}  // namespace tamis
