// SPDX-License-Identifier: Apache-2.0
#include "util/io/readahead_window.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "util/base/random.h"
#include "util/io/aligned_buffer.h"

namespace tamis {
namespace {

using Reads = std::vector<std::pair<uint64_t, size_t>>;

// Bytes in memory, of which those from `bad_from` on cannot be read.
class BytesFile final : public RandomAccessFile {
 public:
  BytesFile(const std::string* bytes, Reads* reads, Reads* started,
            uint64_t bad_from, size_t alignment)
      : bytes_(bytes),
        reads_(reads),
        started_(started),
        bad_from_(bad_from),
        alignment_(alignment) {}
  bool ReadAsync(FSReadRequest* request, AsyncReads* reads) const override {
    started_->emplace_back(request->offset, request->len);
    if (alignment_ > 1) {
      const auto address = reinterpret_cast<uintptr_t>(request->scratch);
      EXPECT_EQ(address % PageBytes(), 0u);
    }
    return !reads->Defer(this, request);
  }
  size_t GetRequiredBufferAlignment() const override { return alignment_; }
  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    reads_->emplace_back(offset, n);
    if (std::exchange(throws_once, false)) throw std::runtime_error("read");
    const size_t at = std::min<size_t>(offset, bytes_->size());
    const size_t got = std::min(n, bytes_->size() - at);
    if (at + got > bad_from_) return Status::IOError("bytes", "read");
    std::memcpy(scratch, bytes_->data() + at, got);
    *result = Slice(scratch, got);
    return Status::OK();
  }

  mutable bool throws_once = false;

 private:
  const std::string* const bytes_;
  Reads* const reads_;
  Reads* const started_;  // by ReadAsync; they are in *reads_ once finished
  const uint64_t bad_from_;
  const size_t alignment_;
};

class ReadaheadWindowTest : public testing::Test {
 protected:
  ReadaheadWindowTest() {
    Random random(301);
    for (int i = 0; i < 10'000; ++i) {
      bytes_.push_back(static_cast<char>(random.Uniform(256)));
    }
  }
  void Open(size_t readahead_bytes, uint64_t bad_from = UINT64_MAX,
            size_t alignment = 1, bool is_async = false) {
    window_.reset();
    reads_.clear();
    started_.clear();
    file_ = std::make_unique<BytesFile>(&bytes_, &reads_, &started_, bad_from,
                                        alignment);
    window_ = std::make_unique<ReadaheadWindow>(readahead_bytes, is_async);
  }
  void OpenAsync(size_t readahead_bytes, uint64_t bad_from = UINT64_MAX,
                 size_t alignment = 1) {
    Open(readahead_bytes, bad_from, alignment, /*is_async=*/true);
  }
  // "alone": the window does not have them, and did not get them.
  std::string Find(uint64_t offset, size_t n) {
    const char* const found = window_->Find(*file_, bytes_.size(), offset, n);
    return found != nullptr ? std::string(found, n) : "alone";
  }
  std::string Expected(uint64_t offset, size_t n) const {
    return bytes_.substr(offset, n);
  }

  std::string bytes_;
  Reads reads_;
  Reads started_;
  std::unique_ptr<BytesFile> file_;
  std::unique_ptr<ReadaheadWindow> window_;
};

TEST_F(ReadaheadWindowTest, ReturnsTheBytesOfTheFile) {
  for (size_t choice = 0; choice < 8; ++choice) {
    Open(choice % 2 * 1000, UINT64_MAX, choice / 2 % 2 == 0 ? 1 : 256,
         /*is_async=*/choice >= 4);
    Random random(302);
    uint64_t offset = 0;
    size_t found = 0;
    for (int i = 0; i < 5000; ++i) {
      const size_t n = 1 + random.Uniform(random.Uniform(10) == 0 ? 3000 : 200);
      if (random.Uniform(8) == 0 || offset + n > bytes_.size()) {
        offset = random.Uniform(bytes_.size() - n);
      }
      const std::string got = Find(offset, n);
      if (got != "alone") {
        ++found;
        ASSERT_EQ(got, Expected(offset, n)) << offset << " " << n;
      }
      offset += n;
    }
    EXPECT_GT(found, 1000u);
  }
}

TEST_F(ReadaheadWindowTest, FetchesItsSizeAfterABlockAndNoByteTwice) {
  Open(900);
  for (uint64_t offset = 0; offset < 3500; offset += 100) {
    EXPECT_EQ(Find(offset, 100), Expected(offset, 100));
  }
  EXPECT_EQ(reads_,
            (Reads{{0, 1000}, {1000, 1000}, {2000, 1000}, {3000, 1000}}));
  // A block of which the window has the beginning: only the rest is read.
  reads_.clear();
  EXPECT_EQ(Find(3950, 100), Expected(3950, 100));
  EXPECT_EQ(reads_, (Reads{{4000, 950}}));
}

// As direct reads want it: each read is of whole blocks of the device, into
// aligned memory, but for the end of the file.
TEST_F(ReadaheadWindowTest, AlignsReadsAndReadsNoByteTwice) {
  constexpr size_t kAlignment = 512;
  for (const size_t readahead : {size_t{0}, size_t{900}}) {
    Open(readahead, UINT64_MAX, kAlignment);
    uint64_t end = 0;
    for (uint64_t offset = 100; offset + 100 <= bytes_.size(); offset += 100) {
      const std::string found = Find(offset, 100);
      if (found == "alone") continue;
      EXPECT_TRUE(found == Expected(offset, 100)) << offset;
    }
    ASSERT_FALSE(reads_.empty());
    for (const auto& [offset, n] : reads_) {
      EXPECT_EQ(offset % kAlignment, 0u);
      EXPECT_EQ(n % kAlignment, 0u);
      EXPECT_TRUE(end == 0 || offset == end) << offset;
      end = offset + n;
    }
    EXPECT_GE(end, bytes_.size());
    EXPECT_LT(end, bytes_.size() + kAlignment);
  }
}

TEST_F(ReadaheadWindowTest, StartsAtTheFirstBlockInTheMiddleOfAFile) {
  Open(900);
  EXPECT_EQ(Find(5000, 100), Expected(5000, 100));
  EXPECT_EQ(Find(5100, 100), Expected(5100, 100));
  EXPECT_EQ(reads_, (Reads{{5000, 1000}}));
}

TEST_F(ReadaheadWindowTest, NeverPassesTheEndOfTheFile) {
  Open(900);
  EXPECT_EQ(Find(9500, 100), Expected(9500, 100));
  EXPECT_EQ(Find(9900, 100), Expected(9900, 100));
  EXPECT_EQ(reads_, (Reads{{9500, 500}}));
}

TEST_F(ReadaheadWindowTest, AnErrorAheadDoesNotFailTheBlock) {
  Open(900, /*bad_from=*/550);
  for (uint64_t offset = 0; offset < 500; offset += 100) {
    EXPECT_EQ(Find(offset, 100), "alone");
  }
}

// Whatever the length of blocks, most of which end in the bytes ahead.
TEST_F(ReadaheadWindowTest, AsyncWindowHasTheNextBytesReadWhileItIsUsed) {
  for (const size_t n : {size_t{100}, size_t{70}, size_t{333}}) {
    OpenAsync(900);
    ASSERT_EQ(Find(0, n), Expected(0, n));
    EXPECT_EQ(reads_, (Reads{{0, n + 900}}));
    EXPECT_EQ(started_, (Reads{{n + 900, 900}}));
    uint64_t offset = n;
    for (; offset + n <= bytes_.size(); offset += n) {
      ASSERT_EQ(Find(offset, n), Expected(offset, n)) << offset;
      // One read is ahead, until the last has been begun.
      const auto& [begin, bytes] = started_.back();
      EXPECT_TRUE(begin > offset || begin + bytes == bytes_.size()) << offset;
    }
    uint64_t end = 0;
    for (const auto& [begin, bytes] : reads_) {
      EXPECT_EQ(begin, end);
      end = begin + bytes;
    }
    // No block needs the last bytes; their read was begun, not finished.
    EXPECT_GE(end, offset);
    const bool is_last_finished = end == bytes_.size();
    EXPECT_EQ(started_.size(), reads_.size() - (is_last_finished ? 1 : 0));
  }
}

TEST_F(ReadaheadWindowTest, AsyncWindowAlignsWhatItReads) {
  constexpr size_t kAlignment = 512;
  OpenAsync(/*readahead_bytes=*/900, UINT64_MAX, kAlignment);
  for (uint64_t offset = 100; offset + 100 <= bytes_.size(); offset += 100) {
    ASSERT_EQ(Find(offset, 100), Expected(offset, 100)) << offset;
  }
  ASSERT_FALSE(started_.empty());
  for (const auto& [begin, bytes] : started_) {
    EXPECT_EQ(begin % kAlignment, 0u);
    EXPECT_TRUE(bytes % kAlignment == 0 || begin + bytes == bytes_.size());
  }
}

TEST_F(ReadaheadWindowTest, AsyncWindowIsLeftForABlockElsewhere) {
  OpenAsync(900);
  EXPECT_EQ(Find(0, 100), Expected(0, 100));
  EXPECT_EQ(Find(7000, 100), Expected(7000, 100));
  EXPECT_EQ(started_, (Reads{{1000, 900}, {8000, 900}}));
  // What was begun in vain is not read.
  EXPECT_EQ(reads_, (Reads{{0, 1000}, {7000, 1000}}));
  EXPECT_EQ(Find(500, 100), Expected(500, 100));
  EXPECT_EQ(Find(1400, 300), Expected(1400, 300));
}

TEST_F(ReadaheadWindowTest, AReadThatThrowsLosesNoBlockAfterIt) {
  for (const bool is_async : {false, true}) {
    Open(900, UINT64_MAX, /*alignment=*/1, is_async);
    ASSERT_EQ(Find(0, 100), Expected(0, 100));
    file_->throws_once = true;
    EXPECT_THROW(Find(950, 100), std::runtime_error);
    EXPECT_EQ(Find(200, 100), Expected(200, 100));
    for (uint64_t offset = 950; offset < 5000; offset += 100) {
      EXPECT_EQ(Find(offset, 100), Expected(offset, 100)) << offset;
    }
  }
}

// They would be read twice, if the bytes ahead do not complete the next.
TEST_F(ReadaheadWindowTest, NothingIsReadAheadOfLargeBlocks) {
  OpenAsync(200);
  for (uint64_t offset = 0; offset < 9000; offset += 300) {
    EXPECT_EQ(Find(offset, 300), Expected(offset, 300));
  }
  EXPECT_TRUE(started_.empty());
  while (bytes_.size() < 300'000) bytes_ += bytes_;
  OpenAsync(100'000);
  EXPECT_EQ(Find(0, 70'000), Expected(0, 70'000));
  EXPECT_TRUE(started_.empty());
  EXPECT_EQ(Find(70'000, 60'000), Expected(70'000, 60'000));
  EXPECT_EQ(Find(130'000, 60'000), Expected(130'000, 60'000));
  EXPECT_FALSE(started_.empty());
}

TEST_F(ReadaheadWindowTest, AnErrorOfAReadAheadDoesNotFailTheBlocksBefore) {
  OpenAsync(900, /*bad_from=*/1500);
  for (uint64_t offset = 0; offset < 1000; offset += 100) {
    EXPECT_EQ(Find(offset, 100), Expected(offset, 100));
  }
  EXPECT_EQ(Find(1000, 100), "alone");
  EXPECT_EQ(Find(1100, 100), "alone");
  EXPECT_EQ(Find(0, 100), Expected(0, 100));
}

// The largest block is larger than what is read ahead.
TEST_F(ReadaheadWindowTest, ABlockThatTheBytesAheadDoNotCompleteIsRead) {
  OpenAsync(200);
  EXPECT_EQ(Find(0, 100), Expected(0, 100));
  EXPECT_EQ(Find(100, 3000), Expected(100, 3000));
  EXPECT_EQ(Find(3100, 500), Expected(3100, 500));
}

}  // namespace
}  // namespace tamis
