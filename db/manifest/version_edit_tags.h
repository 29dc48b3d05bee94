// SPDX-License-Identifier: Apache-2.0
//
// The tag numbers of a version edit's fields.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tamis::version_edit_tags {

enum EditTag : uint32_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFile = 3,
  kLastSequence = 4,
  kCompactCursor = 5,
  kDeletedFile = 6,
  kNewFile = 7,  // LevelDB's, without sequence numbers
  kPrevLogNumber = 9,
  kMinLogNumberToKeep = 10,  // from here on: RocksDB only
  kNewFile2 = 100,
  kNewFile3 = 102,
  kNewFile4 = 103,
  kColumnFamily = 200,
  kColumnFamilyAdd = 201,
  kColumnFamilyDrop = 202,
  kMaxColumnFamily = 203,
  kInAtomicGroup = 300,
  kBlobFileAddition = 400,
  kBlobFileGarbage = 401,
  kDbId = 8193,
  // The next four have kSkippable's bit, but no length prefix.
  kBlobFileAdditionOld = 8194,
  kBlobFileGarbageOld = 8195,
  kWalAdditionOld = 8196,
  kWalDeletionOld = 8197,
  kFullHistoryTsLow = 8198,
  kPersistTimestamps = 8201,
};
// Tags with this bit are followed by a string, so unknown ones can be skipped.
inline constexpr uint32_t kSkippable = 0x2000;

// Sub-tags of NewFile4.
enum FileField : uint32_t {
  kTerminate = 1,
  kNeedCompaction = 2,
  kMinLogNumberToKeepField = 3,
  kOldestBlobFileNumber = 4,
  kOldestAncestorTime = 5,
  kFileCreationTime = 6,
  kFileChecksum = 7,
  kFileChecksumFuncName = 8,
  kMinTimestamp = 10,
  kMaxTimestamp = 11,
  kUniqueId = 12,
  kEpochNumber = 13,
  kTimestampsPersisted = 16,
  kPathId = 65,
};
// Unknown sub-tags with this bit are errors.
inline constexpr uint32_t kMustUnderstand = 0x40;

inline constexpr size_t kUniqueIdBytes = 16;

}  // namespace tamis::version_edit_tags
