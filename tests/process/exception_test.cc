// SPDX-License-Identifier: Apache-2.0
//
// In every call of the database the n-th allocation fails, for every n, or the
// n-th callback throws. The call returns a Status, and then:
//
//   reads       show the acknowledged writes, and nothing of the failed one
//   writes      work, or fail with the cause until Resume, which works
//   reopening   shows the acknowledged writes, and all or nothing of the failed
//               one
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/sst_file_reader.h"
#include "tamis/sst_file_writer.h"
#include "tamis/utilities/checkpoint.h"

#include "tests/failures/failures.h"
#include "tests/failures/quiet_file_system.h"
#include "tests/failures/throwing_callbacks.h"
#include "tests/support/effort.h"
#include "tests/support/simulated_file_system.h"
#include "util/base/fake_clock.h"

namespace tamis::process {
namespace {

constexpr char kDir[] = "/parent/db";
constexpr char kCopy[] = "/parent/copy";
constexpr char kTable[] = "/parent/t.sst";

const std::string kLongValue(300, 'b');

using Contents = std::map<std::string, std::string>;

std::string Key(int i) { return "key" + std::to_string(1000 + i); }

// A database in memory, on one thread. Two tables, one in level 0, and a
// memtable that holds puts, merges and a range deletion.
class Fixture {
 public:
  Fixture() {
    EXPECT_TRUE(memory_->CreateDirIfMissing("/parent").ok());
    BlockBasedTableOptions table;
    table.block_size = 256;
    table.filter_policy = std::make_shared<ThrowingFilterPolicy>();
    table.block_cache = NewLRUCache(16 << 10);
    options.create_if_missing = true;
    options.file_system = std::make_shared<QuietFileSystem>(memory_);
    options.clock = std::make_shared<FakeClock>();
    options.job_runner = NewDeterministicJobRunner(7);
    options.comparator = &comparator_;
    options.merge_operator = std::make_shared<ThrowingAppend>();
    options.prefix_extractor = std::make_shared<ThrowingPrefix>();
    options.table_factory.reset(NewBlockBasedTableFactory(table));
  }

  // With whatever families it has.
  void Open() {
    std::vector<std::string> names = {kDefaultColumnFamilyName};
    if (memory_->FileExists(std::string(kDir) + "/CURRENT").ok()) {
      ASSERT_TRUE(DB::ListColumnFamilies(options, kDir, &names).ok());
    }
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options);
    std::vector<ColumnFamilyHandle*> handles;
    const Status status = DB::Open(options, kDir, families, &handles, &db);
    ASSERT_TRUE(status.ok()) << status;
    for (ColumnFamilyHandle* handle : handles) delete handle;
  }

  void Fill() {
    Open();
    for (int i = 0; i < 20; ++i) Put(Key(i), "old" + std::to_string(i));
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
    for (int i = 10; i < 30; ++i) Put(Key(i), "new" + std::to_string(i));
    ASSERT_TRUE(db->Flush(FlushOptions()).ok());
    for (int i = 25; i < 40; ++i) Put(Key(i), "mem" + std::to_string(i));
    ASSERT_TRUE(db->Merge({}, Key(3), "m").ok());
    contents[Key(3)] += ",m";
    ASSERT_TRUE(db->DeleteRange({}, Key(5), Key(8)).ok());
    for (int i = 5; i < 8; ++i) contents.erase(Key(i));
  }

  void Put(const std::string& key, const std::string& value) {
    const Status status = db->Put({}, key, value);
    ASSERT_TRUE(status.ok()) << status;
    contents[key] = value;
  }

  // What the call that is to fail would change: applied when it says OK.
  void Expect(const std::string& key, std::optional<std::string> value) {
    change[key] = std::move(value);
  }
  Contents Changed() const {
    Contents changed = contents;
    for (const auto& [key, value] : change) {
      if (value) {
        changed[key] = *value;
      } else {
        changed.erase(key);
      }
    }
    return changed;
  }

  Contents Scan(bool backward = false) const {
    Contents found;
    const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    if (backward) {
      for (it->SeekToLast(); it->Valid(); it->Prev()) {
        found[it->key().ToString()] = it->value().ToString();
      }
    } else {
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        found[it->key().ToString()] = it->value().ToString();
      }
    }
    EXPECT_TRUE(it->status().ok()) << it->status();
    return found;
  }

  const std::shared_ptr<SimulatedFileSystem> memory_ = NewSimulatedFileSystem();
  ThrowingComparator comparator_;
  Options options;
  std::unique_ptr<DB> db;
  Contents contents;
  std::map<std::string, std::optional<std::string>> change;
};

struct Scenario {
  const char* name;
  // Before the failure is armed; the database is open and filled.
  void (*prepare)(Fixture*);
  Status (*run)(Fixture*);
};
void Nothing(Fixture*) {}
void Close(Fixture* f) { f->db.reset(); }

// A flush fails and stops writes until a Resume.
void StopWrites(Fixture* f) {
  f->memory_->SetFaultHook([](const SimulatedFileSystem::Call& call) {
    return call.path.ends_with(".sst") ? Status::IOError(call.path, "no table")
                                       : Status::OK();
  });
  EXPECT_TRUE(f->db->Flush({}).IsIOError());
  f->memory_->SetFaultHook(nullptr);
}

// The machine loses its power: the next open recovers from the log.
void Crash(Fixture* f) {
  ASSERT_TRUE(f->db->SyncWAL().ok());
  f->memory_->CutPower();
  f->db.reset();
  f->memory_->Restart(1);
}

Status ReadAll(Fixture* f, bool backward) {
  const std::unique_ptr<Iterator> it(f->db->NewIterator(ReadOptions()));
  Contents found;
  const auto take = [&] {
    const Failures::Pause pause;
    found[it->key().ToString()] = it->value().ToString();
  };
  if (backward) {
    for (it->SeekToLast(); it->Valid(); it->Prev()) take();
  } else {
    for (it->Seek(Key(2)); it->Valid(); it->Next()) take();
    if (it->status().ok()) it->SeekToFirst();
    for (; it->Valid(); it->Next()) take();
  }
  Status status = it->status();
  const Failures::Pause pause;
  if (status.ok()) {
    EXPECT_EQ(found, f->contents);
  }
  return status;
}

const Scenario kScenarios[] = {
    {"Open", Close,
     [](Fixture* f) { return DB::Open(f->options, kDir, &f->db); }},
    {"Recover", Crash,
     [](Fixture* f) { return DB::Open(f->options, kDir, &f->db); }},
    {"Create", Close,
     [](Fixture* f) {
       std::unique_ptr<DB> fresh;
       return DB::Open(f->options, "/parent/fresh", &fresh);
     }},
    {"OpenForReadOnly", Nothing,
     [](Fixture* f) {
       std::unique_ptr<DB> copy;
       return DB::OpenForReadOnly(f->options, kDir, &copy);
     }},
    {"Put", [](Fixture* f) { f->Expect(Key(50), "v50"); },
     [](Fixture* f) { return f->db->Put({}, Key(50), "v50"); }},
    {"WriteBatch",
     [](Fixture* f) {
       f->Expect(Key(1), "b1");
       f->Expect(Key(2), std::nullopt);
       f->Expect(Key(3), f->contents[Key(3)] + ",b3");
       for (int i = 20; i < 24; ++i) f->Expect(Key(i), std::nullopt);
       f->Expect(Key(60), kLongValue);
     },
     [](Fixture* f) {
       WriteBatch batch;
       Status status = batch.Put(Key(1), "b1");
       if (status.ok()) status = batch.Delete(Key(2));
       if (status.ok()) status = batch.Merge(Key(3), "b3");
       if (status.ok()) status = batch.DeleteRange(Key(20), Key(24));
       if (status.ok()) status = batch.Put(Key(60), kLongValue);
       if (!status.ok()) return status;
       WriteOptions write;
       write.sync = true;
       return f->db->Write(write, &batch);
     }},
    {"ManyPuts",
     [](Fixture* f) {
       for (int i = 100; i < 350; ++i) f->Put(Key(i), "many");
       f->Expect(Key(400), "one more");
     },
     [](Fixture* f) {
       for (int i = 0; i < 150; ++i) {
         const Status status = f->db->Put({}, Key(100 + i * 7 % 250), "many");
         if (!status.ok()) return status;
       }
       return f->db->Put({}, Key(400), "one more");
     }},
    {"Get", Nothing,
     [](Fixture* f) {
       for (int i = 0; i < 42; ++i) {
         std::string value;
         Status status = f->db->Get({}, Key(i), &value);
         const Failures::Pause pause;
         const auto expected = f->contents.find(Key(i));
         if (expected == f->contents.end() && status.IsNotFound()) continue;
         if (!status.ok()) return status;
         EXPECT_EQ(value, expected->second) << i;
       }
       return Status::OK();
     }},
    {"MultiGet", Nothing,
     [](Fixture* f) {
       constexpr size_t kKeys = 42;
       std::vector<std::string> texts;
       std::vector<Slice> keys;
       std::vector<PinnableSlice> values;
       std::vector<Status> statuses;
       {
         const Failures::Pause pause;
         values = std::vector<PinnableSlice>(kKeys);
         statuses.resize(kKeys);
         for (size_t i = 0; i < kKeys; ++i) {
           texts.push_back(Key(static_cast<int>(i)));
         }
         keys.assign(texts.begin(), texts.end());
       }
       f->db->MultiGet({}, nullptr, kKeys, keys.data(), values.data(),
                       statuses.data());
       const Failures::Pause pause;
       for (size_t i = 0; i < kKeys; ++i) {
         const auto expected = f->contents.find(texts[i]);
         if (expected == f->contents.end() && statuses[i].IsNotFound())
           continue;
         if (!statuses[i].ok()) return statuses[i];
         EXPECT_EQ(values[i].ToString(), expected->second) << i;
       }
       return Status::OK();
     }},
    {"IterateForward", Nothing,
     [](Fixture* f) { return ReadAll(f, /*backward=*/false); }},
    {"IterateBackward", Nothing,
     [](Fixture* f) { return ReadAll(f, /*backward=*/true); }},
    {"Flush", Nothing, [](Fixture* f) { return f->db->Flush({}); }},
    {"CompactRange", Nothing,
     [](Fixture* f) { return f->db->CompactRange({}, nullptr, nullptr); }},
    {"Resume", StopWrites, [](Fixture* f) { return f->db->Resume(); }},
    {"Checkpoint", Nothing,
     [](Fixture* f) {
       std::unique_ptr<Checkpoint> checkpoint;
       Status status = Checkpoint::Create(f->db.get(), &checkpoint);
       if (status.ok()) status = checkpoint->CreateCheckpoint(kCopy, 1 << 20);
       return status;
     }},
    {"CreateAndDropFamily", Nothing,
     [](Fixture* f) {
       ColumnFamilyHandle* handle = nullptr;
       Status status = f->db->CreateColumnFamily(f->options, "other", &handle);
       if (status.ok()) status = f->db->Put({}, handle, "k", "v");
       if (status.ok()) status = f->db->DropColumnFamily(handle);
       delete handle;
       return status;
     }},
    {"Close", Nothing, [](Fixture* f) { return f->db->Close(); }},
    {"Repair", Close, [](Fixture* f) { return RepairDB(kDir, f->options); }},
    {"SstFile", Nothing,
     [](Fixture* f) {
       // Constructors have no Status to return.
       std::optional<SstFileWriter> writer;
       std::optional<SstFileReader> reader;
       {
         const Failures::Pause pause;
         writer.emplace(f->options);
         reader.emplace(f->options);
       }
       Status status = writer->Open(kTable);
       for (int i = 0; i < 30 && status.ok(); ++i) {
         status = writer->Put(Key(i), "v");
       }
       if (status.ok()) status = writer->DeleteRange(Key(40), Key(50));
       if (status.ok()) status = writer->Finish();
       if (!status.ok()) return status;
       status = reader->Open(kTable);
       std::string value;
       if (status.ok()) status = reader->Get({}, Key(7), &value);
       if (!status.ok()) return status;
       const std::unique_ptr<Iterator> it(reader->NewIterator({}));
       for (it->SeekToFirst(); it->Valid(); it->Next()) {
       }
       return it->status();
     }},
};

struct Case {
  Scenario scenario;
  Failures::Kind kind;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.scenario.name << static_cast<int>(one.kind);
}

class ExceptionTest : public ::testing::TestWithParam<Case> {
 protected:
  // False: the call ended before the n-th.
  bool FailNth(uint64_t n);
  void CheckOpenDatabase(Fixture* f);
};

bool ExceptionTest::FailNth(uint64_t n) {
  const auto& [scenario, kind] = GetParam();
  Fixture f;
  f.Fill();
  scenario.prepare(&f);
  if (HasFatalFailure()) return false;
  Failures::Arm(kind, n);
  Status status;
  bool escaped = false;
  try {
    status = scenario.run(&f);
  } catch (...) {
    escaped = true;
  }
  const bool fired = Failures::Disarm();
  EXPECT_FALSE(escaped) << "an exception left the call";
  if (!fired) {
    EXPECT_TRUE(status.ok()) << status;
  }
  if (!status.ok()) {
    EXPECT_TRUE(kind == Failures::Kind::kCallback
                    ? status.ToString().find("thrown on purpose") !=
                          std::string::npos
                    : status.IsMemoryLimit())
        << status;
  }
  if (!status.ok() && std::string(scenario.name) == "Resume") {
    EXPECT_FALSE(f.db->Put({}, "y", "1").ok()) << "without a Resume";
  }
  if (status.ok()) f.contents = f.Changed();
  if (f.db != nullptr && std::string(scenario.name) != "Close") {
    CheckOpenDatabase(&f);
  }
  f.db.reset();
  if (!status.ok() && std::string(scenario.name) == "Repair") {
    // It may have set CURRENT aside: it is to be repeated.
    const Status repaired = RepairDB(kDir, f.options);
    EXPECT_TRUE(repaired.ok()) << repaired;
  }
  f.Open();
  if (HasFatalFailure()) return false;
  const Contents found = f.Scan();
  if (status.ok() || f.change.empty()) {
    EXPECT_EQ(found, f.contents);
  } else {
    // All of it or nothing of it, beside what the probe wrote.
    const bool whole = found == f.Changed();
    EXPECT_TRUE(whole || found == f.contents);
  }
  EXPECT_TRUE(f.db->Put({}, "z", "1").ok());
  EXPECT_TRUE(f.db->CompactRange({}, nullptr, nullptr).ok());
  EXPECT_TRUE(f.db->Close().ok());
  return fired && !HasFailure();
}

void ExceptionTest::CheckOpenDatabase(Fixture* f) {
  EXPECT_EQ(f->Scan(), f->contents);
  EXPECT_EQ(f->Scan(/*backward=*/true), f->contents);
  for (int i = 0; i < 70; ++i) {
    std::string value;
    const Status status = f->db->Get({}, Key(i), &value);
    const auto expected = f->contents.find(Key(i));
    if (expected == f->contents.end()) {
      EXPECT_TRUE(status.IsNotFound()) << i << " " << status;
    } else {
      EXPECT_TRUE(status.ok()) << i << " " << status;
      EXPECT_EQ(value, expected->second) << i;
    }
  }
  Status status = f->db->Put({}, "probe", "1");
  if (!status.ok()) {
    const Status resumed = f->db->Resume();
    ASSERT_TRUE(resumed.ok()) << resumed << ", after " << status;
    status = f->db->Put({}, "probe", "1");
    // From here on the failed change is nowhere.
    f->change.clear();
  }
  ASSERT_TRUE(status.ok()) << status;
  f->contents["probe"] = "1";
  EXPECT_EQ(f->Scan(), f->contents);
  EXPECT_TRUE(f->db->Flush({}).ok());
  EXPECT_EQ(f->Scan(), f->contents);
}

TEST_P(ExceptionTest, BecomesAStatusAndDamagesNothing) {
  const uint64_t stride =
      GetParam().kind == Failures::Kind::kAllocation ? Stride() : 3 * Stride();
  uint64_t tried = 0;
  for (uint64_t n = 1;; n += stride) {
    SCOPED_TRACE("failure " + std::to_string(n));
    if (!FailNth(n)) break;
    ++tried;
  }
  // A Put into a memtable with space allocates nothing.
  if (std::string(GetParam().scenario.name) != "Put") {
    EXPECT_GT(tried, 0U);
  }
  RecordProperty("failures", static_cast<int>(tried));
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  for (const Scenario& scenario : kScenarios) {
    for (const auto kind :
         {Failures::Kind::kAllocation, Failures::Kind::kAllocationsOn,
          Failures::Kind::kCallback}) {
      cases.push_back({scenario, kind});
    }
  }
  return cases;
}

std::string NameOf(const ::testing::TestParamInfo<Case>& info) {
  const char* const kinds[] = {"OneAllocation", "AllAllocations", "Callback"};
  return std::string(info.param.scenario.name) + "_" +
         kinds[static_cast<int>(info.param.kind)];
}

INSTANTIATE_TEST_SUITE_P(Calls, ExceptionTest, ::testing::ValuesIn(AllCases()),
                         NameOf);

}  // namespace
}  // namespace tamis::process
