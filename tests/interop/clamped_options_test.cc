// SPDX-License-Identifier: Apache-2.0
//
// Options out of range are clamped to what RocksDB clamps them to.
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "tamis/db.h"

#include "tests/support/directories.h"

namespace {

struct Given {
  size_t write_buffer_size = 1 << 20;
  int max_write_buffer_number = 3;
  int trigger = 4;
  int slowdown = 20;
  int stop = 36;
};

template <typename DB, typename Options>
std::string Used(const Given& given, Options options) {
  const tamis::TemporaryDirectory directory;
  options.create_if_missing = true;
  options.write_buffer_size = given.write_buffer_size;
  options.max_write_buffer_number = given.max_write_buffer_number;
  options.level0_file_num_compaction_trigger = given.trigger;
  options.level0_slowdown_writes_trigger = given.slowdown;
  options.level0_stop_writes_trigger = given.stop;
  DB* opened = nullptr;
  const auto status = DB::Open(options, directory.Path("db"), &opened);
  if (!status.ok()) return status.ToString();
  const std::unique_ptr<DB> db(opened);
  const auto used = db->GetOptions();
  return std::to_string(used.write_buffer_size) + " " +
         std::to_string(used.max_write_buffer_number) + " " +
         std::to_string(used.level0_file_num_compaction_trigger) + " " +
         std::to_string(used.level0_slowdown_writes_trigger) + " " +
         std::to_string(used.level0_stop_writes_trigger);
}

TEST(ClampedOptionsTest, AreRocksDBs) {
  const Given cases[] = {
      {},
      {.write_buffer_size = 0},
      {.write_buffer_size = 1},
      {.write_buffer_size = (64 << 10) - 1},
      {.write_buffer_size = 64 << 10},
      {.write_buffer_size = 100'000},
      {.write_buffer_size = (size_t{64} << 30) + 1},
      {.write_buffer_size = SIZE_MAX},
      {.max_write_buffer_number = -1},
      {.max_write_buffer_number = 0},
      {.max_write_buffer_number = 1},
      {.max_write_buffer_number = 2},
      {.trigger = 0},
      {.trigger = 50},
      {.slowdown = 0},
      {.slowdown = -1},
      {.slowdown = 4, .stop = 4},
      {.stop = 0},
      {.stop = -1},
      {.trigger = 0, .slowdown = 0, .stop = 0},
      {.trigger = 7, .slowdown = 6, .stop = 5},
  };
  for (const Given& given : cases) {
    rocksdb::Options options;
    // Else it reserves the write buffer's bytes for the log.
    options.allow_fallocate = false;
    EXPECT_EQ((Used<tamis::DB>(given, tamis::Options())),
              (Used<rocksdb::DB>(given, options)));
  }
}

}  // namespace
