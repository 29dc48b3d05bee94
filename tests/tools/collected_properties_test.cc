// SPDX-License-Identifier: Apache-2.0
//
// tamis_sst_dump shows the properties that a user's collectors added.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "tamis/sst_file_writer.h"
#include "tamis/table_properties_collector.h"

#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

class Counter : public TablePropertiesCollector {
 public:
  const char* Name() const override { return "test.Counter"; }
  Status AddUserKey(const Slice&, const Slice&, EntryType, SequenceNumber,
                    uint64_t) override {
    ++entries_;
    return Status::OK();
  }
  Status Finish(UserCollectedProperties* properties) override {
    (*properties)["test.entries"] = std::to_string(entries_);
    return Status::OK();
  }
  UserCollectedProperties GetReadableProperties() const override { return {}; }

 private:
  int entries_ = 0;
};

class CounterFactory : public TablePropertiesCollectorFactory {
 public:
  const char* Name() const override { return "test.CounterFactory"; }
  TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new Counter;
  }
};

TEST(CollectedPropertiesTest, AreShown) {
  const TemporaryDirectory directory;
  Options options;
  options.table_properties_collector_factories.push_back(
      std::make_shared<CounterFactory>());
  const std::string path = directory.Path("table.sst");
  {
    SstFileWriter writer(options);
    ASSERT_TRUE(writer.Open(path).ok());
    for (const char* key : {"a", "b", "c"}) {
      ASSERT_TRUE(writer.Put(key, "value").ok());
    }
    ASSERT_TRUE(writer.Finish().ok());
  }
  const Outcome shown =
      RunOurs("tamis_sst_dump", {"--file=" + path, "--command=properties"});
  EXPECT_EQ(shown.exit_code, 0) << shown.text;
  EXPECT_NE(shown.text.find("\n  test.entries: 3\n"), std::string::npos)
      << shown.text;
}

}  // namespace
}  // namespace tamis
