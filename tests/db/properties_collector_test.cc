// SPDX-License-Identifier: Apache-2.0
//
// Collectors of table properties: which tables and entries they see, and that a
// collector that fails harms no table.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/listener.h"
#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"
#include "tamis/table_properties_collector.h"

#include "tests/db/joiner.h"
#include "tests/db/test_db.h"

namespace tamis {
namespace {

enum class Failure {
  kNone,
  kCreate,
  kAdd,
  kAddThrows,
  kBlockThrows,
  kFinish,
  kFinishThrows
};

// Writes down the entries: "a=1@3 b-@4".
class Scribe : public TablePropertiesCollector {
 public:
  explicit Scribe(Failure failure) : failure_(failure) {}
  const char* Name() const override { return "test.Scribe"; }
  Status AddUserKey(const Slice& key, const Slice& value, EntryType type,
                    SequenceNumber seq, uint64_t file_size) override {
    if (failure_ == Failure::kAdd) return Status::Corruption("not this");
    if (failure_ == Failure::kAddThrows) throw std::runtime_error("not this");
    entries_ += (entries_.empty() ? "" : " ") + key.ToString() + "=-~+:"[type] +
                value.ToString() + "@" + std::to_string(seq);
    EXPECT_GE(file_size, file_size_);
    file_size_ = file_size;
    return Status::OK();
  }
  void BlockAdd(uint64_t raw, uint64_t fast, uint64_t slow) override {
    if (failure_ == Failure::kBlockThrows) throw std::runtime_error("not this");
    EXPECT_EQ(fast + slow, 0u);
    ++blocks_;
    block_bytes_ += raw;
    constexpr uint64_t kTrailerBytes = 5;
    EXPECT_EQ(block_bytes_ + (blocks_ - 1) * kTrailerBytes, file_size_);
  }
  Status Finish(UserCollectedProperties* properties) override {
    EXPECT_TRUE(properties->empty());
    (*properties)["test.blocks"] = std::to_string(blocks_);
    (*properties)["test.entries"] = entries_;
    (*properties)["rocksdb.num.entries"] = "not mine";
    (*properties)["tamis.creator"] = "nor this";
    if (failure_ == Failure::kFinish) return Status::Corruption("not now");
    if (failure_ == Failure::kFinishThrows) throw std::runtime_error("not now");
    return Status::OK();
  }
  UserCollectedProperties GetReadableProperties() const override {
    return {{"entries", "of " + std::to_string(entries_.size()) + " bytes"}};
  }

 private:
  const Failure failure_;
  std::string entries_;
  uint64_t file_size_ = 0;
  uint64_t blocks_ = 0;
  uint64_t block_bytes_ = 0;
};

class ScribeFactory : public TablePropertiesCollectorFactory {
 public:
  const char* Name() const override { return "test.ScribeFactory"; }
  TablePropertiesCollector* CreateTablePropertiesCollector(
      Context context) override {
    contexts.push_back(context);
    if (failure == Failure::kCreate) throw std::runtime_error("none");
    return none ? nullptr : new Scribe(failure);
  }

  Failure failure = Failure::kNone;
  bool none = false;
  std::vector<Context> contexts;
};

class PropertiesCollectorTest : public DBTest {
 protected:
  PropertiesCollectorTest() {
    options_.table_properties_collector_factories = {factory_};
    options_.merge_operator = std::make_shared<Joiner>();
  }
  std::string Entries() {
    const TableProperties table = OnlyTable();
    const auto found = table.user_collected_properties.find("test.entries");
    return found == table.user_collected_properties.end() ? "none"
                                                          : found->second;
  }

  const std::shared_ptr<ScribeFactory> factory_ =
      std::make_shared<ScribeFactory>();
};

TEST_F(PropertiesCollectorTest, SeeEveryKindOfEntry) {
  Open();
  Put("a", "1");
  Delete("b");
  SingleDelete("c");
  Merge("d", "2");
  DeleteRange("e", "f");
  Flush();
  EXPECT_EQ(Entries(), "a=1@1 b-@2 c~@3 d+2@4 e:f@5");
  ASSERT_EQ(factory_->contexts.size(), 1u);
  EXPECT_EQ(factory_->contexts[0].column_family_id, 0u);
  EXPECT_EQ(factory_->contexts[0].level_at_creation, 0);
  const TableProperties table = OnlyTable();
  EXPECT_EQ(table.property_collectors_names, "[test.ScribeFactory]");
  EXPECT_EQ(table.num_entries, 5u);
  EXPECT_FALSE(table.user_collected_properties.contains("rocksdb.num.entries"));
  EXPECT_TRUE(table.readable_properties.empty());
  Reopen();
  EXPECT_EQ(Entries(), "a=1@1 b-@2 c~@3 d+2@4 e:f@5");
}

TEST_F(PropertiesCollectorTest, AreToldOfEachDataBlock) {
  Open();
  PutMany(1000);
  Flush();
  const TableProperties table = OnlyTable();
  EXPECT_GT(table.num_data_blocks, 20u);
  EXPECT_EQ(table.user_collected_properties.at("test.blocks"),
            std::to_string(table.num_data_blocks));
}

TEST_F(PropertiesCollectorTest, CompactionsMakeNewOnesAndRewritesCopyThem) {
  Open();
  Put("a", "1");
  Flush();
  Put("a", "2");
  Compact();
  EXPECT_EQ(Entries(), "a=2@0");
  EXPECT_EQ(factory_->contexts.back().level_at_creation, 1);
  const size_t made = factory_->contexts.size();
  options_.table_properties_collector_factories.clear();
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(20));
  SetTable(table);
  Reopen();
  const std::string before = LiveFiles().at(0).name;
  ASSERT_TRUE(db_->RewriteFilters({}).ok());
  ASSERT_NE(LiveFiles().at(0).name, before);
  EXPECT_EQ(Entries(), "a=2@0");
  EXPECT_EQ(factory_->contexts.size(), made);
}

TEST_F(PropertiesCollectorTest, ReplayedLogsAndWrittenFilesHaveThem) {
  Open();
  Put("a", "1");
  Reopen();
  EXPECT_EQ(Entries(), "a=1@1");
  const std::string path = "/parent/written.sst";
  SstFileWriter writer(options_);
  ASSERT_TRUE(writer.Open(path).ok());
  ASSERT_TRUE(writer.Put("k", "v").ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(factory_->contexts.back().column_family_id,
            TablePropertiesCollectorFactory::Context::kUnknownColumnFamily);
  EXPECT_EQ(factory_->contexts.back().level_at_creation, -1);
  SstFileReader reader(options_);
  ASSERT_TRUE(reader.Open(path).ok());
  EXPECT_EQ(
      reader.GetTableProperties()->user_collected_properties.at("test.entries"),
      "k=v@0");
}

TEST_F(PropertiesCollectorTest, OnesThatFailAreNamedAndHarmNoTable) {
  const struct {
    Failure failure;
    const char* says;
  } cases[] = {
      {Failure::kCreate, "collector test.ScribeFactory failed for"},
      {Failure::kAdd, "collector test.Scribe failed for"},
      {Failure::kAddThrows, "collector test.Scribe failed for"},
      {Failure::kBlockThrows, "collector test.Scribe failed for"},
      {Failure::kFinish, "collector test.Scribe failed for"},
      {Failure::kFinishThrows, "collector test.Scribe failed for"},
  };
  for (const auto& c : cases) {
    factory_->failure = c.failure;
    Open();
    Put("a", "1");
    Put("b", "1");
    Flush();
    EXPECT_EQ(Entries(), "none");
    EXPECT_EQ(LogLines(c.says).size(), 1u) << c.says;
    EXPECT_EQ(Contents(), "a=1 b=1");
    Destroy();
  }
}

TEST_F(PropertiesCollectorTest, SeveralFactoriesAndOneWithoutACollector) {
  const auto none = std::make_shared<ScribeFactory>();
  none->none = true;
  options_.table_properties_collector_factories.push_back(none);
  Open();
  Put("a", "1");
  Flush();
  EXPECT_EQ(Entries(), "a=1@1");
  EXPECT_EQ(none->contexts.size(), 1u);
  EXPECT_EQ(OnlyTable().property_collectors_names,
            "[test.ScribeFactory,test.ScribeFactory]");
}

// A collector of a Scribe's kind that wants tables with deletions compacted.
class Impatient final : public Scribe {
 public:
  using Scribe::Scribe;
  Status AddUserKey(const Slice& key, const Slice& value, EntryType type,
                    SequenceNumber seq, uint64_t file_size) override {
    deletes_ = deletes_ || type == kEntryDelete;
    return Scribe::AddUserKey(key, value, type, seq, file_size);
  }
  bool NeedCompact() const override { return deletes_; }

 private:
  bool deletes_ = false;
};

class ImpatientFactory final : public TablePropertiesCollectorFactory {
 public:
  const char* Name() const override { return "test.ImpatientFactory"; }
  TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new Impatient(Failure::kNone);
  }
};

TEST_F(PropertiesCollectorTest, ATableThatNeedsItIsCompacted) {
  options_.table_properties_collector_factories = {
      std::make_shared<ImpatientFactory>()};
  Open();
  Delete("z");
  Flush();
  RunJobs();
  EXPECT_EQ(Levels(), "1");  // there is no deeper level with tables
  Put("a", "1");
  Put("b", "1");
  Compact();
  ASSERT_EQ(Levels(), "0,1");
  Put("a", "2");
  Flush();
  RunJobs();
  EXPECT_EQ(Levels(), "1,1");  // no deletion
  // The MANIFEST remembers it.
  options_.disable_auto_compactions = true;
  Reopen();
  Delete("b");
  Flush();
  RunJobs();
  EXPECT_EQ(Levels(), "2,1");
  options_.disable_auto_compactions = false;
  options_.table_properties_collector_factories.clear();
  Reopen();
  RunJobs();
  EXPECT_EQ(Levels(), "0,1");
  EXPECT_EQ(Contents(), "a=2");
  EXPECT_EQ(Property(DB::Properties::kCompactionPending), 0u);
}

TEST_F(PropertiesCollectorTest, ListenersGetTheReadableOnes) {
  class Listener : public EventListener {
   public:
    void OnTableFileCreated(const TableFileCreationInfo& info) override {
      readable = info.table_properties.readable_properties;
    }
    UserCollectedProperties readable;
  };
  const auto listener = std::make_shared<Listener>();
  options_.listeners = {listener};
  Open();
  Put("a", "1");
  Flush();
  RunJobs();
  EXPECT_EQ(listener->readable["entries"], "of 5 bytes");
}

}  // namespace
}  // namespace tamis
