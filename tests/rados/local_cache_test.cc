// SPDX-License-Identifier: Apache-2.0
//
// Pages of tables on this machine: what is kept and found again, what happens
// when the directory is damaged, full or gone, and what a client that was
// replaced still gets of it.
#include "rados/local_cache.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/db.h"
#include "tamis/job_runner.h"
#include "tamis/rados.h"
#include "tamis/table.h"

#include "rados/rados_file_system.h"
#include "rados/volume_layout.h"
#include "tests/rados/cluster_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "tests/support/directories.h"
#include "util/base/fake_clock.h"
#include "util/base/random.h"

namespace tamis::rados {
namespace {

std::string RandomBytes(Random* random, size_t n) {
  std::string bytes(n, '\0');
  for (char& c : bytes) c = static_cast<char>(random->Uniform(256));
  return bytes;
}

class LocalCacheTest : public testing::Test {
 protected:
  std::shared_ptr<LocalCache> OpenCache(uint64_t bytes = 64 << 20) {
    std::shared_ptr<LocalCache> cache;
    EXPECT_EQ(LocalCache::Open(directory_, bytes, &cache), Status::OK());
    return cache;
  }
  std::vector<std::filesystem::path> PageFiles() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      if (entry.path().extension() == ".pages") files.push_back(entry.path());
    }
    return files;
  }
  // Inverts a byte of every file.
  void Damage(uint64_t offset) const {
    for (const auto& path : PageFiles()) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(offset));
      const char c = static_cast<char>(file.get() ^ 0x40);
      file.seekp(static_cast<std::streamoff>(offset));
      file.put(c);
    }
  }

  const TemporaryDirectory parent_;
  const std::filesystem::path directory_ = parent_.Path("cache");
  Random random_{5};
};

TEST_F(LocalCacheTest, FindsTheBytesThatItWasGiven) {
  const auto cache = OpenCache();
  const size_t size = 300'001;
  const std::string bytes = RandomBytes(&random_, size);
  const auto file = cache->OpenFile("a");
  std::vector<bool> pages(size / kPageBytes + 1);
  std::string got(size, '\0');
  for (int i = 0; i < 2000; ++i) {
    uint64_t offset = random_.Uniform(size);
    size_t n = 1 + random_.Uniform(static_cast<uint32_t>(
                       std::min<uint64_t>(size - offset, 20'000)));
    const uint64_t first = offset / kPageBytes;
    const uint64_t last = (offset + n - 1) / kPageBytes;
    bool all = true;
    for (uint64_t page = first; page <= last; ++page) all &= pages[page];
    ASSERT_EQ(file->Read(size, offset, n, got.data()), all);
    if (all) {
      ASSERT_EQ(got.substr(0, n), bytes.substr(offset, n));
    }
    if (i % 20 != 0) continue;
    // Only whole pages are added.
    for (uint64_t page = first; page <= last; ++page) {
      const uint64_t end = std::min<uint64_t>(size, (page + 1) * kPageBytes);
      if (page * kPageBytes >= offset && end <= offset + n) pages[page] = true;
    }
    file->Write(size, offset, n, bytes.data() + offset);
  }
  EXPECT_GT(cache->stats().hits, 100u);
  EXPECT_GT(cache->stats().misses, 100u);
  EXPECT_EQ(cache->stats().damaged_pages, 0u);
}

TEST_F(LocalCacheTest, WidensReadsToPages) {
  const auto widen = [](uint64_t size, uint64_t offset, size_t n) {
    WidenToPages(size, &offset, &n);
    return std::make_pair(offset, n);
  };
  EXPECT_EQ(widen(10'000, 5'000, 10),
            (std::pair<uint64_t, size_t>(4088, 4088)));
  EXPECT_EQ(widen(10'000, 4087, 2), (std::pair<uint64_t, size_t>(0, 8176)));
  EXPECT_EQ(widen(10'000, 9'999, 1), (std::pair<uint64_t, size_t>(8176, 1824)));
  EXPECT_EQ(widen(10'000, 0, 10'000), (std::pair<uint64_t, size_t>(0, 10'000)));
}

TEST_F(LocalCacheTest, KeepsPagesForTheNextProcess) {
  const std::string bytes = RandomBytes(&random_, 100'000);
  std::string got(bytes.size(), '\0');
  {
    const auto cache = OpenCache();
    const auto file = cache->OpenFile("a");
    file->Write(bytes.size(), 0, bytes.size(), bytes.data());
    std::shared_ptr<LocalCache> second;
    const Status locked = LocalCache::Open(directory_, 1 << 20, &second);
    EXPECT_TRUE(locked.IsIOError());
    EXPECT_NE(locked.ToString().find("LOCK"), std::string::npos);
  }
  const auto cache = OpenCache();
  EXPECT_GE(cache->stats().bytes, bytes.size());
  ASSERT_TRUE(
      cache->OpenFile("a")->Read(bytes.size(), 0, bytes.size(), got.data()));
  EXPECT_EQ(got, bytes);
  // Another file has none of them.
  EXPECT_FALSE(cache->OpenFile("b")->Read(bytes.size(), 0, 10, got.data()));
}

TEST_F(LocalCacheTest, UsesNoPageOfAnotherFile) {
  const auto cache = OpenCache();
  std::string bytes(10'000, 'x');
  cache->OpenFile("a")->Write(bytes.size(), 0, bytes.size(), bytes.data());
  std::filesystem::copy(directory_ / "a.pages", directory_ / "b.pages");
  EXPECT_FALSE(cache->OpenFile("b")->Read(bytes.size(), 0, 10, bytes.data()));
  EXPECT_EQ(cache->stats().damaged_pages, 1u);
}

TEST_F(LocalCacheTest, FindsEveryDamagedByte) {
  const std::string bytes = RandomBytes(&random_, 2 * kPageBytes + 100);
  for (int i = 0; i < 200; ++i) {
    const auto cache = OpenCache();
    const auto file = cache->OpenFile("a");
    file->Write(bytes.size(), 0, bytes.size(), bytes.data());
    const uint64_t at = random_.Uniform(2 * kSlotBytes + 108);
    Damage(at);
    for (uint64_t page = 0; page < 3; ++page) {
      char got = 0;
      EXPECT_EQ(file->Read(bytes.size(), page * kPageBytes, 1, &got),
                page != at / kSlotBytes);
    }
    EXPECT_EQ(cache->stats().damaged_pages, 1u);
  }
}

TEST_F(LocalCacheTest, RemovesWhatWasNotUsedForTheLongestTime) {
  const size_t size = 64 * kPageBytes;
  const std::string bytes = RandomBytes(&random_, size);
  std::string got(size, '\0');
  const auto wait = [] {  // a tick of the coarse clock
    timespec tick = {0, 12'000'000};
    ::nanosleep(&tick, nullptr);
  };
  {
    const auto cache = OpenCache(3 * 64 * kSlotBytes);
    for (const char* key : {"a", "b", "c"}) {
      cache->OpenFile(key)->Write(size, 0, size, bytes.data());
      wait();
    }
    EXPECT_TRUE(cache->OpenFile("a")->Read(size, 0, size, got.data()));
    wait();
    cache->OpenFile("d")->Write(size, 0, size, bytes.data());
    EXPECT_FALSE(cache->OpenFile("b")->Read(size, 0, size, got.data()));
    EXPECT_EQ(cache->stats().evicted_files, 1u);
    EXPECT_LE(cache->stats().bytes, 3 * 64 * kSlotBytes);
  }
  // The next process has less room, and knows the order: c, a, d.
  const auto cache = OpenCache(2 * 64 * kSlotBytes + kSlotBytes);
  EXPECT_FALSE(cache->OpenFile("c")->Read(size, 0, size, got.data()));
  EXPECT_TRUE(cache->OpenFile("a")->Read(size, 0, size, got.data()));
  EXPECT_TRUE(cache->OpenFile("d")->Read(size, 0, size, got.data()));
}

// With a quarter of the descriptors taken, files are opened by each call.
TEST_F(LocalCacheTest, LeavesDescriptorsToOthers) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit fewer = before;
  fewer.rlim_cur = 256;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &fewer), 0);
  {
    const auto cache = OpenCache();
    const std::string bytes = RandomBytes(&random_, 10'000);
    std::vector<std::shared_ptr<LocalCache::File>> files;
    for (int i = 0; i < 300; ++i) {
      files.push_back(cache->OpenFile(std::to_string(i)));
      ASSERT_NE(files.back(), nullptr);
      files.back()->Write(bytes.size(), 0, bytes.size(), bytes.data());
    }
    std::string got(bytes.size(), '\0');
    for (const auto& file : files) {
      ASSERT_TRUE(file->Read(bytes.size(), 0, bytes.size(), got.data()));
      ASSERT_EQ(got, bytes);
    }
    EXPECT_EQ(cache->stats().errors, 0u);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(LocalCacheTest, AnOpenFileIsEmptiedAndFilledAgain) {
  const auto cache = OpenCache();
  std::string bytes(10'000, 'x');
  const auto file = cache->OpenFile("a");
  file->Write(bytes.size(), 0, bytes.size(), bytes.data());
  cache->Remove("a");
  EXPECT_EQ(cache->stats().bytes, 0u);
  EXPECT_FALSE(file->Read(bytes.size(), 0, 10, bytes.data()));
  file->Write(bytes.size(), 0, bytes.size(), bytes.data());
  EXPECT_TRUE(file->Read(bytes.size(), 0, 10, bytes.data()));
}

// Clients of a volume, each with a database of the same directory.
class CachedVolumeTest : public LocalCacheTest {
 protected:
  struct Process {
    SimulatedClient* client = nullptr;
    std::shared_ptr<Volume> volume;
    Options options;
    std::unique_ptr<DB> db;

    RadosCacheStats stats() const {
      RadosCacheStats stats;
      EXPECT_TRUE(GetRadosCacheStats(*options.file_system, &stats));
      return stats;
    }
  };

  Process Start(uint64_t cache_bytes = 64 << 20) {
    Process process;
    Volume::Options volume = SimulatedVolume(clock_);
    volume.cache = OpenCache(cache_bytes);
    volume.ownership.take_over = true;
    auto client = std::make_unique<SimulatedClient>(
        &cluster_, "client" + std::to_string(++clients_));
    process.client = client.get();
    client->SetHook([this](const std::string& call, const ObjectName& object) {
      if (call == "read" && object.pool == Pool::kTables) ++table_reads_;
      return StoreResult();
    });
    process.volume = std::make_shared<Volume>(std::move(client), volume);
    process.options.file_system = std::make_shared<RadosFileSystem>(
        process.volume, /*flush_waits=*/false);
    process.options.clock = clock_;
    process.options.job_runner = NewDeterministicJobRunner(1);
    process.options.create_if_missing = true;
    process.options.write_buffer_size = 64 << 10;
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    process.options.table_factory.reset(NewBlockBasedTableFactory(table));
    EXPECT_EQ(DB::Open(process.options, "/db", &process.db), Status::OK());
    return process;
  }
  std::map<std::string, std::string> Fill(DB* db) {
    std::map<std::string, std::string> model;
    for (int i = 0; i < 3000; ++i) {
      const std::string key =
          "key" + std::to_string(100'000 + random_.Uniform(2000));
      model[key] = RandomBytes(&random_, 100);
      EXPECT_EQ(db->Put({}, key, model[key]), Status::OK());
    }
    EXPECT_EQ(db->CompactRange({}, nullptr, nullptr), Status::OK());
    return model;
  }
  void ExpectAll(DB* db, const std::map<std::string, std::string>& model) {
    std::vector<Slice> keys;
    for (const auto& [key, value] : model) {
      std::string got;
      ASSERT_EQ(db->Get({}, key, &got), Status::OK());
      EXPECT_EQ(got, value);
      keys.emplace_back(key);
    }
    std::vector<std::string> values;
    for (const Status& status : db->MultiGet(ReadOptions(), keys, &values)) {
      ASSERT_EQ(status, Status::OK());
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(values[i], model.at(keys[i].ToString()));
    }
    std::unique_ptr<Iterator> it(db->NewIterator({}));
    auto expected = model.begin();
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model.end());
      EXPECT_EQ(it->key().ToString(), expected->first);
      EXPECT_EQ(it->value().ToString(), expected->second);
    }
    EXPECT_EQ(it->status(), Status::OK());
    EXPECT_EQ(expected, model.end());
  }

  SimulatedCluster cluster_{1};
  int clients_ = 0;
  uint64_t table_reads_ = 0;
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
};

TEST_F(CachedVolumeTest, TablesAreHereWhenTheyWereWritten) {
  Process owner = Start();
  const auto model = Fill(owner.db.get());
  ExpectAll(owner.db.get(), model);
  EXPECT_EQ(table_reads_, 0u);
  EXPECT_GT(owner.stats().hits, 1000u);
  EXPECT_EQ(owner.stats().misses, 0u);
}

TEST_F(CachedVolumeTest, TheNextProcessFindsThem) {
  std::map<std::string, std::string> model;
  {
    Process owner = Start();
    model = Fill(owner.db.get());
    ASSERT_EQ(owner.db->Close(), Status::OK());
    owner.db.reset();
  }
  {
    Process next = Start();
    ExpectAll(next.db.get(), model);
    EXPECT_EQ(table_reads_, 0u);
    next.db.reset();
  }
  // Whatever happened to the directory, the answers are right, and what is read
  // from the cluster is here again.
  for (uint64_t offset = 0; offset < 200'000; offset += 7'919) Damage(offset);
  Process last = Start();
  ExpectAll(last.db.get(), model);
  EXPECT_GT(last.stats().damaged_pages, 10u);
  const uint64_t reads = table_reads_;
  EXPECT_GT(reads, 10u);
  for (const auto& [key, value] : model) {
    std::string got;
    ASSERT_EQ(last.db->Get({}, key, &got), Status::OK());
  }
  EXPECT_EQ(table_reads_, reads);
}

TEST_F(CachedVolumeTest, AnswersAreRightWithTooLittleRoom) {
  Process owner = Start(/*cache_bytes=*/3 * kSlotBytes);
  const auto model = Fill(owner.db.get());
  ExpectAll(owner.db.get(), model);
  EXPECT_GT(table_reads_, 100u);
  EXPECT_GT(owner.stats().evicted_files, 10u);
}

TEST_F(CachedVolumeTest, AnswersAreRightWithoutADirectory) {
  Process owner = Start();
  std::filesystem::remove_all(directory_);
  const auto model = Fill(owner.db.get());
  ExpectAll(owner.db.get(), model);
  EXPECT_GT(owner.stats().errors, 0u);
}

TEST_F(CachedVolumeTest, PagesGoWithTheirTable) {
  Process owner = Start();
  Fill(owner.db.get());
  const auto tables = [&] {
    std::vector<std::string> names;
    EXPECT_EQ(owner.options.file_system->GetChildren("/db", &names),
              Status::OK());
    return std::count_if(names.begin(), names.end(), [](const auto& name) {
      return name.ends_with(".sst");
    });
  };
  owner.volume->Tend();
  EXPECT_EQ(PageFiles().size(), static_cast<size_t>(tables()));
}

TEST_F(CachedVolumeTest, AReplacedOwnerReadsNothing) {
  Process owner = Start();
  const auto model = Fill(owner.db.get());
  std::unique_ptr<RandomAccessFile> table;
  std::vector<std::string> names;
  ASSERT_EQ(owner.options.file_system->GetChildren("/db", &names),
            Status::OK());
  for (const std::string& name : names) {
    if (!name.ends_with(".sst")) continue;
    ASSERT_EQ(
        owner.options.file_system->NewRandomAccessFile("/db/" + name, &table),
        Status::OK());
  }
  char scratch[100];
  Slice result;
  ASSERT_EQ(table->Read(0, 100, &result, scratch), Status::OK());
  SimulatedClient other(&cluster_, "other");
  Ownership ownership(&other, "v", {1, /*take_over=*/true, false}, [] {});
  ASSERT_EQ(ownership.Acquire("/db/LOCK"), Status::OK());
  owner.volume->Tend();
  EXPECT_TRUE(table->Read(0, 100, &result, scratch).IsIOFenced());
  FSReadRequest request;
  request.len = 100;
  request.scratch = scratch;
  const auto pending = table->StartRead(&request);
  ASSERT_NE(pending, nullptr);
  pending->Finish();
  EXPECT_TRUE(request.status.IsIOFenced());
}

}  // namespace
}  // namespace tamis::rados
