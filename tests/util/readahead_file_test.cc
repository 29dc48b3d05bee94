// SPDX-License-Identifier: Apache-2.0
#include "util/readahead_file.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "util/random.h"

namespace tamis {
namespace {

using Reads = std::vector<std::pair<uint64_t, size_t>>;

// Bytes in memory, of which those from `bad_from` on cannot be read.
class BytesFile final : public RandomAccessFile {
 public:
  BytesFile(const std::string* bytes, Reads* reads, uint64_t bad_from)
      : bytes_(bytes), reads_(reads), bad_from_(bad_from) {}
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    reads_->emplace_back(offset, n);
    const size_t at = std::min<size_t>(offset, bytes_->size());
    const size_t got = std::min(n, bytes_->size() - at);
    if (at + got > bad_from_) return Status::IOError("bytes", "read");
    std::memcpy(scratch, bytes_->data() + at, got);
    *result = Slice(scratch, got);
    return Status::OK();
  }

 private:
  const std::string* const bytes_;
  Reads* const reads_;
  const uint64_t bad_from_;
};

class ReadaheadFileTest : public testing::Test {
 protected:
  ReadaheadFileTest() {
    Random random(301);
    for (int i = 0; i < 10'000; ++i) {
      bytes_.push_back(static_cast<char>(random.Uniform(256)));
    }
  }
  void Open(uint64_t bad_from = UINT64_MAX) {
    reads_.clear();
    file_ = std::make_unique<ReadaheadFile>(
        std::make_unique<BytesFile>(&bytes_, &reads_, bad_from), 1000);
  }
  std::string Read(uint64_t offset, size_t n) {
    std::string scratch(n, '\0');
    Slice result;
    const Status status = file_->Read(offset, n, &result, scratch.data());
    return status.ok() ? result.ToString() : status.ToString();
  }
  std::string Expected(uint64_t offset, size_t n) const {
    return offset < bytes_.size() ? bytes_.substr(offset, n) : "";
  }

  std::string bytes_;
  Reads reads_;
  std::unique_ptr<ReadaheadFile> file_;
};

TEST_F(ReadaheadFileTest, GivesTheBytesThatAreThereWhateverIsRead) {
  Open();
  Random random(302);
  uint64_t offset = 0;
  for (int i = 0; i < 5000; ++i) {
    if (random.Uniform(8) == 0) offset = random.Uniform(bytes_.size() + 50);
    const size_t n = random.Uniform(random.Uniform(10) == 0 ? 3000 : 200);
    ASSERT_EQ(Read(offset, n), Expected(offset, n)) << offset << " " << n;
    offset += n;
  }
}

TEST_F(ReadaheadFileTest, FetchesWindowsForPiecesThatFollowEachOther) {
  Open();
  for (uint64_t offset = 0; offset < 5000; offset += 100) Read(offset, 100);
  EXPECT_EQ(
      reads_,
      (Reads{
          {0, 1000}, {1000, 1000}, {2000, 1000}, {3000, 1000}, {4000, 1000}}));
}

TEST_F(ReadaheadFileTest, ReadsElsewherePassTheWindowBy) {
  Open();
  Read(9950, 50);  // a footer
  Read(0, 100);
  Read(7000, 100);  // a partition
  Read(100, 100);
  EXPECT_EQ(reads_, (Reads{{9950, 50}, {0, 1000}, {7000, 100}}));
}

TEST_F(ReadaheadFileTest, BeginsAWindowWithTheSecondPieceInTheMiddle) {
  Open();
  Read(5000, 100);
  Read(5100, 100);
  Read(5200, 100);
  EXPECT_EQ(reads_, (Reads{{5000, 100}, {5100, 1000}}));
}

TEST_F(ReadaheadFileTest, AnErrorAheadIsNoErrorHere) {
  Open(/*bad_from=*/550);
  for (uint64_t offset = 0; offset < 500; offset += 100) {
    EXPECT_EQ(Read(offset, 100), Expected(offset, 100));
  }
  EXPECT_EQ(Read(500, 100), "IOError: bytes: read");
}

}  // namespace
}  // namespace tamis
