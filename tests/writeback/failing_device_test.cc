// SPDX-License-Identifier: Apache-2.0
//
// The device below the tables of an open database cannot be read for a while.
// Reads by calls, through mappings and directly return the error; the process
// lives, and reads work when the device does.
//   TAMIS_WRITEBACK_DEVICE_SECONDS=n   runs it, as root (device.h)
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/table.h"

#include "tests/support/directories.h"
#include "tests/writeback/device.h"

namespace tamis::writeback {
namespace {

struct ReadMode {
  const char* name;
  bool mmap;
  bool direct;
};
void PrintTo(const ReadMode& mode, std::ostream* out) { *out << mode.name; }

class FailingDeviceTest : public ::testing::TestWithParam<ReadMode> {
 protected:
  static constexpr int kKeys = 2000;
  static constexpr uint64_t kDeviceBytes = 64 << 20;

  void SetUp() override {
    if (std::getenv("TAMIS_WRITEBACK_DEVICE_SECONDS") == nullptr) {
      GTEST_SKIP() << "TAMIS_WRITEBACK_DEVICE_SECONDS is not set";
    }
    ASSERT_EQ(Device::Missing(), "");
    std::filesystem::create_directory(temporary_.Path("mounted"));
    device_ = std::make_unique<Device>(temporary_.path(), kDeviceBytes, 301);
    ASSERT_EQ(device_->MakeFileSystem("mkfs.ext4 -q -F -b 4096"), "");
    Mount();
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    options_.create_if_missing = true;
    options_.compression = kNoCompression;
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    options_.allow_mmap_reads = GetParam().mmap;
    options_.use_direct_reads = GetParam().direct;
  }
  void TearDown() override { db_.reset(); }

  void Mount() {
    ASSERT_EQ(device_->Mount(temporary_.Path("mounted"), "ext4", ""), "");
  }
  void Open() {
    const Status status =
        DB::Open(options_, temporary_.Path("mounted") + "/db", &db_);
    ASSERT_TRUE(status.ok()) << status;
  }
  static std::string Key(int i) { return "key" + std::to_string(100'000 + i); }
  // Returns the number of keys that were read; *error: the last failure.
  int ReadAll(Status* error) {
    int read = 0;
    std::string value;
    for (int i = 0; i < kKeys; ++i) {
      const Status status = db_->Get({}, Key(i), &value);
      read += status.ok();
      if (status.ok()) {
        EXPECT_EQ(value, std::string(1000, 'v'));
      } else {
        EXPECT_TRUE(status.IsIOError()) << status;
        *error = status;
      }
    }
    return read;
  }

  const TemporaryDirectory temporary_;
  std::unique_ptr<Device> device_;
  Options options_;
  std::unique_ptr<DB> db_;
};

TEST_P(FailingDeviceTest, IsAnErrorWhileItFails) {
  ASSERT_NO_FATAL_FAILURE(Open());
  for (int i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(db_->Put({}, Key(i), std::string(1000, 'v')).ok());
  }
  ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  ASSERT_TRUE(db_->Close().ok());
  db_.reset();
  // Nothing is in memory any more.
  ASSERT_EQ(device_->Unmount(), "");
  ASSERT_NO_FATAL_FAILURE(Mount());
  ASSERT_NO_FATAL_FAILURE(Open());
  // Often, so that a mapping is used: its first read after this is a fault.
  std::string value;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(db_->Get({}, Key(0), &value).ok());
  }

  device_->FailReads(true);
  Status error;
  EXPECT_LT(ReadAll(&error), kKeys / 2);
  EXPECT_NE(error.message().find(".sst"), std::string::npos) << error;
  for (const char* part : {"Input/output error", "at offset "}) {
    EXPECT_NE(error.message().find(part), std::string::npos) << error;
  }
  std::printf("%s\n", error.ToString().c_str());

  device_->FailReads(false);
  EXPECT_EQ(ReadAll(&error), kKeys) << error;
}

INSTANTIATE_TEST_SUITE_P(Modes, FailingDeviceTest,
                         ::testing::Values(ReadMode{"Calls", false, false},
                                           ReadMode{"Mapped", true, false},
                                           ReadMode{"Direct", false, true}),
                         [](const auto& mode) { return mode.param.name; });

}  // namespace
}  // namespace tamis::writeback
