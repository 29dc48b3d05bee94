// SPDX-License-Identifier: Apache-2.0
//
// A WriteBatch does what RocksDB's does: save points, limits, parts, handlers,
// queries. Each test shows one engine's answers and compares them with the
// other's.
#include "tamis/write_batch.h"

#include <string>

#include <gtest/gtest.h>
#include <rocksdb/slice.h>
#include <rocksdb/write_batch.h>

#include "tamis/slice.h"

namespace {

struct Tamis {
  using WriteBatch = tamis::WriteBatch;
  using Slice = tamis::Slice;
  using SliceParts = tamis::SliceParts;
  using Status = tamis::Status;
};
struct RocksDB {
  using WriteBatch = rocksdb::WriteBatch;
  using Slice = rocksdb::Slice;
  using SliceParts = rocksdb::SliceParts;
  using Status = rocksdb::Status;
};

// A status as clients tell it from others, without words.
template <typename Status>
std::string Code(const Status& status) {
  return std::to_string(status.code()) + "/" +
         std::to_string(status.subcode()) + " ";
}

template <typename Batch>
std::string Kinds(const Batch& batch) {
  std::string kinds;
  if (batch.HasPut()) kinds += 'p';
  if (batch.HasDelete()) kinds += 'd';
  if (batch.HasSingleDelete()) kinds += 's';
  if (batch.HasDeleteRange()) kinds += 'r';
  if (batch.HasMerge()) kinds += 'm';
  return kinds + " ";
}

// Count, size, bytes.
template <typename Batch>
std::string Show(const Batch& batch) {
  return std::to_string(batch.Count()) + " " +
         std::to_string(batch.GetDataSize()) + " " +
         tamis::Slice(batch.Data()).ToString(/*hex=*/true) + "\n";
}

template <typename E>
std::string SavePoints() {
  typename E::WriteBatch batch;
  std::string shown = Code(batch.RollbackToSavePoint());
  shown += Code(batch.PopSavePoint());
  batch.SetSavePoint();
  shown += Code(batch.Put("a", "1"));
  batch.SetSavePoint();
  shown += Code(batch.Merge("b", "2"));
  shown += Code(batch.PutLogData("note"));
  shown += Show(batch);
  const typename E::WriteBatch copy = batch;
  shown += Code(batch.RollbackToSavePoint());
  shown += Show(batch);
  shown += Code(batch.Delete("c"));
  shown += Show(batch);
  batch.SetSavePoint();
  shown += Code(batch.Put("d", "4"));
  shown += Code(batch.PopSavePoint());
  shown += Show(batch);
  shown += Code(batch.RollbackToSavePoint());
  shown += Show(batch);
  shown += Code(batch.RollbackToSavePoint());
  shown += Show(batch);
  // A copy has the save points of its original.
  typename E::WriteBatch other = copy;
  shown += Code(other.RollbackToSavePoint());
  shown += Show(other);
  // Clear removes them.
  other.Clear();
  shown += Code(other.RollbackToSavePoint());
  shown += Show(other);
  return shown;
}

TEST(WriteBatchTest, SavePointsAreRocksDBs) {
  const std::string shown = SavePoints<Tamis>();
  EXPECT_EQ(shown, SavePoints<RocksDB>());
  EXPECT_NE(shown.find("0/0 1 17 "), std::string::npos) << shown;
}

template <typename E>
std::string Limits() {
  std::string shown;
  typename E::WriteBatch batch(/*reserved_bytes=*/1000, /*max_bytes=*/40);
  for (int i = 0; i < 4; ++i) {
    shown += Code(batch.Put("key", "value"));
    shown += Show(batch);
  }
  shown += Code(batch.Delete("0123456789"));
  shown += Show(batch);
  shown += Code(batch.Merge("0123456789", ""));
  shown += Show(batch);
  shown += Code(batch.DeleteRange("0123456789", ""));
  shown += Show(batch);
  shown += Code(batch.SingleDelete("0123456789"));
  shown += Show(batch);
  shown += Code(batch.PutLogData("0123456789"));
  shown += Show(batch);
  shown += Code(batch.Delete("0123"));
  shown += Show(batch);
  batch.SetMaxBytes(0);
  shown += Code(batch.Put("key", "value"));
  shown += Show(batch);
  batch.SetMaxBytes(51);
  shown += Code(batch.Put("key", "value"));
  shown += Show(batch);
  return shown;
}

TEST(WriteBatchTest, LimitsAreRocksDBs) {
  const std::string shown = Limits<Tamis>();
  EXPECT_EQ(shown, Limits<RocksDB>());
  EXPECT_NE(shown.find("10/7 2 34 "), std::string::npos) << shown;
}

template <typename E>
std::string Parts() {
  using Slice = typename E::Slice;
  using SliceParts = typename E::SliceParts;
  const Slice keys[] = {"ab", "", "cd"};
  const Slice values[] = {"1", "23"};
  const SliceParts key(keys, 3);
  const SliceParts value(values, 2);
  typename E::WriteBatch batch;
  std::string shown = Code(batch.Put(key, value));
  shown += Code(batch.Delete(key));
  shown += Code(batch.SingleDelete(key));
  shown += Code(batch.DeleteRange(key, value));
  shown += Code(batch.Merge(key, value));
  shown += Code(batch.Put(nullptr, key, SliceParts()));
  shown += Code(batch.Delete(nullptr, key));
  shown += Code(batch.SingleDelete(nullptr, key));
  shown += Code(batch.DeleteRange(nullptr, key, value));
  shown += Code(batch.Merge(nullptr, SliceParts(), value));
  shown += Show(batch);
  std::string buffer;
  const Slice joined(key, &buffer);
  shown += buffer + " " + std::to_string(joined.data_ == buffer.data()) +
           std::to_string(joined.size_);
  return shown;
}

TEST(WriteBatchTest, PartsAreRocksDBs) {
  const std::string shown = Parts<Tamis>();
  EXPECT_EQ(shown, Parts<RocksDB>());
  EXPECT_NE(shown.find("abcd 14"), std::string::npos) << shown;
}

template <typename E>
class Plain : public E::WriteBatch::Handler {
 public:
  using Slice = typename E::Slice;
  void Put(const Slice& key, const Slice& value) override {
    seen += "put " + key.ToString() + "=" + value.ToString() + " ";
  }
  void Delete(const Slice& key) override {
    seen += "delete " + key.ToString() + " ";
  }
  void SingleDelete(const Slice& key) override {
    seen += "single " + key.ToString() + " ";
  }
  void Merge(const Slice& key, const Slice& value) override {
    seen += "merge " + key.ToString() + "=" + value.ToString() + " ";
  }
  void LogData(const Slice& blob) override {
    seen += "log " + blob.ToString() + " ";
  }
  bool Continue() override { return calls_left-- > 0; }

  std::string seen;
  int calls_left = 1000;
};

// Overrides nothing.
template <typename E>
class Silent : public E::WriteBatch::Handler {};

// The bytes of one change of family 5.
constexpr char kOtherFamily[] =
    "\0\0\0\0\0\0\0\0"
    "\1\0\0\0";

template <typename E>
std::string Handlers() {
  typename E::WriteBatch batch;
  std::string shown = Code(batch.Put("a", "1"));
  shown += Code(batch.Delete("b"));
  shown += Code(batch.PutLogData("x"));
  shown += Code(batch.SingleDelete("c"));
  shown += Code(batch.Merge("d", "2"));
  for (int calls = 0; calls < 7; ++calls) {
    Plain<E> handler;
    handler.calls_left = calls;
    shown += Code(batch.Iterate(&handler)) + handler.seen + "\n";
  }
  Silent<E> silent;
  shown += Code(batch.Iterate(&silent)) + "\n";
  shown += Code(batch.DeleteRange("a", "b"));
  Plain<E> plain;
  shown += Code(batch.Iterate(&plain)) + plain.seen + "\n";
  shown += Code(batch.Iterate(&silent)) + "\n";
  for (const char* change : {"\x05\x05\1k\1v", "\x04\x05\1k", "\x08\x05\1k",
                             "\x06\x05\1k\1v", "\x0e\x05\1k\1v"}) {
    const typename E::WriteBatch other(std::string(kOtherFamily, 12) + change);
    Plain<E> handler;
    shown += Code(other.Iterate(&handler)) + handler.seen + "\n";
  }
  return shown;
}

TEST(WriteBatchTest, HandlersAreRocksDBs) {
  const std::string shown = Handlers<Tamis>();
  EXPECT_EQ(shown, Handlers<RocksDB>());
  EXPECT_NE(shown.find("0/0 put a=1 delete b \n"), std::string::npos) << shown;
}

template <typename E>
std::string Queries() {
  typename E::WriteBatch batch;
  std::string shown = Kinds(batch);
  shown += Code(batch.PutLogData("x"));
  shown += Kinds(batch);
  shown += Code(batch.Merge("a", "1"));
  shown += Kinds(batch);
  shown += Code(batch.DeleteRange("a", "b"));
  shown += Kinds(batch);
  shown += Code(batch.SingleDelete("a"));
  shown += Kinds(batch);
  shown += Code(batch.Delete("a"));
  shown += Kinds(batch);
  shown += Code(batch.Put("a", "1"));
  shown += Kinds(batch);
  shown += Kinds(typename E::WriteBatch(batch.Data()));
  batch.Clear();
  return shown + Kinds(batch);
}

TEST(WriteBatchTest, QueriesAreRocksDBs) {
  const std::string shown = Queries<Tamis>();
  EXPECT_EQ(shown, Queries<RocksDB>());
  EXPECT_NE(shown.find(" pdsrm "), std::string::npos) << shown;
}

}  // namespace
