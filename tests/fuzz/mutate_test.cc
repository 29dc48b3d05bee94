// SPDX-License-Identifier: Apache-2.0
//
// Mutators change what they claim to change, correct the checksums, and do the
// same again for the same seed.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/manifest/version_edit.h"
#include "db/wal/log_reader.h"
#include "db/wal/log_writer.h"
#include "tests/fuzz/fuzz_directories.h"
#include "tests/fuzz/fuzz_directory.h"
#include "tests/fuzz/fuzz_tables.h"
#include "tests/fuzz/mutate_directory.h"
#include "tests/fuzz/mutate_log.h"
#include "tests/fuzz/mutate_record.h"
#include "tests/fuzz/mutate_table.h"
#include "tests/fuzz/mutators.h"

namespace tamis {
namespace {

constexpr int kSeeds = 300;

size_t ChangeOneByte(uint8_t* data, size_t size, size_t max_size) {
  if (size == 0 && max_size != 0) {
    data[0] = 'x';
    return 1;
  }
  data[size / 2] = static_cast<uint8_t>(data[size / 2] + 1);
  return size;
}

std::string TableOf(const FuzzTableKind& kind) {
  return BuildFuzzTable(kind, FuzzTableRows(24));
}

// What is wrong with a table that is opened and read to its end.
Status ReadTable(const std::string& bytes) {
  const auto table = OpenFuzzTable(bytes);
  if (!table.ok()) return table.status();
  const Status status = (*table)->VerifyChecksums();
  if (!status.ok()) return status;
  const auto it = (*table)->NewIterator(ReadContext());
  it->SeekToFirst();
  while (it->Valid()) it->Next();
  return it->status();
}

bool IsChecksumMismatch(const Status& status) {
  return status.message().find("checksum mismatch") != std::string::npos;
}

TEST(MutateTest, ARebuiltTableHoldsTheSame) {
  for (const FuzzTableKind& kind : kFuzzTableKinds) {
    const std::string rebuilt = RebuildTable(TableOf(kind));
    ASSERT_FALSE(rebuilt.empty());
    const auto table = OpenFuzzTable(rebuilt);
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_TRUE((*table)->VerifyChecksums().ok());
    const FuzzRows rows = FuzzTableRows(24);
    const auto it = (*table)->NewIterator(ReadContext());
    size_t count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) {
      ASSERT_LT(count, rows.size());
      EXPECT_EQ(it->key(), Slice(rows[count].first));
      EXPECT_EQ(it->value(), Slice(rows[count].second));
    }
    EXPECT_EQ(count, rows.size());
  }
}

TEST(MutateTest, AMutatedTableMostlyHasRightChecksums) {
  int mismatches = 0;
  int other_errors = 0;
  for (const FuzzTableKind& kind : kFuzzTableKinds) {
    if (kind.checksum == kNoChecksum) continue;
    const std::string good = TableOf(kind);
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      Mutator mutator(seed, ChangeOneByte);
      const Status status = ReadTable(MutateTable(good, &mutator));
      if (IsChecksumMismatch(status)) {
        ++mismatches;
      } else if (!status.ok()) {
        ++other_errors;
      }
    }
  }
  const int all = 5 * kSeeds;
  // Handles that lead astray, and one of 16 that is changed as bytes.
  EXPECT_LT(mismatches, all / 4);
  EXPECT_GT(other_errors, all / 5);
}

TEST(MutateTest, TheSameSeedGivesTheSameMutation) {
  const std::string input = [] {
    FuzzDirectoryInput directory;
    const FuzzBase base = MakeFuzzLevelDBBase();
    directory.files.push_back(
        {FuzzFileKind::kManifest, 2, base.files.at("MANIFEST-000002")});
    directory.files.push_back(
        {FuzzFileKind::kLevelDBTable, 3, base.files.at("000003.ldb")});
    directory.files.push_back(
        {FuzzFileKind::kLog, 7, base.files.at("000007.log")});
    return directory.Encode();
  }();
  int different = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Mutator first(seed, ChangeOneByte);
    Mutator second(seed, ChangeOneByte);
    const std::string mutated = MutateDirectory(input, &first);
    EXPECT_EQ(mutated, MutateDirectory(input, &second));
    different += mutated != input ? 1 : 0;
  }
  EXPECT_GT(different, kSeeds / 2);
}

TEST(MutateTest, AMutatedLogMostlyHasRightChecksums) {
  const FuzzBase base = MakeFuzzLevelDBBase();
  const struct {
    std::string log;
    FileNumber number;
    LogKind kind;
    RecordMutator mutate;
  } cases[] = {
      {base.files.at("MANIFEST-000002"), FileNumber(2), LogKind::kManifest,
       MutateEdit},
      {base.files.at("000007.log"), FileNumber(7), LogKind::kWal, MutateBatch},
  };
  for (const auto& c : cases) {
    int whole = 0;
    int changed = 0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      Mutator mutator(seed, ChangeOneByte);
      const std::string log = MutateLog(c.log, c.mutate, &mutator);
      LogReader reader(std::make_unique<FuzzSequentialFile>(log), "log",
                       c.number, c.kind);
      std::string record;
      std::string records;
      while (reader.ReadRecord(&record) == LogReader::Outcome::kRecord) {
        records += record;
      }
      whole += reader.status().ok() && !records.empty() ? 1 : 0;
      changed += log != c.log ? 1 : 0;
    }
    EXPECT_GT(whole, kSeeds / 3);
    EXPECT_GT(changed, kSeeds * 3 / 4);
  }
}

TEST(MutateTest, MutatedRecordsMostlyDecode) {
  VersionEdit edit;
  edit.comparator = "leveldb.BytewiseComparator";
  edit.log_number = FileNumber(7);
  FileMetaData file;
  file.number = FileNumber(9);
  file.size = 100;
  AppendInternalKey(&file.smallest, "a", 3, kTypeValue);
  AppendInternalKey(&file.largest, "b", 3, kTypeValue);
  file.smallest_seqno = file.largest_seqno = 3;
  file.unique_id = std::string(16, 'u');
  edit.new_files.emplace_back(2, file);
  std::string record;
  edit.EncodeTo(&record);
  int decoded = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Mutator mutator(seed, ChangeOneByte);
    const std::string mutated = MutateEdit(record, &mutator);
    decoded += VersionEdit::Decode(mutated).ok() ? 1 : 0;
  }
  EXPECT_GT(decoded, kSeeds / 4);

  const auto sized = VersionEdit::Decode(WithTableSizes(record, {{9, 123}}));
  ASSERT_TRUE(sized.ok()) << sized.status();
  EXPECT_EQ(sized->new_files[0].second.size, 123u);
  EXPECT_EQ(sized->new_files[0].second.unique_id, "");
  EXPECT_EQ(sized->log_number, FileNumber(7));
}

TEST(MutateTest, EveryMutatorAcceptsAnyInput) {
  for (const char* target : {"batch_fuzz", "directory_fuzz", "leveldb_fuzz",
                             "log_fuzz", "recovery_fuzz", "salvage_fuzz",
                             "table_file_fuzz", "version_edit_fuzz"}) {
    SCOPED_TRACE(target);
    const InputMutator mutate = FindMutator(target);
    ASSERT_NE(mutate, nullptr);
    std::string input;
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      Mutator mutator(seed, ChangeOneByte);
      input = mutate(input, &mutator);
      input.resize(std::min<size_t>(input.size(), 4096));
    }
    EXPECT_FALSE(input.empty());
  }
  EXPECT_EQ(FindMutator("file_names_fuzz"), nullptr);
}

}  // namespace
}  // namespace tamis
