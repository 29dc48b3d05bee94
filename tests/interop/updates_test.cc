// SPDX-License-Identifier: Apache-2.0
//
// GetUpdatesSince shows the same batches as RocksDB's, of the same writes and
// of each other's directories; archives are each other's, too.
#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/transaction_log.h>
#include <rocksdb/write_batch.h>

#include "tests/interop/peers.h"
#include "util/compression/compression.h"

namespace tamis {
namespace {

struct Ours {
  using DB = tamis::DB;
  using WriteBatch = tamis::WriteBatch;
  using WriteOptions = tamis::WriteOptions;
  using FlushOptions = tamis::FlushOptions;
  using Iterator = tamis::TransactionLogIterator;
  using Logs = tamis::VectorLogPtr;
};
struct Theirs {
  using DB = rocksdb::DB;
  using WriteBatch = rocksdb::WriteBatch;
  using WriteOptions = rocksdb::WriteOptions;
  using FlushOptions = rocksdb::FlushOptions;
  using Iterator = rocksdb::TransactionLogIterator;
  using Logs = rocksdb::VectorLogPtr;
};

// Writes of every kind, the same for the same seed, with flushes.
template <typename E>
void WriteSome(typename E::DB* db, unsigned seed) {
  for (unsigned i = 0; i < 60; ++i) {
    const unsigned n = seed * 31 + i * 7;
    const std::string key = "key" + std::to_string(n % 17);
    typename E::WriteBatch batch;
    for (unsigned k = 0; k <= n % 3; ++k) {
      ASSERT_TRUE(batch.Put(key, std::string(n % 5000, 'v')).ok());
    }
    if (n % 4 == 0) {
      ASSERT_TRUE(batch.Delete(key).ok());
    }
    if (n % 5 == 0) {
      ASSERT_TRUE(batch.PutLogData("note").ok());
    }
    if (n % 6 == 0) {
      ASSERT_TRUE(batch.DeleteRange("a", "b").ok());
    }
    if (n % 11 == 0) {
      batch.Clear();
      ASSERT_TRUE(batch.PutLogData("only a note").ok());
    }
    ASSERT_TRUE(db->Write(typename E::WriteOptions(), &batch).ok());
    if (i % 13 == 12) {
      ASSERT_TRUE(db->Flush(typename E::FlushOptions()).ok());
    }
  }
}

// "sequence bytes" of each batch, and the status at the end. TryAgain: a log
// went to the archive meanwhile.
template <typename E>
std::vector<std::string> UpdatesOnce(typename E::DB* db, uint64_t since) {
  std::vector<std::string> shown;
  std::unique_ptr<typename E::Iterator> updates;
  const auto status = db->GetUpdatesSince(since, &updates);
  if (!status.ok()) return {std::to_string(status.code())};
  for (; updates->Valid(); updates->Next()) {
    const auto result = updates->GetBatch();
    const std::string& bytes = result.writeBatchPtr->Data();
    // The marker at the end of a log that Tamis closed.
    if (std::is_same_v<E, Theirs> && bytes.size() == 12) continue;
    shown.push_back(std::to_string(result.sequence) + " " +
                    std::to_string(result.writeBatchPtr->Count()) + " " +
                    ToHex(bytes));
  }
  shown.push_back(std::to_string(updates->status().code()));
  return shown;
}

template <typename E>
std::vector<std::string> Updates(typename E::DB* db, uint64_t since) {
  const std::string try_again = std::to_string(Status::kTryAgain);
  std::vector<std::string> shown = UpdatesOnce<E>(db, since);
  for (int i = 0; i < 20 && shown.back() == try_again; ++i) {
    shown = UpdatesOnce<E>(db, since);
  }
  return shown;
}

// The parameter: whether logs are compressed.
class UpdatesTest : public testing::TestWithParam<bool> {
 protected:
  UpdatesTest() {
    if (GetParam() && CompressionSupported(kZSTD)) {
      ours_.wal_compression = kZSTD;
      theirs_.wal_compression = rocksdb::kZSTD;
    }
    ours_.create_if_missing = true;
    ours_.WAL_ttl_seconds = 10000;
    theirs_.create_if_missing = true;
    theirs_.WAL_ttl_seconds = 10000;
  }
  void ExpectSame(DB* ours, rocksdb::DB* theirs) {
    const uint64_t last = theirs->GetLatestSequenceNumber();
    EXPECT_EQ(ours->GetLatestSequenceNumber(), last);
    for (uint64_t since = 0; since <= last + 2;
         since += since < 20 || since + 5 > last ? 1 : 5) {
      ASSERT_EQ(Updates<Ours>(ours, since), Updates<Theirs>(theirs, since))
          << since;
    }
  }

  const TemporaryDirectory temporary_;
  Options ours_;
  rocksdb::Options theirs_;
};

TEST_P(UpdatesTest, TheSameWritesAreTheSameBatches) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const std::string suffix = std::to_string(seed);
    const auto ours = OpenTamis(ours_, temporary_.Path("ours" + suffix));
    const auto theirs = OpenPeer(theirs_, temporary_.Path("theirs" + suffix));
    ExpectSame(ours.get(), theirs.get());
    WriteSome<Ours>(ours.get(), seed);
    WriteSome<Theirs>(theirs.get(), seed);
    ASSERT_EQ(ours->WaitForCompact(WaitForCompactOptions()), Status::OK());
    ExpectSame(ours.get(), theirs.get());
  }
}

// A log that was written without one of them, and a gap.
TEST_P(UpdatesTest, GapsAreTheSame) {
  const auto ours = OpenTamis(ours_, temporary_.Path("ours"));
  const auto theirs = OpenPeer(theirs_, temporary_.Path("theirs"));
  const auto write = [&](bool logged) {
    WriteOptions options;
    options.disableWAL = !logged;
    rocksdb::WriteOptions their_options;
    their_options.disableWAL = !logged;
    ASSERT_EQ(ours->Put(options, "a", "1"), Status::OK());
    ASSERT_TRUE(theirs->Put(their_options, "a", "1").ok());
  };
  for (const bool logged : {true, true, false}) write(logged);
  ExpectSame(ours.get(), theirs.get());
  write(true);
  ExpectSame(ours.get(), theirs.get());
}

// The two engines take turns with one directory. Each reads the logs and
// archived logs of the other, and adds writes.
TEST_P(UpdatesTest, EachReadsTheOthersLogs) {
  for (const bool ours_first : {true, false}) {
    const std::string directory =
        temporary_.Path(ours_first ? "ours_first" : "theirs_first");
    std::vector<std::string> before;
    uint64_t last = 0;
    for (int turn = 0; turn < 4; ++turn) {
      std::vector<std::string> after;
      std::vector<std::string> written;
      if ((turn % 2 == 0) == ours_first) {
        const auto db = OpenTamis(ours_, directory);
        after = Updates<Ours>(db.get(), last == 0 ? 0 : 1);
        WriteSome<Ours>(db.get(), 7);
        written = Updates<Ours>(db.get(), 1);
        last = db->GetLatestSequenceNumber();
      } else {
        const auto db = OpenPeer(theirs_, directory);
        after = Updates<Theirs>(db.get(), last == 0 ? 0 : 1);
        WriteSome<Theirs>(db.get(), 7);
        written = Updates<Theirs>(db.get(), 1);
        last = db->GetLatestSequenceNumber();
      }
      ASSERT_FALSE(after.empty());
      // Batches without changes at the end may show up only now.
      ASSERT_EQ(after.back(), "0");
      after.pop_back();
      if (!before.empty()) {
        before.pop_back();
        ASSERT_GE(after.size(), before.size());
        after.resize(before.size());
        EXPECT_EQ(after, before);
      }
      ASSERT_GT(written.size(), 60u);
      EXPECT_EQ(written.back(), "0");
      before = written;
    }
    // RocksDB lists all of them as archived or alive, as Tamis does.
    std::vector<std::string> listed;
    {
      const auto db = OpenPeer(theirs_, directory);
      rocksdb::VectorLogPtr logs;
      ASSERT_TRUE(db->GetSortedWalFiles(logs).ok());
      for (const auto& log : logs) {
        if (log->Type() == rocksdb::kArchivedLogFile) {
          listed.push_back(log->PathName() + "@" +
                           std::to_string(log->StartSequence()));
        }
      }
    }
    const auto db = OpenTamis(ours_, directory);
    VectorLogPtr logs;
    ASSERT_EQ(db->GetSortedWalFiles(logs), Status::OK());
    ASSERT_GE(logs.size(), listed.size());
    EXPECT_GT(listed.size(), 10u);
    for (size_t i = 0; i < listed.size(); ++i) {
      EXPECT_EQ(logs[i]->Type(), kArchivedLogFile);
      EXPECT_EQ(
          logs[i]->PathName() + "@" + std::to_string(logs[i]->StartSequence()),
          listed[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Compressed, UpdatesTest, testing::Bool());

}  // namespace
}  // namespace tamis
