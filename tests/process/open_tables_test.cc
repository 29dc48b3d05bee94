// SPDX-License-Identifier: Apache-2.0
//
// The ring of open tables, if an allocation fails while tables are opened: a
// table that could not be opened is not in it, unused room is released, and the
// limit holds.
#include "db/base/open_tables.h"

#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "db/base/file_names.h"
#include "db/version/table_cache.h"
#include "tests/failures/failures.h"
#include "tests/support/effort.h"
#include "tests/support/simulated_file_system.h"
#include "tests/support/string_files.h"
#include "tests/support/tables.h"

namespace tamis::process {
namespace {

constexpr size_t kLimit = 9;
constexpr size_t kTables = 20;

// Opens it if there is memory; whether it is open then.
bool OpenTable(const TableCache& cache, const TableFile& file) {
  try {
    return cache.Reader(file).ok();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

TEST(OpenTablesTest, AreCountedRightWhicheverAllocationFails) {
  const std::shared_ptr<FileSystem> fs = NewSimulatedFileSystem();
  ASSERT_TRUE(fs->CreateDirIfMissing("/db").ok());
  const std::string bytes = BuildTable(TableBuildOptions(Bytewise()),
                                       {{InternalKey("key", 1), "value"}});
  for (uint64_t i = 0; i < kTables; ++i) {
    ASSERT_TRUE(WriteStringToFile(fs.get(), bytes,
                                  TableFileName("/db", FileNumber(i)), true)
                    .ok());
  }
  ColumnFamilyOptions options;
  options.table_factory.reset(NewBlockBasedTableFactory());
  for (uint64_t n = 1;; n += Stride()) {
    SCOPED_TRACE(n);
    DBContext context;
    context.directory = "/db";
    context.options.file_system = fs;
    context.block_cache = std::make_shared<BlockCache>(1 << 20);
    context.open_tables = std::make_unique<OpenTables>(kLimit);
    const TableCache cache(context, Bytewise(), options);
    std::vector<std::unique_ptr<const TableFile>> files;
    for (uint64_t i = 0; i < kTables; ++i) {
      FileMetaData meta;
      meta.number = FileNumber(i);
      meta.size = bytes.size();
      files.push_back(std::make_unique<const TableFile>(std::move(meta)));
    }
    const auto count = [&] {
      size_t open = 0;
      for (const auto& file : files) open += file->FindReader() ? 1U : 0U;
      return open;
    };
    Failures::Arm(Failures::Kind::kAllocation, n);
    for (const auto& file : files) {
      const bool opened = OpenTable(cache, *file);
      EXPECT_EQ(opened, file->FindReader() != nullptr);
    }
    const bool failed = Failures::Disarm();
    EXPECT_LE(count(), kLimit);
    for (const auto& file : files) EXPECT_TRUE(OpenTable(cache, *file));
    EXPECT_EQ(count(), kLimit);
    if (!failed) break;
  }
}

}  // namespace
}  // namespace tamis::process
