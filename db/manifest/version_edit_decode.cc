// SPDX-License-Identifier: Apache-2.0
//
// The decoder reads version edits of all releases. It parses and names features
// that are not supported, so that errors name a feature and not a tag number.
#include <algorithm>
#include <limits>
#include <string_view>

#include "db/base/file_names.h"
#include "db/base/numbers.h"
#include "db/manifest/version_edit.h"
#include "db/manifest/version_edit_tags.h"
#include "util/coding/coding.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

namespace tags = version_edit_tags;

class EditDecoder {
 public:
  explicit EditDecoder(const Slice& record) : in_(record) {}
  Result<VersionEdit> Run();

 private:
  // Each of these decodes the body of a tag. Malformed bytes make in_ fail;
  // Refuse reports invalid values.
  void Body(uint32_t tag);
  void NumberBody(uint32_t tag);
  void MinLogNumberToKeep(uint64_t number);
  void FamilyBody(uint32_t tag);
  void SkippableBody(uint32_t tag);
  void DeletedFile();
  void NewFile(uint32_t tag);
  void FileFields(FileMetaData* file);
  void FileFieldBody(uint32_t field, const Slice& body, FileMetaData* file);
  void BlobFile(bool addition);
  void WalAdditionOld();

  Level ReadLevel();
  FileNumber ReadFileNumber();
  uint8_t PathId(uint32_t id);
  std::string InternalKey();
  uint64_t FieldVarint(uint32_t field, const Slice& body);

  void Refuse(const std::string& expected, const std::string& got) {
    if (error_.empty()) error_ = "expected " + expected + ", got " + got;
    in_.Fail();
  }
  void Unsupported(const char* name) {
    std::vector<std::string>& names = edit_.unsupported;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.emplace_back(name);
    }
  }

  Decoder in_;
  VersionEdit edit_;
  std::string error_;
};

Result<VersionEdit> EditDecoder::Run() {
  while (in_.ok() && !in_.empty()) {
    const size_t start = in_.offset();
    const uint32_t tag = in_.Varint32();
    if (tag >= tags::kMinLogNumberToKeep) edit_.has_rocksdb_tag = true;
    if (in_.ok()) Body(tag);
    if (in_.ok()) continue;
    if (error_.empty()) {
      error_ = "expected the rest of this field, got an unreadable value at " +
               std::to_string(in_.offset());
    }
    return Status::Corruption("version edit",
                              "offset " + std::to_string(start) + ", tag " +
                                  std::to_string(tag) + ": " + error_);
  }
  return std::move(edit_);
}

void EditDecoder::Body(uint32_t tag) {
  switch (tag) {
    case tags::kComparator:
      edit_.comparator = in_.LengthPrefixed().ToString();
      return;
    case tags::kLogNumber:
    case tags::kPrevLogNumber:
    case tags::kNextFile:
    case tags::kLastSequence:
    case tags::kMinLogNumberToKeep:
      return NumberBody(tag);
    case tags::kCompactCursor:  // LevelDB's compaction pointer: not used
      ReadLevel();
      InternalKey();
      return;
    case tags::kDeletedFile:
      return DeletedFile();
    case tags::kNewFile:
    case tags::kNewFile2:
    case tags::kNewFile3:
    case tags::kNewFile4:
      return NewFile(tag);
    case tags::kColumnFamily:
    case tags::kColumnFamilyAdd:
    case tags::kColumnFamilyDrop:
    case tags::kMaxColumnFamily:
    case tags::kInAtomicGroup:
      return FamilyBody(tag);
    case tags::kBlobFileAddition:
    case tags::kBlobFileAdditionOld:
      return BlobFile(/*addition=*/true);
    case tags::kBlobFileGarbage:
    case tags::kBlobFileGarbageOld:
      return BlobFile(/*addition=*/false);
    case tags::kWalAdditionOld:
      return WalAdditionOld();
    case tags::kWalDeletionOld:
      in_.Varint64();
      return;
    default:
      if ((tag & tags::kSkippable) != 0) return SkippableBody(tag);
      Refuse("a known tag", std::to_string(tag));
  }
}

void EditDecoder::NumberBody(uint32_t tag) {
  const uint64_t number = in_.Varint64();
  if (!in_.ok()) return;
  const uint64_t max =
      tag == tags::kLastSequence ? kMaxSequenceNumber : kFileNumberMax.value();
  if (number > max) {
    Refuse("at most " + std::to_string(max), std::to_string(number));
    return;
  }
  switch (tag) {
    case tags::kLogNumber:
      edit_.log_number = FileNumber(number);
      return;
    case tags::kPrevLogNumber:
      edit_.prev_log_number = FileNumber(number);
      return;
    case tags::kNextFile:
      edit_.next_file_number = FileNumber(number);
      return;
    case tags::kLastSequence:
      edit_.last_sequence = number;
      return;
    default:
      MinLogNumberToKeep(number);
  }
}

// Stores the oldest log to keep, which is a tag of its own or a field of a
// file. The largest value of an edit counts.
void EditDecoder::MinLogNumberToKeep(uint64_t number) {
  if (number > kFileNumberMax.value()) {
    Refuse("at most " + kFileNumberMax.ToString(), std::to_string(number));
    return;
  }
  edit_.min_log_number_to_keep = std::max(
      edit_.min_log_number_to_keep.value_or(kNoFile), FileNumber(number));
}

void EditDecoder::FamilyBody(uint32_t tag) {
  switch (tag) {
    case tags::kColumnFamily:
      edit_.column_family = FamilyId(in_.Varint32());
      return;
    case tags::kColumnFamilyAdd:
      edit_.column_family_add = in_.LengthPrefixed().ToString();
      return;
    case tags::kColumnFamilyDrop:
      edit_.column_family_drop = true;
      return;
    case tags::kMaxColumnFamily:
      edit_.max_column_family = FamilyId(in_.Varint32());
      return;
    default:
      edit_.atomic_group_remaining = in_.Varint32();
  }
}

void EditDecoder::SkippableBody(uint32_t tag) {
  const Slice body = in_.LengthPrefixed();
  if (!in_.ok()) return;
  if (tag == tags::kDbId) edit_.db_id = body.ToString();
  if ((tag == tags::kFullHistoryTsLow && !body.empty()) ||
      (tag == tags::kPersistTimestamps && body == Slice("\0", 1))) {
    Unsupported("user-defined timestamps");
  }
}

Level EditDecoder::ReadLevel() {
  const uint32_t level = in_.Varint32();
  if (in_.ok() && level > std::numeric_limits<int>::max()) {
    Refuse("a level", std::to_string(level));
  }
  return in_.ok() ? Level(static_cast<int>(level)) : kLevelZero;
}

FileNumber EditDecoder::ReadFileNumber() {
  const FileNumber number(in_.Varint64());
  if (in_.ok() && number > kFileNumberMax) {
    Refuse("a file number below 2^62", number.ToString());
  }
  return number;
}

uint8_t EditDecoder::PathId(uint32_t id) {
  if (in_.ok() && id > kPathIdMax) {
    Refuse("a path id of at most " + std::to_string(kPathIdMax),
           std::to_string(id));
  }
  return in_.ok() ? static_cast<uint8_t>(id) : uint8_t{0};
}

std::string EditDecoder::InternalKey() {
  const Slice key = in_.LengthPrefixed();
  ParsedInternalKey parsed;
  if (in_.ok() && !ParseInternalKey(key, &parsed)) {
    Refuse("an internal key", "\"" + PrintableHex(key) + "\" (hex)");
  }
  return key.ToString();
}

void EditDecoder::DeletedFile() {
  const Level level = ReadLevel();
  const FileNumber number = ReadFileNumber();
  if (in_.ok()) edit_.deleted_files.emplace_back(level, number);
}

void EditDecoder::NewFile(uint32_t tag) {
  FileMetaData file;
  const Level level = ReadLevel();
  file.number = ReadFileNumber();
  if (tag == tags::kNewFile3) file.path_id = PathId(in_.Varint32());
  file.size = in_.Varint64();
  file.smallest = InternalKey();
  file.largest = InternalKey();
  if (tag == tags::kNewFile) {
    file.seqnos_known = false;
    file.smallest_seqno = kMaxSequenceNumber;
  } else {
    file.smallest_seqno = in_.Varint64();
    file.largest_seqno = in_.Varint64();
    // RocksDB uses these values for files added in LevelDB's form.
    file.seqnos_known =
        file.smallest_seqno != kMaxSequenceNumber || file.largest_seqno != 0;
    if (in_.ok() && file.seqnos_known &&
        (file.smallest_seqno > file.largest_seqno ||
         file.largest_seqno > kMaxSequenceNumber)) {
      Refuse("ascending sequence numbers below 2^56",
             std::to_string(file.smallest_seqno) + " and " +
                 std::to_string(file.largest_seqno));
    }
  }
  if (tag == tags::kNewFile4) FileFields(&file);
  if (in_.ok()) edit_.new_files.emplace_back(level, std::move(file));
}

void EditDecoder::FileFields(FileMetaData* file) {
  while (in_.ok()) {
    const uint32_t field = in_.Varint32();
    if (field == tags::kTerminate) {
      // Half of a checksum is none.
      if (!file->checksum.known()) file->checksum = {};
      return;
    }
    const Slice body = in_.LengthPrefixed();
    if (in_.ok()) FileFieldBody(field, body, file);
  }
}

void EditDecoder::FileFieldBody(uint32_t field, const Slice& body,
                                FileMetaData* file) {
  const auto has_size = [&](size_t bytes) {
    if (body.size() == bytes) return true;
    Refuse(std::to_string(bytes) + " bytes in sub-tag " + std::to_string(field),
           std::to_string(body.size()));
    return false;
  };
  switch (field) {
    case tags::kNeedCompaction:
      if (has_size(1)) file->marked_for_compaction = body[0] == 1;
      return;
    case tags::kMinLogNumberToKeepField:
      if (has_size(8)) MinLogNumberToKeep(DecodeFixed64(body.data()));
      return;
    case tags::kOldestBlobFileNumber:
      if (FieldVarint(field, body) != 0) Unsupported("blob files");
      return;
    case tags::kOldestAncestorTime:
      file->oldest_ancestor_time = FieldVarint(field, body);
      return;
    case tags::kFileCreationTime:
      file->file_creation_time = FieldVarint(field, body);
      return;
    case tags::kFileChecksum:
      file->checksum.value = body.ToString();
      return;
    case tags::kFileChecksumFuncName:
      file->checksum.function = body.ToString();
      return;
    case tags::kMinTimestamp:
    case tags::kMaxTimestamp:
      if (!body.empty()) Unsupported("user-defined timestamps");
      return;
    case tags::kUniqueId:
      if (has_size(tags::kUniqueIdBytes)) {
        // An id of zeros is unknown.
        const bool known = std::any_of(body.begin(), body.end(),
                                       [](char c) { return c != 0; });
        file->unique_id = known ? body.ToString() : std::string();
      }
      return;
    case tags::kEpochNumber:
      file->epoch_number = EpochNumber(FieldVarint(field, body));
      return;
    case tags::kTimestampsPersisted:
      if (has_size(1) && body[0] == 0) Unsupported("user-defined timestamps");
      return;
    case tags::kPathId:
      if (has_size(1)) file->path_id = PathId(static_cast<uint8_t>(body[0]));
      return;
    default:
      if ((field & tags::kMustUnderstand) != 0) {
        Refuse("a known sub-tag", std::to_string(field));
      }
  }
}

uint64_t EditDecoder::FieldVarint(uint32_t field, const Slice& body) {
  Decoder in(body);
  const uint64_t v = in.Varint64();
  if (!in.ok() || !in.empty()) {
    Refuse("one varint in sub-tag " + std::to_string(field),
           "\"" + PrintableHex(body) + "\" (hex)");
  }
  return v;
}

void EditDecoder::BlobFile(bool addition) {
  Unsupported("blob files");
  ReadFileNumber();
  in_.Varint64();  // count
  in_.Varint64();  // bytes
  if (addition) {
    in_.LengthPrefixed();  // checksum method
    in_.LengthPrefixed();  // checksum
  }
  while (in_.ok()) {
    const uint32_t field = in_.Varint32();
    if (!in_.ok() || field == 0) return;
    in_.LengthPrefixed();
    if (in_.ok() && (field & tags::kMustUnderstand) != 0) {
      Refuse("a known sub-tag", std::to_string(field));
    }
  }
}

// Skips a log number, optionally followed by 2 and the synced size, then 1.
void EditDecoder::WalAdditionOld() {
  in_.Varint64();
  while (in_.ok()) {
    const uint32_t field = in_.Varint32();
    if (!in_.ok() || field == 1) return;
    if (field == 2) {
      in_.Varint64();
    } else {
      Refuse("sub-tag 1 or 2", std::to_string(field));
    }
  }
}

}  // namespace

Result<VersionEdit> VersionEdit::Decode(const Slice& record) {
  return EditDecoder(record).Run();
}

}  // namespace tamis
