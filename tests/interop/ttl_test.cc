// SPDX-License-Identifier: Apache-2.0
//
// Tamis and RocksDB read, merge and expire each other's values with a time to
// live.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tests/interop/engines.h"
#include "tests/interop/peers.h"
#include "tests/support/directories.h"

namespace tamis {
namespace {

template <typename Engine>
class Join : public Engine::Associative {
 public:
  const char* Name() const override { return "Join"; }
  bool Merge(const typename Engine::Bytes&,
             const typename Engine::Bytes* existing,
             const typename Engine::Bytes& operand, std::string* result,
             typename Engine::Log*) const override {
    *result = existing == nullptr
                  ? operand.ToString()
                  : existing->ToString() + "+" + operand.ToString();
    return true;
  }
};

template <typename Engine>
class Opened {
 public:
  Opened(const std::string& directory, int ttl) {
    typename Engine::AllOptions options;
    options.create_if_missing = true;
    options.merge_operator = std::make_shared<Join<Engine>>();
    typename Engine::WithTtl* opened = nullptr;
    const auto status = Engine::WithTtl::Open(options, directory, &opened, ttl);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(opened);
  }
  void Put(const std::string& key, const std::string& value) {
    EXPECT_TRUE(db_->Put(typename Engine::Write(), key, value).ok());
  }
  void Merge(const std::string& key, const std::string& operand) {
    EXPECT_TRUE(db_->Merge(typename Engine::Write(), key, operand).ok());
  }
  std::string Get(const std::string& key) {
    std::string value;
    const auto status = db_->Get(typename Engine::Read(), key, &value);
    return status.ok() ? value : status.ToString();
  }
  void FlushAndCompact() {
    EXPECT_TRUE(db_->Flush(typename Engine::OneFlush()).ok());
    typename Engine::Compact force;
    force.bottommost_level_compaction = Engine::Bottom::kForce;
    EXPECT_TRUE(db_->CompactRange(force, nullptr, nullptr).ok());
  }

 private:
  std::unique_ptr<typename Engine::Database> db_;
};

template <typename Writer, typename Reader>
void CheckExchange() {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  {
    Opened<Writer> db(path, /*ttl=*/1000);
    db.Put("put", "1");
    db.Put("merged", "1");
    db.Merge("merged", "2");
    db.FlushAndCompact();
    db.Merge("merged", "3");
    db.Merge("operands", "1");
  }
  {
    Opened<Reader> db(path, /*ttl=*/1000);
    EXPECT_EQ(db.Get("put"), "1");
    EXPECT_EQ(db.Get("merged"), "1+2+3");
    EXPECT_EQ(db.Get("operands"), "1");
    db.Merge("operands", "2");
    db.FlushAndCompact();
    EXPECT_EQ(db.Get("put"), "1");
    EXPECT_EQ(db.Get("merged"), "1+2+3");
  }
  Opened<Writer> db(path, /*ttl=*/1000);
  EXPECT_EQ(db.Get("put"), "1");
  EXPECT_EQ(db.Get("operands"), "1+2");
}

TEST(TtlInteropTest, RocksDBReadsAndMergesTamisValues) {
  CheckExchange<OfTamis, OfRocksDB>();
}

TEST(TtlInteropTest, TamisReadsAndMergesRocksDBValues) {
  CheckExchange<OfRocksDB, OfTamis>();
}

}  // namespace
}  // namespace tamis
