// SPDX-License-Identifier: Apache-2.0
#include "db/manifest/version_edit.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/wal/log_writer.h"
#include "tests/support/data_driven.h"
#include "tests/support/directories.h"
#include "tests/support/string_files.h"
#include "util/coding/coding.h"

namespace tamis {
namespace {

std::string FromHex(const std::string& hex) {
  std::string out;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    out.push_back(static_cast<char>(std::stoi(digits, nullptr, 16)));
    digits.clear();
  }
  return out;
}

std::string Key(const std::string& user_key, SequenceNumber sequence,
                uint8_t type = kTypeValue) {
  std::string out;
  AppendInternalKey(&out, user_key, sequence, type);
  return out;
}

std::string Encode(const VersionEdit& edit) {
  std::string out;
  edit.EncodeTo(&out);
  return out;
}

FileMetaData SomeFile() {
  FileMetaData file;
  file.number = FileNumber(300);
  file.size = 123456789;
  file.smallest = Key("a", 17);
  file.largest = Key("b", kMaxSequenceNumber, kTypeRangeDeletion);
  file.smallest_seqno = 12;
  file.largest_seqno = 17;
  file.epoch_number = EpochNumber(4);
  file.oldest_ancestor_time = 1795250046;
  file.file_creation_time = 1795250047;
  file.unique_id = std::string("0123456789abcde\0", 16);
  file.marked_for_compaction = true;
  file.checksum = {std::string("\0\xff", 2), "Some function"};
  return file;
}

VersionEdit FullEdit() {
  VersionEdit edit;
  edit.comparator = "leveldb.BytewiseComparator";
  edit.log_number = FileNumber(8);
  edit.prev_log_number = FileNumber(0);
  edit.next_file_number = FileNumber(301);
  edit.last_sequence = kMaxSequenceNumber;
  edit.min_log_number_to_keep = FileNumber(7);
  edit.db_id = "a648c468-aa8f-40fa-9f4a-d60d64ee0069";
  edit.column_family = FamilyId(3);
  edit.max_column_family = FamilyId(9);
  edit.column_family_add = "meta";
  edit.column_family_drop = true;
  edit.atomic_group_remaining = 2;
  edit.deleted_files = {{Level(0), FileNumber(9)}, {Level(6), kFileNumberMax}};
  edit.new_files.emplace_back(2, SomeFile());
  return edit;
}

// A NewFile4 with the given custom fields.
std::string NewFile4(const std::string& fields_hex) {
  return FromHex(
      "67 00 09 fc07 09 61 0101000000000000 09 63 0103000000000000"
      "01 03" +
      fields_hex);
}

TEST(VersionEditTest, EmptyRecordIsAnEmptyEdit) {
  const auto edit = VersionEdit::Decode("");
  ASSERT_TRUE(edit.ok());
  EXPECT_EQ(Encode(*edit), "");
  EXPECT_EQ(edit->DebugString(), "edit");
}

TEST(VersionEditTest, EveryFieldRoundTrips) {
  const VersionEdit edit = FullEdit();
  const std::string bytes = Encode(edit);
  const auto again = VersionEdit::Decode(bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Encode(*again), bytes);
  EXPECT_EQ(again->DebugString(), edit.DebugString());
  EXPECT_TRUE(again->unsupported.empty());
  EXPECT_EQ(again->comparator, edit.comparator);
  EXPECT_EQ(again->log_number, FileNumber(8));
  EXPECT_EQ(again->prev_log_number, FileNumber(0));
  EXPECT_EQ(again->next_file_number, FileNumber(301));
  EXPECT_EQ(again->last_sequence, kMaxSequenceNumber);
  EXPECT_EQ(again->min_log_number_to_keep, FileNumber(7));
  EXPECT_EQ(again->db_id, edit.db_id);
  EXPECT_EQ(again->column_family, FamilyId(3));
  EXPECT_EQ(again->max_column_family, FamilyId(9));
  EXPECT_EQ(again->column_family_add, "meta");
  EXPECT_TRUE(again->column_family_drop);
  EXPECT_EQ(again->atomic_group_remaining, 2u);
  EXPECT_EQ(again->deleted_files, edit.deleted_files);
  ASSERT_EQ(again->new_files.size(), 1u);
  EXPECT_EQ(again->new_files[0].first, Level(2));
  const FileMetaData& file = again->new_files[0].second;
  const FileMetaData want = SomeFile();
  EXPECT_EQ(file.number, want.number);
  EXPECT_EQ(file.size, want.size);
  EXPECT_EQ(file.smallest, want.smallest);
  EXPECT_EQ(file.largest, want.largest);
  EXPECT_EQ(file.smallest_seqno, want.smallest_seqno);
  EXPECT_EQ(file.largest_seqno, want.largest_seqno);
  EXPECT_TRUE(file.seqnos_known);
  EXPECT_EQ(file.epoch_number, want.epoch_number);
  EXPECT_EQ(file.oldest_ancestor_time, want.oldest_ancestor_time);
  EXPECT_EQ(file.file_creation_time, want.file_creation_time);
  EXPECT_EQ(file.unique_id, want.unique_id);
  EXPECT_TRUE(file.marked_for_compaction);
  EXPECT_EQ(file.checksum, want.checksum);
}

TEST(VersionEditTest, EveryTruncationIsCorruptionOrAShorterEdit) {
  const VersionEdit edit = FullEdit();
  const std::string bytes = Encode(edit);
  size_t whole = 0;
  for (size_t n = 0; n < bytes.size(); ++n) {
    const auto cut = VersionEdit::Decode(bytes.substr(0, n));
    if (cut.ok()) {
      ++whole;
      EXPECT_EQ(Encode(*cut), bytes.substr(0, n)) << n;
    } else {
      EXPECT_TRUE(cut.status().IsCorruption()) << n;
    }
  }
  // One before each of the 15 fields.
  EXPECT_EQ(whole, 15u);
}

TEST(VersionEditTest, FlippedBitsAreCorruptionOrAnotherEdit) {
  const std::string bytes = Encode(FullEdit());
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      const auto edit = VersionEdit::Decode(bad);
      if (!edit.ok()) {
        EXPECT_TRUE(edit.status().IsCorruption());
        continue;
      }
      for (const auto& [level, file] : edit->new_files) {
        EXPECT_GE(file.smallest.size(), kInternalKeyTailBytes);
        EXPECT_GE(file.largest.size(), kInternalKeyTailBytes);
      }
    }
  }
}

TEST(VersionEditTest, FirstEditsOfANewDatabase) {
  VersionEdit edit;
  edit.comparator = "leveldb.BytewiseComparator";
  EXPECT_EQ(Encode(edit), "\x01\x1aleveldb.BytewiseComparator");
  VersionEdit numbers;
  numbers.log_number = FileNumber(2);
  numbers.prev_log_number = FileNumber(0);
  numbers.next_file_number = FileNumber(3);
  numbers.last_sequence = 0;
  EXPECT_EQ(Encode(numbers), FromHex("02 02 09 00 03 03 04 00"));
}

// The bytes that FORMAT.md shows.
TEST(VersionEditTest, SmallManifestIsAsDocumented) {
  std::string file;
  LogWriter writer(std::make_unique<StringWritableFile>(&file), FileNumber(5));
  const auto add = [&writer](const VersionEdit& edit) {
    ASSERT_TRUE(writer.AddRecord(Encode(edit)).ok());
  };
  VersionEdit comparator;
  comparator.comparator = "leveldb.BytewiseComparator";
  add(comparator);
  VersionEdit numbers;
  numbers.log_number = FileNumber(2);
  numbers.prev_log_number = FileNumber(0);
  numbers.next_file_number = FileNumber(6);
  numbers.last_sequence = 0;
  add(numbers);
  VersionEdit flush;
  flush.log_number = FileNumber(7);
  flush.prev_log_number = FileNumber(0);
  flush.next_file_number = FileNumber(9);
  flush.min_log_number_to_keep = FileNumber(7);
  flush.last_sequence = 3;
  FileMetaData table;
  table.number = FileNumber(8);
  table.size = 1020;
  table.smallest = Key("a", 1);
  table.largest = Key("c", 3);
  table.smallest_seqno = 1;
  table.largest_seqno = 3;
  table.epoch_number = EpochNumber(1);
  table.oldest_ancestor_time = 1795250046;
  table.file_creation_time = 1795250046;
  table.unique_id = FromHex("17aa668b767989384c3fb3fe9f29401e");
  flush.new_files.emplace_back(0, table);
  add(flush);
  EXPECT_EQ(file,
            FromHex("56f9b8f8 1c00 01 01 1a") + "leveldb.BytewiseComparator" +
                FromHex("ece90584 0800 01 0202 0900 0306 0400"
                        "babfc7f4 4900 01 0207 0900 0309 0a07 0403 67 0008fc07"
                        "09610101000000000000 09630103000000000000 0103"
                        "0505feae85d806 0605feae85d806 0d0101"
                        "0c1017aa668b767989384c3fb3fe9f29401e 01"));
}

// Returns the edit as text, or the error. `again`: appends its new encoding if
// that differs from the input.
std::string Decode(const DataCase& data, const std::string& bytes) {
  const bool again = data.Has("again");
  const auto edit = VersionEdit::Decode(bytes);
  if (!edit.ok()) return edit.status().ToString();
  const std::string text = edit->DebugString() + "\n";
  if (!again || !edit->unsupported.empty()) return text;
  for (const auto& [level, file] : edit->new_files) {
    if (!file.seqnos_known) return text + "sequence numbers are not known";
  }
  const std::string written = Encode(*edit);
  return written == bytes ? text : text + "again " + ToHex(written);
}

void RunEditFile(const std::string& name) {
  RunDataFile("db/manifest/version_edit/" + name + ".txt",
              {{"decode",
                [](const DataCase& data) {
                  return Decode(data, FromHex(data.input()));
                }},
               {"new_file4", [](const DataCase& data) {
                  return Decode(data, NewFile4(data.input()));
                }}});
}

TEST(VersionEditTest, OlderFormsOfNewFileDecode) { RunEditFile("new_file"); }

TEST(VersionEditTest, BoundsMustBeInternalKeys) { RunEditFile("bounds"); }

TEST(VersionEditTest, CustomFieldsAreUnderstoodSkippedOrRefused) {
  RunEditFile("custom_fields");
}

TEST(VersionEditTest, TagsAreKnownSkippedOrRefused) { RunEditFile("tags"); }

}  // namespace
}  // namespace tamis
