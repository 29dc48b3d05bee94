// SPDX-License-Identifier: Apache-2.0
//
// Reads every MANIFEST and log of directories that RocksDB and LevelDB wrote,
// to the end. $TAMIS_GOLDEN_DIR/golden/*/dirs/*.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/manifest/version_edit.h"
#include "db/memtable/memtable.h"
#include "db/wal/log_reader.h"
#include "db/wal/write_batch_internal.h"
#include "tests/support/directories.h"
#include "tests/support/string_files.h"

namespace tamis {
namespace {

namespace fs = std::filesystem;
using Outcome = LogReader::Outcome;

std::vector<fs::path> GoldenDirectories() {
  std::vector<fs::path> directories;
  const char* const root = std::getenv("TAMIS_GOLDEN_DIR");
  if (root == nullptr) return directories;
  for (const auto& writer : fs::directory_iterator(fs::path(root) / "golden")) {
    if (!fs::is_directory(writer.path() / "dirs")) continue;
    for (const auto& entry : fs::directory_iterator(writer.path() / "dirs")) {
      if (entry.is_directory()) directories.push_back(entry.path());
    }
  }
  std::sort(directories.begin(), directories.end());
  return directories;
}

#define TAMIS_GOLDEN_DIRECTORIES(name)                               \
  const std::vector<fs::path> name = GoldenDirectories();            \
  if (std::getenv("TAMIS_GOLDEN_DIR") == nullptr) {                  \
    GTEST_SKIP() << "TAMIS_GOLDEN_DIR is not set: nothing was read"; \
  }                                                                  \
  ASSERT_FALSE(name.empty())

// The numbers of the files of a type, ascending.
std::vector<FileNumber> Numbers(const fs::path& directory, FileKind type) {
  std::vector<FileNumber> numbers;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto parsed = ParseFileName(entry.path().filename().string());
    EXPECT_TRUE(parsed.has_value()) << entry.path();
    if (parsed && parsed->type == type) numbers.push_back(parsed->number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Calls visit(record) for each record of the log.
template <typename Visit>
void ReadLog(const std::string& path, FileNumber number, LogKind kind,
             Visit&& visit) {
  LogReader reader(std::make_unique<StringSequentialFile>(ReadWholeFile(path)),
                   path, number, kind);
  std::string record;
  Outcome outcome;
  while ((outcome = reader.ReadRecord(&record)) == Outcome::kRecord) {
    visit(record);
  }
  // After its last record, a recycled file has its previous contents.
  EXPECT_TRUE(outcome == Outcome::kEnd || outcome == Outcome::kTornTail ||
              (outcome == Outcome::kBadTail && reader.recycled()))
      << reader.status();
}

struct Tree {
  std::map<FamilyId, std::map<FileNumber, uint64_t>> sizes_by_family;
  FileNumber next_file;
  FileNumber log_number;
  SequenceNumber last_sequence = 0;
};

void Apply(const VersionEdit& edit, Tree* tree) {
  auto& sizes = tree->sizes_by_family[edit.column_family];
  for (const auto& [level, number] : edit.deleted_files) {
    EXPECT_EQ(sizes.erase(number), 1u) << edit.DebugString();
  }
  for (const auto& [level, file] : edit.new_files) {
    EXPECT_TRUE(sizes.emplace(file.number, file.size).second)
        << edit.DebugString();
    const KeyOrder order(BytewiseComparator());
    EXPECT_LE(order.Compare(file.smallest, file.largest), 0);
  }
  if (edit.next_file_number) tree->next_file = *edit.next_file_number;
  if (edit.last_sequence) {
    EXPECT_GE(*edit.last_sequence, tree->last_sequence);
    tree->last_sequence = *edit.last_sequence;
  }
  if (edit.log_number && edit.column_family == kDefaultFamilyId) {
    tree->log_number = *edit.log_number;
  }
}

Tree ReadManifest(const fs::path& directory) {
  Tree tree;
  const auto posix = NewPosixFileSystem();
  const auto name = ReadCurrentFile(posix.get(), directory.string());
  EXPECT_TRUE(name.ok()) << name.status();
  if (!name.ok()) return tree;
  const fs::path path = directory / *name;
  ReadLog(path.string(), ParseFileName(*name)->number, LogKind::kManifest,
          [&](const std::string& record) {
            const auto edit = VersionEdit::Decode(record);
            ASSERT_TRUE(edit.ok()) << path << edit.status();
            EXPECT_TRUE(edit->unsupported.empty())
                << path << edit->DebugString();
            Apply(*edit, &tree);
          });
  return tree;
}

TEST(GoldenDirectoryTest, ManifestsNameTheTablesThatAreThere) {
  TAMIS_GOLDEN_DIRECTORIES(directories);
  for (const fs::path& directory : directories) {
    SCOPED_TRACE(directory.string());
    const Tree tree = ReadManifest(directory);
    EXPECT_GT(tree.next_file, kNoFile);
    size_t tables = 0;
    for (const auto& [family, sizes] : tree.sizes_by_family) {
      for (const auto& [number, size] : sizes) {
        ++tables;
        fs::path path = TableFileName(directory.string(), number);
        if (!fs::exists(path)) {
          path = LevelDBTableFileName(directory.string(), number);
        }
        ASSERT_TRUE(fs::exists(path)) << path;
        EXPECT_EQ(fs::file_size(path), size) << path;
        EXPECT_LT(number, tree.next_file) << path;
      }
    }
    const bool only_a_log = directory.filename() == "wal_only";
    EXPECT_EQ(tables == 0, only_a_log);
  }
}

TEST(GoldenDirectoryTest, WrittenEditsRoundTrip) {
  TAMIS_GOLDEN_DIRECTORIES(directories);
  for (const fs::path& directory : directories) {
    const auto numbers = Numbers(directory, FileKind::kDescriptor);
    for (const FileNumber number : numbers) {
      const std::string path = DescriptorFileName(directory.string(), number);
      ReadLog(path, number, LogKind::kManifest, [&](const std::string& record) {
        auto edit = VersionEdit::Decode(record);
        ASSERT_TRUE(edit.ok()) << path << edit.status();
        for (auto& entry : edit->new_files) {
          if (entry.second.seqnos_known) continue;
          entry.second.seqnos_known = true;
          entry.second.smallest_seqno = 0;
        }
        std::string bytes;
        edit->EncodeTo(&bytes);
        const auto again = VersionEdit::Decode(bytes);
        ASSERT_TRUE(again.ok()) << path << again.status();
        EXPECT_EQ(again->DebugString(), edit->DebugString()) << path;
      });
    }
  }
}

TEST(GoldenDirectoryTest, LogsHoldBatchesToTheEnd) {
  TAMIS_GOLDEN_DIRECTORIES(directories);
  size_t batches = 0;
  for (const fs::path& directory : directories) {
    for (const FileNumber number : Numbers(directory, FileKind::kLog)) {
      const std::string path = LogFileName(directory.string(), number);
      SequenceNumber next = 0;
      ReadLog(path, number, LogKind::kWal, [&](const std::string& record) {
        ++batches;
        const WriteBatch batch{std::string(record)};
        const Status s = WriteBatchInternal::Validate(batch);
        EXPECT_TRUE(s.ok() || s.IsNotSupported()) << path << s;
        EXPECT_GE(WriteBatchInternal::Sequence(batch), next) << path;
        next = WriteBatchInternal::Sequence(batch) + batch.Count();
      });
    }
  }
  EXPECT_GT(batches, 1000u);
}

// key-hex TAB value-hex, a line each: what the database showed.
std::map<std::string, std::string> Listing(const fs::path& directory) {
  std::map<std::string, std::string> listing;
  std::ifstream in(directory.string() + ".tsv");
  std::string line;
  while (std::getline(in, line)) {
    const size_t tab = line.find('\t');
    listing[FromHexDigits(line.substr(0, tab))] =
        FromHexDigits(line.substr(tab + 1));
  }
  return listing;
}

// Replays what no table has yet.
Status Replay(const fs::path& directory, FileNumber from_log, MemTable* table) {
  Status status;
  for (const FileNumber number : Numbers(directory, FileKind::kLog)) {
    if (number < from_log) continue;
    const std::string path = LogFileName(directory.string(), number);
    ReadLog(path, number, LogKind::kWal, [&](const std::string& record) {
      if (!status.ok()) return;
      status = WriteBatchInternal::ForEach(
          WriteBatch(record),
          [&](SequenceNumber sequence, FamilyId family, ValueType type,
              const Slice& key, const Slice& value) {
            if (family == kDefaultFamilyId)
              table->Add(sequence, type, key, value);
            return Status();
          });
    });
  }
  return status;
}

// The logs hold the newest changes: each key in them must show, or be gone, as
// it did in the database.
TEST(GoldenDirectoryTest, ReplayedLogsShowTheContentsOfTheDatabase) {
  TAMIS_GOLDEN_DIRECTORIES(directories);
  size_t compared = 0;
  for (const fs::path& directory : directories) {
    SCOPED_TRACE(directory.string());
    MemTable table(KeyOrder(BytewiseComparator()), 0, FileNumber(0));
    const Tree tree = ReadManifest(directory);
    const Status replayed = Replay(directory, tree.log_number, &table);
    ASSERT_TRUE(replayed.ok()) << replayed;
    const TombstoneTree::View tombstones =
        table.RangeTombstones(kMaxSequenceNumber);
    const std::map<std::string, std::string> listing = Listing(directory);
    const auto it = table.NewIterator();
    std::optional<std::string> last;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const std::string key = ExtractUserKey(it->key()).ToString();
      const bool older = last == key;
      last = key;
      if (older) continue;
      ++compared;
      const auto shown = listing.find(key);
      const bool covered =
          tombstones.Covering(key) > ExtractSequence(it->key());
      if (covered || (ExtractTail(it->key()) & 0xff) == kTypeDeletion) {
        EXPECT_TRUE(shown == listing.end()) << key;
      } else {
        ASSERT_TRUE(shown != listing.end()) << key;
        EXPECT_EQ(it->value(), Slice(shown->second)) << key;
      }
    }
  }
  EXPECT_GT(compared, 1000u);
}

}  // namespace
}  // namespace tamis
