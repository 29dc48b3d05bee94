// SPDX-License-Identifier: Apache-2.0
#include "db/leveldb_directory.h"

#include <algorithm>
#include <string>

#include "db/file_names.h"
#include "table/table_reader.h"

namespace tamis {

namespace {

// What the entries of a table come to.
class Bounds {
 public:
  explicit Bounds(const KeyOrder& order) : order_(order) {}

  void AddKey(const Slice& internal_key) {
    if (empty() || order_.Compare(internal_key, smallest_) < 0) {
      smallest_ = internal_key.ToString();
    }
    if (largest_.empty() || order_.Compare(internal_key, largest_) > 0) {
      largest_ = internal_key.ToString();
    }
  }
  void AddSequence(SequenceNumber sequence) {
    smallest_seqno_ = std::min(smallest_seqno_, sequence);
    largest_seqno_ = std::max(largest_seqno_, sequence);
  }

  bool empty() const { return smallest_.empty(); }
  const std::string& smallest() const { return smallest_; }
  const std::string& largest() const { return largest_; }
  SequenceNumber smallest_seqno() const { return smallest_seqno_; }
  SequenceNumber largest_seqno() const { return largest_seqno_; }

 private:
  const KeyOrder order_;
  std::string smallest_;
  std::string largest_;
  SequenceNumber smallest_seqno_ = kMaxSequenceNumber;
  SequenceNumber largest_seqno_ = 0;
};

// For messages: the name under which the table was found.
std::string PathOf(const DBContext& context, uint64_t number) {
  const std::string path = TableFileName(context.directory, number);
  return context.fs()->FileExists(path).IsPathNotFound()
             ? LevelDBTableFileName(context.directory, number)
             : path;
}

// Only the first and the last key are asked for their place: between them the
// keys ascend.
Status AddEntries(const std::string& path, const KeyOrder& order,
                  const TableReader& table, Bounds* bounds) {
  ReadContext read;
  read.fill_cache = false;
  const auto entries = table.NewIterator(read);
  std::string last;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const Slice key = entries->key();
    ParsedInternalKey parsed;
    if (!ParseInternalKey(key, &parsed)) {
      return Status::Corruption(path, "expected an internal key, got \"" +
                                          key.ToString(/*hex=*/true) +
                                          "\" (hex)");
    }
    if (!last.empty() && order.Compare(last, key) >= 0) {
      return Status::Corruption(path, "expected a key above " +
                                          InternalKeyToString(last) + ", got " +
                                          InternalKeyToString(key));
    }
    if (last.empty()) bounds->AddKey(key);
    last.assign(key.data(), key.size());
    bounds->AddSequence(parsed.sequence);
  }
  if (!last.empty()) bounds->AddKey(last);
  return entries->status();
}

Status AddTombstones(const TableReader& table, Bounds* bounds) {
  const auto tombstones = table.ReadRangeTombstones();
  if (!tombstones.ok()) return tombstones.status();
  for (const RangeTombstone& tombstone : *tombstones) {
    std::string key;
    AppendInternalKey(&key, tombstone.begin, tombstone.sequence,
                      kTypeRangeDeletion);
    bounds->AddKey(key);
    key.clear();
    AppendInternalKey(&key, tombstone.end, kMaxSequenceNumber,
                      kTypeRangeDeletion);
    bounds->AddKey(key);
    bounds->AddSequence(tombstone.sequence);
  }
  return Status::OK();
}

Status CheckKey(const std::string& path, const char* which,
                const std::string& listed, const std::string& found) {
  if (listed == found) return Status::OK();
  return Status::Corruption(path, std::string("expected the ") + which +
                                      " key " + InternalKeyToString(listed) +
                                      " (the MANIFEST), got " +
                                      InternalKeyToString(found));
}

}  // namespace

Status ScanSequenceBounds(const DBContext& context, const KeyOrder& order,
                          const TableCache& tables, FileMetaData* meta) {
  const TableFile file(*meta);
  const auto table = tables.Reader(file);
  if (!table.ok()) return table.status();
  const std::string path = PathOf(context, meta->number);
  Bounds bounds(order);
  TAMIS_RETURN_IF_ERROR(AddEntries(path, order, **table, &bounds));
  TAMIS_RETURN_IF_ERROR(AddTombstones(**table, &bounds));
  if (bounds.empty()) {
    return Status::Corruption(path, "expected entries, got none");
  }
  TAMIS_RETURN_IF_ERROR(
      CheckKey(path, "smallest", meta->smallest, bounds.smallest()));
  TAMIS_RETURN_IF_ERROR(
      CheckKey(path, "largest", meta->largest, bounds.largest()));
  meta->smallest_seqno = bounds.smallest_seqno();
  meta->largest_seqno = bounds.largest_seqno();
  meta->seqnos_known = true;
  return Status::OK();
}

}  // namespace tamis
