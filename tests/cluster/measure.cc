// SPDX-License-Identifier: Apache-2.0
//
// tamis_cluster_measure <ceph.conf> <new directory>: what calls of a database
// on a cluster take, beside what the cluster takes for the same bytes, and a
// database in the directory for the same calls, in turns within one run. Prints
// medians over rounds, with the least and the most.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <iostream>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tamis/db.h"
#include "tamis/rados.h"
#include "tamis/table.h"

#include "rados/librados_store.h"
#include "tests/support/kept_lines.h"
#include "util/base/random.h"

namespace tamis::rados {
namespace {

constexpr int kRounds = 5;
constexpr int kPuts = 200;
constexpr int kValueBytes = 1000;
constexpr int kReads = 200;
constexpr int kPieceBytes = 4 << 20;
constexpr int kLocalReads = 20'000;
constexpr int kTurns = 10;  // of reads here, in each round
// As many as a database of 100 GB has, of 64 MiB each.
constexpr int kTables = 1600;
constexpr int kEntriesOfTable = 100;
constexpr auto kFollowed = std::chrono::seconds(5);

double Seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

void Must(const Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << std::endl;
  std::exit(1);
}
void Must(const StoreResult& result) {
  if (result.ok()) return;
  std::cerr << result.message << std::endl;
  std::exit(1);
}

RadosOptions ClusterOptions(const char* config) {
  RadosOptions options;
  options.config_file = config;
  options.names_pool = "names";
  options.log_pool = "logs";
  options.table_pool = "tables";
  options.volume = "measure";
  options.take_over = true;
  return options;
}

// Values of one quantity, a round each.
class Samples {
 public:
  void Add(double value) { values_.push_back(value); }
  double Median() {
    std::sort(values_.begin(), values_.end());
    return values_[values_.size() / 2];
  }
  void Print(const char* what, const char* unit) {
    const double median = Median();
    std::printf("%-34s %10.2f %s [%.2f .. %.2f]\n", what, median, unit,
                values_.front(), values_.back());
  }

 private:
  std::vector<double> values_;
};

class Measurement {
 public:
  Measurement(const char* config, std::string directory)
      : rados_(ClusterOptions(config)), directory_(std::move(directory)) {
    Must(NewLibradosStore(rados_, &store_));
  }

  int Run() {
    OpenLocal();
    FillMany();
    for (int round = 0; round < kRounds; ++round) {
      TakeOver();
      RawWrites(round);
      GuardedWrites(round, 1, 1, &guarded_[0]);
      GuardedWrites(round, 4, 1, &guarded_[1]);
      GuardedWrites(round, 4, 4, &guarded_[2]);
      for (const int writers : {1, 8, 64}) SyncedPuts(writers);
      RawBulk(round);
      Bulk(round);
      Reads(round);
      for (int i = 0; i < kTurns; ++i) {
        const double local = LocalReads(local_.get());
        const double cached = LocalReads(cached_.get());
        local_get_.Add(local);
        cached_get_.Add(cached);
        cached_to_local_.Add(cached / local);
      }
      Follow("count" + std::to_string(round));
      OpenMany();
    }
    raw_write_.Print("raw write of 1,000 bytes", "ms");
    guarded_[0].Print("guarded writes, one at a time", "/ms");
    guarded_[1].Print("4 under way, one object", "/ms");
    guarded_[2].Print("4 under way, four objects", "/ms");
    puts_[0].Print("synced Put, 1 writer", "ms");
    puts_[1].Print("synced Puts, 8 writers", "/ms");
    puts_[2].Print("synced Puts, 64 writers", "/ms");
    raw_bulk_.Print("raw, pieces of 4 MiB, 8 at once", "MiB/s");
    bulk_.Print("fill and flush, no log", "MiB/s");
    raw_read_.Print("raw read of 4 KiB", "ms");
    raw_at_once_.Print("100 raw reads of 4 KiB at once", "ms");
    get_.Print("Get, not cached", "ms");
    multi_get_.Print("MultiGet of 100, not cached", "ms");
    open_.Print("take over and open", "ms");
    local_get_.Print("Get, in a local directory", "us");
    cached_get_.Print("Get, pages on this machine", "us");
    cached_to_local_.Print("the same, to the local one", "");
    open_many_.Print("take over and open, 1,600 tables", "ms");
    follow_many_[0].Print("open as a follower, 1,600 tables", "ms");
    follow_many_[1].Print("the same, by one thread", "ms");
    lag_[0].Print("until a follower shows a write, p50", "ms");
    lag_[1].Print("the same, p99", "ms");
    return 0;
  }

 private:
  static Options Uncached() {
    Options options;
    options.create_if_missing = true;
    options.compression = kNoCompression;
    BlockBasedTableOptions table;
    table.no_block_cache = true;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }

  // Two databases with the same tables: in the directory, and in the cluster
  // with pages in the directory.
  void OpenLocal() {
    Must(NewPosixFileSystem()->CreateDirIfMissing(directory_));
    Must(DB::Open(Uncached(), directory_ + "/db", &local_));
    RadosOptions cached = rados_;
    cached.volume = "measure_cached";
    cached.cache_directory = directory_ + "/cache";
    Options options = Uncached();
    Must(NewRadosFileSystem(cached, &options.file_system));
    Must(DB::Open(options, "/db", &cached_));
    WriteOptions no_log;
    no_log.disableWAL = true;
    for (DB* const db : {local_.get(), cached_.get()}) {
      for (int i = 0; i < kLocalReads; ++i) {
        Must(db->Put(no_log, Key(0, i), Value(i)));
      }
      Must(db->CompactRange({}, nullptr, nullptr));
    }
  }

  RadosOptions Many() const {
    RadosOptions many = rados_;
    many.volume = "measure_many";
    return many;
  }

  void FillMany() {
    Options options = Uncached();
    options.target_file_size_base = kEntriesOfTable * (kValueBytes + 16);
    options.disable_auto_compactions = true;
    Must(NewRadosFileSystem(Many(), &options.file_system));
    std::unique_ptr<DB> db;
    Must(DB::Open(options, "/db", &db));
    WriteOptions no_log;
    no_log.disableWAL = true;
    for (int i = 0; i < kTables * kEntriesOfTable; ++i) {
      Must(db->Put(no_log, Key(0, i), Value(i)));
    }
    Must(db->CompactRange({}, nullptr, nullptr));
  }

  void OpenMany() {
    Options options = Uncached();
    options.disable_auto_compactions = true;
    std::unique_ptr<DB> db;
    open_many_.Add(1e3 * Seconds([&] {
                     Must(NewRadosFileSystem(Many(), &options.file_system));
                     Must(DB::Open(options, "/db", &db));
                   }));
    std::unique_ptr<DB> follower;
    // Only the owner creates files in the volume.
    options.info_log = std::make_shared<KeptLines>();
    for (Samples& samples : follow_many_) {
      follower.reset();
      samples.Add(1e3 * Seconds([&] {
                    Must(NewRadosFileSystem(Many(), &options.file_system));
                    Must(
                        DB::OpenAsFollower(options, "/none", "/db", &follower));
                  }));
      options.max_file_opening_threads = 1;
    }
  }

  double LocalReads(DB* db) {
    Random random(1);
    std::string value;
    return Seconds([&] {
             for (int i = 0; i < kLocalReads; ++i) {
               Must(db->Get(
                   {}, Key(0, static_cast<int>(random.Uniform(kLocalReads))),
                   &value));
             }
           }) *
           1e6 / kLocalReads;
  }

  // How long after it was acknowledged a write can be read from a follower.
  void Follow(const std::string& key) {
    Options options = Uncached();
    options.info_log = std::make_shared<KeptLines>();
    Must(NewRadosFileSystem(rados_, &options.file_system));
    std::unique_ptr<DB> follower;
    Must(DB::OpenAsFollower(options, "/none", "/db", &follower));
    std::mutex mutex;
    std::vector<std::chrono::steady_clock::time_point> acknowledged;
    std::atomic<bool> ends{false};
    std::thread writer([&] {
      WriteOptions synced;
      synced.sync = true;
      const auto end = std::chrono::steady_clock::now() + kFollowed;
      for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
        Must(db_->Put(synced, key, std::to_string(i)));
        const std::lock_guard lock(mutex);
        acknowledged.push_back(std::chrono::steady_clock::now());
      }
      ends = true;
    });
    std::vector<double> lags;
    size_t seen = 0;
    while (!ends) {
      std::string value;
      if (!follower->Get({}, key, &value).ok()) continue;
      const size_t now_seen = std::stoul(value) + 1;
      if (now_seen <= seen) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      const auto now = std::chrono::steady_clock::now();
      const std::lock_guard lock(mutex);
      for (; seen < std::min(now_seen, acknowledged.size()); ++seen) {
        lags.push_back(
            std::chrono::duration<double>(now - acknowledged[seen]).count() *
            1e3);
      }
    }
    writer.join();
    if (lags.empty()) return;
    std::sort(lags.begin(), lags.end());
    lag_[0].Add(lags[lags.size() / 2]);
    lag_[1].Add(lags[lags.size() * 99 / 100]);
  }

  void TakeOver() {
    db_.reset();
    const double seconds = Seconds([&] {
      Options options = Uncached();
      Must(NewRadosFileSystem(rados_, &options.file_system));
      Must(DB::Open(options, "/db", &db_));
    });
    open_.Add(seconds * 1e3);
  }

  void RawWrites(int round) {
    const ObjectName object = {Pool::kLogs, "raw" + std::to_string(round)};
    const double seconds = Seconds([&] {
      for (int i = 0; i < kPuts; ++i) {
        ObjectWrite write;
        write.WriteBytes(static_cast<uint64_t>(i) * kValueBytes,
                         std::string(kValueBytes, 'r'));
        Must(store_->Apply(object, write));
      }
    });
    raw_write_.Add(seconds * 1e3 / kPuts);
  }

  // As the pieces of files are written: only while the object is the writer's.
  void GuardedWrites(int round, int under_way_max, int objects,
                     Samples* samples) {
    std::vector<ObjectName> names;
    for (int i = 0; i < objects; ++i) {
      names.push_back({Pool::kLogs, "guarded" + std::to_string(round) + "." +
                                        std::to_string(under_way_max) + "." +
                                        std::to_string(objects) + "." +
                                        std::to_string(i)});
      ObjectWrite create;
      create.Create().SetAttribute("writer", "1");
      Must(store_->Apply(names.back(), create));
    }
    std::mutex mutex;
    std::condition_variable changed;
    int under_way = 0;
    const double seconds = Seconds([&] {
      std::unique_lock lock(mutex);
      for (int i = 0; i < kPuts; ++i) {
        changed.wait(lock, [&] { return under_way < under_way_max; });
        ++under_way;
        ObjectWrite write;
        write.RequireEqual("writer", "1")
            .WriteBytes(static_cast<uint64_t>(i) * kValueBytes,
                        std::string(kValueBytes, 'g'));
        lock.unlock();
        store_->ApplyAsync(names[static_cast<size_t>(i % objects)], write,
                           [&](const StoreResult& result) {
                             Must(result);
                             const std::lock_guard guard(mutex);
                             --under_way;
                             changed.notify_all();
                           });
        lock.lock();
      }
      changed.wait(lock, [&] { return under_way == 0; });
    });
    samples->Add(kPuts / (seconds * 1e3));
  }

  void SyncedPuts(int writers) {
    const double seconds = Seconds([&] {
      std::vector<std::thread> threads;
      for (int t = 0; t < writers; ++t) {
        threads.emplace_back([this, t] {
          for (int i = 0; i < kPuts; ++i) {
            WriteOptions synced;
            synced.sync = true;
            Must(db_->Put(synced, std::to_string(t * kPuts + i), Value(i)));
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
    });
    const double ms = seconds * 1e3;
    if (writers == 1) puts_[0].Add(ms / kPuts);
    if (writers == 8) puts_[1].Add(writers * kPuts / ms);
    if (writers == 64) puts_[2].Add(writers * kPuts / ms);
  }

  void RawBulk(int round) {
    constexpr int kPieces = 48;
    const double seconds = Seconds([&] {
      std::vector<std::thread> threads;
      for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
          for (int i = t; i < kPieces; i += 8) {
            ObjectWrite write;
            write.WriteBytes(0, std::string(kPieceBytes, 'r'));
            Must(store_->Apply(
                {Pool::kTables, "bulk" + std::to_string(round * kPieces + i)},
                write));
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
    });
    raw_bulk_.Add(kPieces * (kPieceBytes >> 20) / seconds);
  }

  void Bulk(int round) {
    constexpr int kEntries = 192 * 1024;
    const double seconds = Seconds([&] {
      WriteOptions no_log;
      no_log.disableWAL = true;
      for (int i = 0; i < kEntries; ++i) {
        Must(db_->Put(no_log, Key(round, i), Value(i)));
      }
      Must(db_->Flush({}));
    });
    bulk_.Add(kEntries * (kValueBytes + 16.0) / (1 << 20) / seconds);
  }

  void Reads(int round) {
    Random random(1);
    char room[4096];
    size_t got = 0;
    raw_read_.Add(
        Seconds([&] {
          for (int i = 0; i < kReads; ++i) {
            Must(store_->Read(
                {Pool::kTables, "bulk" + std::to_string(random.Uniform(48))},
                4096 * random.Uniform(250), 4096, room, &got));
          }
        }) *
        1e3 / kReads);
    raw_at_once_.Add(Seconds([&] { RawReadsAtOnce(&random); }) * 1e3);
    const auto key = [&random, round] {
      return Key(round, static_cast<int>(random.Uniform(64 * 1024)));
    };
    std::string value;
    get_.Add(Seconds([&] {
               for (int i = 0; i < kReads; ++i)
                 Must(db_->Get({}, key(), &value));
             }) *
             1e3 / kReads);
    std::vector<std::string> keys;
    for (int i = 0; i < 100; ++i) keys.push_back(key());
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<std::string> values;
    multi_get_.Add(Seconds([&] {
                     for (const Status& status :
                          db_->MultiGet(ReadOptions(), slices, &values)) {
                       Must(status);
                     }
                   }) *
                   1e3);
  }

  // As many as a MultiGet's.
  void RawReadsAtOnce(Random* random) {
    constexpr int kAtOnce = 100;
    constexpr size_t kBytes = 4096;
    std::string room(kAtOnce * kBytes, '\0');
    std::latch all(kAtOnce);
    for (int i = 0; i < kAtOnce; ++i) {
      store_->ReadAsync(
          {Pool::kTables, "bulk" + std::to_string(random->Uniform(48))},
          kBytes * random->Uniform(250), kBytes,
          room.data() + static_cast<size_t>(i) * kBytes,
          [&all](const StoreResult& result, size_t /*got*/) {
            Must(result);
            all.count_down();
          });
    }
    all.wait();
  }

  // Ascending, so that no table is merged with another.
  static std::string Key(int round, int i) {
    char text[32];
    std::snprintf(text, sizeof(text), "bulk%03d-%08d", round, i);
    return text;
  }
  // A piece of bytes that do not compress.
  Slice Value(int i) const {
    return {noise_.data() + i % 1000, static_cast<size_t>(kValueBytes)};
  }
  static std::string Noise() {
    Random random(1);
    std::string noise(kValueBytes + 1000, '\0');
    for (char& c : noise) c = static_cast<char>(random.Next());
    return noise;
  }

  const RadosOptions rados_;
  const std::string directory_;
  const std::string noise_ = Noise();
  std::unique_ptr<ObjectStore> store_;
  std::unique_ptr<DB> db_;
  std::unique_ptr<DB> local_;
  std::unique_ptr<DB> cached_;
  Samples local_get_, cached_get_, cached_to_local_, lag_[2];
  Samples open_many_, follow_many_[2];
  Samples open_, raw_write_, guarded_[3], puts_[3], raw_bulk_, bulk_, raw_read_,
      raw_at_once_, get_, multi_get_;
};

}  // namespace
}  // namespace tamis::rados

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return tamis::rados::Measurement(argv[1], argv[2]).Run();
}
