// SPDX-License-Identifier: Apache-2.0
#include "db/manifest/version_edit.h"

#include "db/base/file_names.h"
#include "db/manifest/version_edit_tags.h"
#include "util/base/check.h"
#include "util/coding/coding.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

namespace tags = version_edit_tags;

uint64_t PlainNumber(uint64_t v) { return v; }
template <typename Tag, typename Int>
uint64_t PlainNumber(StrongNumber<Tag, Int> v) {
  return v.value();
}

template <typename T>
void PutNumber(std::string* out, uint32_t tag, const std::optional<T>& v) {
  if (!v) return;
  PutVarint32(out, tag);
  PutVarint64(out, PlainNumber(*v));
}

void PutString(std::string* out, uint32_t tag,
               const std::optional<std::string>& v) {
  if (!v) return;
  PutVarint32(out, tag);
  PutLengthPrefixedSlice(out, *v);
}

void PutField(std::string* out, tags::FileField field, uint64_t v) {
  PutVarint32(out, field);
  PutVarint32(out, static_cast<uint32_t>(VarintLength(v)));
  PutVarint64(out, v);
}

void PutNewFile(std::string* out, Level level, const FileMetaData& f) {
  TAMIS_CHECK(f.seqnos_known);
  TAMIS_CHECK(f.number <= kFileNumberMax);
  TAMIS_CHECK(f.smallest.size() >= kInternalKeyTailBytes);
  TAMIS_CHECK(f.largest.size() >= kInternalKeyTailBytes);
  TAMIS_CHECK(f.smallest_seqno <= f.largest_seqno);
  TAMIS_CHECK(f.largest_seqno <= kMaxSequenceNumber);
  TAMIS_CHECK(f.unique_id.empty() ||
              f.unique_id.size() == tags::kUniqueIdBytes);
  PutVarint32(out, tags::kNewFile4);
  PutVarint32(out, static_cast<uint32_t>(level.value()));
  PutVarint64(out, f.number.value());
  PutVarint64(out, f.size);
  PutLengthPrefixedSlice(out, f.smallest);
  PutLengthPrefixedSlice(out, f.largest);
  PutVarint64(out, f.smallest_seqno);
  PutVarint64(out, f.largest_seqno);
  PutField(out, tags::kOldestAncestorTime, f.oldest_ancestor_time);
  PutField(out, tags::kFileCreationTime, f.file_creation_time);
  if (f.epoch_number != kUnknownEpoch) {
    PutField(out, tags::kEpochNumber, f.epoch_number.value());
  }
  if (f.marked_for_compaction) {
    PutVarint32(out, tags::kNeedCompaction);
    PutLengthPrefixedSlice(out, Slice("\x01", 1));
  }
  if (f.checksum.known()) {
    PutVarint32(out, tags::kFileChecksum);
    PutLengthPrefixedSlice(out, f.checksum.value);
    PutVarint32(out, tags::kFileChecksumFuncName);
    PutLengthPrefixedSlice(out, f.checksum.function);
  }
  if (f.path_id != 0) {
    const char id = static_cast<char>(f.path_id);
    PutVarint32(out, tags::kPathId);
    PutLengthPrefixedSlice(out, Slice(&id, 1));
  }
  if (!f.unique_id.empty()) {
    PutVarint32(out, tags::kUniqueId);
    PutLengthPrefixedSlice(out, f.unique_id);
  }
  PutVarint32(out, tags::kTerminate);
}

template <typename T>
void AppendNumber(std::string* out, const char* name,
                  const std::optional<T>& v) {
  if (v)
    *out += std::string(" ") + name + " " + std::to_string(PlainNumber(*v));
}

void AppendString(std::string* out, const char* name,
                  const std::optional<std::string>& v) {
  if (!v) return;
  *out += std::string(" ") + name + " \"";
  AppendEscaped(out, *v);
  *out += "\"";
}

}  // namespace

std::string FileMetaData::DebugString() const {
  std::string out = "#" + number.ToString() + " size " + std::to_string(size) +
                    " [" + InternalKeyToString(smallest) + " .. " +
                    InternalKeyToString(largest) + "]";
  if (seqnos_known) {
    out += " seqnos " + std::to_string(smallest_seqno) + ".." +
           std::to_string(largest_seqno);
  }
  if (epoch_number != kUnknownEpoch) out += " epoch " + epoch_number.ToString();
  if (oldest_ancestor_time != 0) {
    out += " ancestor " + std::to_string(oldest_ancestor_time);
  }
  if (file_creation_time != 0) {
    out += " created " + std::to_string(file_creation_time);
  }
  if (!unique_id.empty()) {
    out += " id " + Slice(unique_id).ToString(/*hex=*/true);
  }
  if (checksum.known()) {
    out += " checksum " + Slice(checksum.value).ToString(/*hex=*/true) + " " +
           Printable(checksum.function);
  }
  if (marked_for_compaction) out += " marked";
  if (path_id != 0) out += " path " + std::to_string(path_id);
  return out;
}

void VersionEdit::EncodeTo(std::string* out) const {
  TAMIS_CHECK(unsupported.empty());
  PutString(out, tags::kDbId, db_id);
  PutString(out, tags::kComparator, comparator);
  PutNumber(out, tags::kLogNumber, log_number);
  PutNumber(out, tags::kPrevLogNumber, prev_log_number);
  PutNumber(out, tags::kNextFile, next_file_number);
  PutNumber(out, tags::kMaxColumnFamily, max_column_family);
  PutNumber(out, tags::kMinLogNumberToKeep, min_log_number_to_keep);
  PutNumber(out, tags::kLastSequence, last_sequence);
  for (const auto& [level, number] : deleted_files) {
    PutVarint32(out, tags::kDeletedFile);
    PutVarint32(out, static_cast<uint32_t>(level.value()));
    PutVarint64(out, number.value());
  }
  for (const auto& [level, file] : new_files) PutNewFile(out, level, file);
  if (column_family != kDefaultFamilyId) {
    PutVarint32(out, tags::kColumnFamily);
    PutVarint32(out, column_family.value());
  }
  PutString(out, tags::kColumnFamilyAdd, column_family_add);
  if (column_family_drop) PutVarint32(out, tags::kColumnFamilyDrop);
  PutNumber(out, tags::kInAtomicGroup, atomic_group_remaining);
}

std::string VersionEdit::DebugString() const {
  std::string out = "edit";
  AppendString(&out, "db id", db_id);
  AppendString(&out, "comparator", comparator);
  if (column_family != kDefaultFamilyId) {
    out += " column family " + column_family.ToString();
  }
  AppendString(&out, "add column family", column_family_add);
  if (column_family_drop) out += " drop column family";
  AppendNumber(&out, "max column family", max_column_family);
  AppendNumber(&out, "log", log_number);
  AppendNumber(&out, "previous log", prev_log_number);
  AppendNumber(&out, "oldest log to keep", min_log_number_to_keep);
  AppendNumber(&out, "next file", next_file_number);
  AppendNumber(&out, "last sequence", last_sequence);
  AppendNumber(&out, "atomic group, remaining", atomic_group_remaining);
  for (const auto& [level, number] : deleted_files) {
    out += " delete L" + level.ToString() + " #" + number.ToString();
  }
  for (const auto& [level, file] : new_files) {
    out += " add L" + level.ToString() + " " + file.DebugString();
  }
  for (const std::string& name : unsupported) {
    out += " unsupported: " + name;
  }
  return out;
}

}  // namespace tamis
