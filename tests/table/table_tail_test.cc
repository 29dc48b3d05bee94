// SPDX-License-Identifier: Apache-2.0
//
// How many reads an open of a table takes, and what a file that cannot be read
// as a whole does to it.
#include "table/table_tail.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tamis/filter_policy.h"

#include "tests/support/tables.h"

namespace tamis {
namespace {

std::string TableOf(int entries, TableBuildOptions options) {
  options.table.filter_policy.reset(NewBloomFilterPolicy(10));
  Entries all;
  for (int i = 0; i < entries; ++i) {
    all.emplace_back(InternalKey("key" + std::to_string(100'000 + i), 1),
                     std::string(100, 'v'));
  }
  return BuildTable(options, all);
}

// Reads of TableReader::Open; *reader is the table.
int ReadsToOpen(const std::string& contents,
                std::unique_ptr<TableReader>* reader) {
  auto file = std::make_unique<StringRandomAccessFile>(contents);
  const StringRandomAccessFile* const counts = file.get();
  TableContext context = TestContext();
  context.filter_policy.reset(NewBloomFilterPolicy(10));
  auto opened = TableReader::Open(std::move(file), contents.size(), context);
  EXPECT_TRUE(opened.ok()) << opened.status();
  *reader = *std::move(opened);
  return counts->reads();
}

TEST(TableTailTest, ASmallTableIsOpenedByOneRead) {
  std::unique_ptr<TableReader> reader;
  EXPECT_EQ(ReadsToOpen(TableOf(100, TableBuildOptions(Bytewise())), &reader),
            1);
  EXPECT_TRUE(reader->VerifyChecksums().ok());
}

// The filter and the index are before the tail.
TEST(TableTailTest, ALargeTableIsOpenedByThree) {
  TableBuildOptions options(Bytewise());
  options.table.block_size = 1024;
  std::unique_ptr<TableReader> reader;
  EXPECT_EQ(ReadsToOpen(TableOf(20'000, options), &reader), 3);
  EXPECT_TRUE(reader->VerifyChecksums().ok());
}

// Any read is of the file's bytes: within the tail, before it, across its
// begin, and behind its end.
TEST(TableTailTest, ReadsAreTheFiles) {
  std::string contents;
  for (int i = 0; i < 30'000; ++i) contents += static_cast<char>(i * 7 % 251);
  for (const size_t size : {30'000u, 8192u, 8191u, 100u, 0u}) {
    const std::string bytes = contents.substr(0, size);
    const StringRandomAccessFile file(bytes);
    const TableTail tail(file, size);
    char expected_space[300];
    char space[300];
    for (uint64_t offset = 0; offset < size + 300; offset += 11) {
      for (const size_t n : {0u, 1u, 53u, 300u}) {
        Slice expected;
        Slice got;
        ASSERT_TRUE(file.Read(offset, n, &expected, expected_space).ok());
        ASSERT_TRUE(tail.Read(offset, n, &got, space).ok());
        ASSERT_EQ(got, expected) << size << " " << offset << " " << n;
      }
    }
  }
}

// Fails reads of more bytes than an open needs at once.
class NoLargeReads final : public RandomAccessFile {
 public:
  explicit NoLargeReads(const RandomAccessFile* file) : file_(*file) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    if (n > 4000) return Status::IOError("the read is too large");
    return file_.Read(offset, n, result, scratch);
  }

 private:
  const RandomAccessFile& file_;
};

TEST(TableTailTest, AnOpenDoesWithoutTheTail) {
  const std::string contents = TableOf(100, TableBuildOptions(Bytewise()));
  const StringRandomAccessFile file(contents);
  const auto opened = TableReader::Open(std::make_unique<NoLargeReads>(&file),
                                        contents.size(), TestContext());
  EXPECT_TRUE(opened.ok()) << opened.status();
}

// A file that is shorter than the MANIFEST has it.
TEST(TableTailTest, AShortFileIsNamed) {
  const std::string contents = TableOf(100, TableBuildOptions(Bytewise()));
  const auto opened =
      TableReader::Open(std::make_unique<StringRandomAccessFile>(
                            contents.substr(0, contents.size() - 10)),
                        contents.size(), TestContext());
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.status().ToString().find("footer at offset"),
            std::string::npos)
      << opened.status();
  EXPECT_NE(opened.status().ToString().find("short read"), std::string::npos)
      << opened.status();
}

}  // namespace
}  // namespace tamis
