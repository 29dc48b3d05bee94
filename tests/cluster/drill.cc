// SPDX-License-Identifier: Apache-2.0
//
// The client of tests/cluster/drill.py: a database on a volume of a cluster.
//
//   drill conformance <ceph.conf>
//     compares the cluster with rados/object_store.h
//   drill await_clean <ceph.conf>
//     waits until every placement group has all copies of its objects: until
//     then, the cluster may not survive the loss of another OSD
//   drill write <ceph.conf> <volume> <acks> <name> [take_over] [no_blocklist]
//               [unguarded] [no_worker]
//     four threads write synced keys of this name until the process is killed
//     or fenced; a key that was acknowledged becomes a line of the file <acks>;
//     unguarded: by a cluster that compares nothing; no_worker: another client
//     in the process does its compactions otherwise
//   drill verify <ceph.conf> <volume> <acks>...
//     takes the volume over; all that was acknowledged must be there
//   drill follow <ceph.conf> <volume> <seconds> <name>
//     a follower, which must show a growing prefix of what each thread wrote,
//     without an error; prints its lag
//   drill promote <ceph.conf> <volume> <acks> <name>
//     a follower that becomes the owner when a line comes, and then finds all
//     that was acknowledged to <name>
//
// Exit: 0 right; 1 wrong or failed; 2 misused; 3 fenced.
#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <rados/librados.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tamis/db.h"
#include "tamis/rados.h"
#include "tamis/table.h"

#include "rados/librados_store.h"
#include "rados/rados_file_system.h"
#include "tests/cluster/unguarded_store.h"
#include "tests/rados/store_conformance.h"
#include "tests/support/kept_lines.h"
#include "tests/support/worker_service.h"
#include "util/base/random.h"

namespace tamis::rados {
namespace {

constexpr size_t kThreads = 4;

RadosOptions ClusterOptions(const char* config, const char* volume) {
  RadosOptions options;
  options.config_file = config;
  options.names_pool = "names";
  options.log_pool = "logs";
  options.table_pool = "tables";
  options.volume = volume;
  options.lease_seconds = 3;
  options.trash_seconds = 5;
  return options;
}

std::string KeyOf(const std::string& name, size_t thread, uint64_t i) {
  return name + "-" + std::to_string(thread) + "-" + std::to_string(i);
}

// Each key has one value.
std::string ValueOf(const std::string& key) {
  uint64_t seed = 0;
  for (const char c : key) seed = seed * 131 + static_cast<uint8_t>(c);
  Random random(seed);
  std::string value(20 + random.Uniform(2000), '\0');
  for (char& c : value) c = static_cast<char>('a' + random.Uniform(26));
  return value;
}

int Fail(const std::string& what, const Status& status) {
  std::cout << what << ": " << status.ToString() << std::endl;
  return status.IsIOFenced() ? 3 : 1;
}

// What NewRadosFileSystem makes, but over an UnguardedStore.
Status NewUnguardedFileSystem(const RadosOptions& rados,
                              std::shared_ptr<FileSystem>* file_system) {
  std::unique_ptr<ObjectStore> store;
  const Status status = NewLibradosStore(rados, &store);
  if (!status.ok()) return status;
  *file_system = std::make_shared<RadosFileSystem>(
      std::make_shared<Volume>(
          std::make_unique<UnguardedStore>(std::move(store)),
          Volume::OptionsFrom(rados)),
      /*flush_waits=*/false);
  return status;
}

struct Setup {
  bool guarded = true;      // false: over an UnguardedStore
  bool with_worker = true;  // another client of the cluster compacts
};

Status OpenDatabase(const RadosOptions& rados, const Setup& setup,
                    std::unique_ptr<DB>* db) {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 1 << 20;
  options.level0_file_num_compaction_trigger = 2;
  Status status = setup.guarded
                      ? NewRadosFileSystem(rados, &options.file_system)
                      : NewUnguardedFileSystem(rados, &options.file_system);
  if (status.ok() && setup.with_worker) {
    const auto worker = std::make_shared<WorkerService>();
    status = NewRadosFileSystem(rados, &worker->overrides.file_system);
    options.compaction_service = worker;
  }
  return status.ok() ? DB::Open(options, "/db", db) : status;
}

int Conform(const char* config) {
  std::unique_ptr<ObjectStore> one;
  std::unique_ptr<ObjectStore> two;
  const RadosOptions options = ClusterOptions(config, "conformance");
  Status status = NewLibradosStore(options, &one);
  if (status.ok()) status = NewLibradosStore(options, &two);
  if (!status.ok()) return Fail("connect", status);
  const auto problems = CheckObjectStore(one.get(), two.get(), "conformance/");
  for (const std::string& problem : problems) std::cout << problem << "\n";
  return problems.empty() ? 0 : 1;
}

// The state of a placement group, as "active+clean".
std::string StateOf(rados_t cluster, const std::string& group) {
  const std::string text = R"({"prefix": "query", "pgid": ")" + group + "\"}";
  const char* command = text.c_str();
  char* out = nullptr;
  char* message = nullptr;
  size_t out_bytes = 0;
  size_t message_bytes = 0;
  const int returned =
      rados_pg_command(cluster, group.c_str(), &command, 1, "", 0, &out,
                       &out_bytes, &message, &message_bytes);
  const std::string json(out, out == nullptr ? 0 : out_bytes);
  rados_buffer_free(out);
  rados_buffer_free(message);
  const std::string field = "\"state\":";
  const size_t found = json.find(field);
  if (returned < 0 || found == std::string::npos) return "unknown";
  const size_t begin = json.find('"', found + field.size()) + 1;
  return json.substr(begin, json.find('"', begin) - begin);
}

int AwaitClean(const char* config) {
  constexpr int kGroups = 8;  // of a pool: cluster.sh
  rados_t cluster = nullptr;
  if (rados_create(&cluster, nullptr) < 0 ||
      rados_conf_read_file(cluster, config) < 0 || rados_connect(cluster) < 0) {
    std::cout << "cannot connect" << std::endl;
    return 1;
  }
  std::string dirty = "?";
  for (int attempt = 0; attempt < 600 && !dirty.empty(); ++attempt) {
    if (attempt > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    dirty.clear();
    for (const char* const pool : {"names", "logs", "tables"}) {
      const int64_t id = rados_pool_lookup(cluster, pool);
      for (int i = 0; i < kGroups && dirty.empty(); ++i) {
        const std::string group = std::to_string(id) + "." + std::to_string(i);
        const std::string state = StateOf(cluster, group);
        if (state != "active+clean") dirty = group + " is " + state;
      }
    }
  }
  rados_shutdown(cluster);
  std::cout << dirty << std::endl;
  return dirty.empty() ? 0 : 1;
}

int Write(const RadosOptions& rados, const Setup& setup, const char* acks,
          const std::string& name) {
  const int file = ::open(acks, O_WRONLY | O_APPEND | O_CREAT, 0644);
  std::unique_ptr<DB> db;
  const Status opened = OpenDatabase(rados, setup, &db);
  if (!opened.ok()) return Fail("open", opened);
  std::cout << "open" << std::endl;
  std::vector<Status> ends(kThreads);
  std::vector<std::thread> threads;
  WriteOptions synced;
  synced.sync = true;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; ends[t].ok(); ++i) {
        const std::string key = KeyOf(name, t, i);
        ends[t] = db->Put(synced, key, ValueOf(key));
        const std::string line = key + "\n";
        if (ends[t].ok() && ::write(file, line.data(), line.size()) < 0) return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Reads end within a lease.
  std::string value;
  Status read;
  for (int i = 0; i < 30 && !read.IsIOFenced(); ++i) {
    read = db->Get({}, name + "-0-0", &value);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (!read.IsIOFenced()) return Fail("a read after a failed write", read);
  return Fail("write", ends[0]);
}

int Verify(const RadosOptions& rados, const std::vector<std::string>& files) {
  std::unique_ptr<DB> db;
  const Status opened = OpenDatabase(rados, Setup(), &db);
  if (!opened.ok()) return Fail("open", opened);
  uint64_t acknowledged = 0;
  uint64_t lost = 0;
  uint64_t wrong = 0;
  for (const std::string& path : files) {
    std::ifstream in(path);
    for (std::string key; std::getline(in, key);) {
      std::string value;
      const Status got = db->Get({}, key, &value);
      ++acknowledged;
      if (got.IsNotFound()) {
        ++lost;
      } else if (!got.ok()) {
        return Fail("get " + key, got);
      } else if (value != ValueOf(key)) {
        ++wrong;
      }
    }
  }
  uint64_t keys = 0;
  uint64_t torn = 0;
  const std::unique_ptr<Iterator> it(db->NewIterator({}));
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++keys) {
    if (it->value().ToString() != ValueOf(it->key().ToString())) ++torn;
  }
  if (!it->status().ok()) return Fail("scan", it->status());
  const Status checksums = db->VerifyChecksum();
  if (!checksums.ok()) return Fail("checksums", checksums);
  std::cout << "acknowledged " << acknowledged << ", lost " << lost
            << ", wrong " << wrong << ", torn " << torn << ", keys " << keys
            << std::endl;
  return lost + wrong + torn == 0 ? 0 : 1;
}

// Waits until there is a database.
Status OpenFollower(const RadosOptions& rados, std::unique_ptr<DB>* db) {
  Options options;
  // Only the owner creates files in the volume.
  options.info_log = std::make_shared<KeptLines>();
  options.follower_refresh_catchup_period_ms = 20;
  Status status = NewRadosFileSystem(rados, &options.file_system);
  for (int i = 0; i < 600 && status.ok(); ++i) {
    status = DB::OpenAsFollower(options, "/none", "/db", db);
    if (status.ok()) return status;
    if (i < 599) status = Status::OK();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return status;
}

// Reads what the threads of one writer have written so far.
class Prefixes {
 public:
  Prefixes(DB* db, std::string name) : db_(db), name_(std::move(name)) {}

  // Finds the ends of the prefixes, which may only grow, and checks some keys
  // before them. Returns what is wrong; empty: nothing.
  std::string Look() {
    for (size_t t = 0; t < kThreads; ++t) {
      std::string wrong;
      if (next_[t] > 0 && !Has(t, next_[t] - 1, &wrong)) {
        return wrong.empty() ? KeyOf(name_, t, next_[t] - 1) + " is gone"
                             : wrong;
      }
      while (Has(t, next_[t], &wrong)) ++next_[t];
      if (!wrong.empty()) return wrong;
      for (int i = 0; i < 10 && next_[t] > 0; ++i) {
        const uint64_t n = random_.Next() % next_[t];
        if (!Has(t, n, &wrong)) {
          return wrong.empty() ? KeyOf(name_, t, n) + " is missing" : wrong;
        }
      }
    }
    return "";
  }
  // A scan finds what single reads found.
  std::string Scan() {
    uint64_t before = 0;
    for (const uint64_t n : next_) before += n;
    uint64_t found = 0;
    const std::unique_ptr<Iterator> it(db_->NewIterator({}));
    for (it->Seek(name_ + "-"); it->Valid(); it->Next(), ++found) {
      const std::string key = it->key().ToString();
      if (!key.starts_with(name_ + "-")) break;
      if (it->value().ToString() != ValueOf(key)) return key + " is wrong";
    }
    if (!it->status().ok()) return "scan: " + it->status().ToString();
    return found >= before ? ""
                           : "a scan finds " + std::to_string(found) + " of " +
                                 std::to_string(before);
  }
  uint64_t reads() const { return reads_; }

 private:
  bool Has(size_t thread, uint64_t i, std::string* wrong) {
    const std::string key = KeyOf(name_, thread, i);
    std::string value;
    const Status status = db_->Get({}, key, &value);
    ++reads_;
    if (status.ok() && value != ValueOf(key)) *wrong = key + " is wrong";
    if (!status.ok() && !status.IsNotFound()) *wrong = status.ToString();
    return status.ok() && wrong->empty();
  }

  DB* const db_;
  const std::string name_;
  std::vector<uint64_t> next_ = std::vector<uint64_t>(kThreads, 0);
  Random random_{1};
  uint64_t reads_ = 0;
};

int Follow(const RadosOptions& rados, int seconds, const std::string& name) {
  std::unique_ptr<DB> db;
  const Status opened = OpenFollower(rados, &db);
  if (!opened.ok()) return Fail("open", opened);
  Prefixes prefixes(db.get(), name);
  std::vector<uint64_t> lags;
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (int i = 1; std::chrono::steady_clock::now() < end; ++i) {
    std::string wrong = prefixes.Look();
    if (wrong.empty() && i % 100 == 0) wrong = prefixes.Scan();
    if (!wrong.empty()) {
      std::cout << wrong << std::endl;
      return 1;
    }
    uint64_t lag = 0;
    db->GetIntProperty(DB::Properties::kFollowerLag, &lag);
    lags.push_back(lag);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::sort(lags.begin(), lags.end());
  std::cout << "reads " << prefixes.reads() << ", lag p50 "
            << lags[lags.size() / 2] / 1000 << " ms, p99 "
            << lags[lags.size() * 99 / 100] / 1000 << " ms, longest "
            << lags.back() / 1000 << " ms" << std::endl;
  return 0;
}

int Promote(const RadosOptions& rados, const char* acks,
            const std::string& name) {
  std::unique_ptr<DB> follower;
  const Status opened = OpenFollower(rados, &follower);
  if (!opened.ok()) return Fail("open", opened);
  std::cout << "open" << std::endl;
  std::string line;
  std::getline(std::cin, line);
  const auto begin = std::chrono::steady_clock::now();
  std::unique_ptr<DB> db;
  const Status promoted = follower->Promote(&db, nullptr);
  if (!promoted.ok()) return Fail("promote", promoted);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begin);
  std::ifstream in(acks);
  uint64_t n = 0;
  for (std::string key; std::getline(in, key); ++n) {
    std::string value;
    const Status got = db->Get({}, key, &value);
    if (!got.ok()) return Fail("get " + key, got);
    if (value != ValueOf(key)) return Fail("get " + key, Status::Corruption());
  }
  WriteOptions synced;
  synced.sync = true;
  const Status put =
      db->Put(synced, name + "-promoted", ValueOf(name + "-promoted"));
  if (!put.ok()) return Fail("put", put);
  std::cout << "promoted in " << took.count() << " ms, found " << n
            << std::endl;
  return 0;
}

int Run(const std::vector<std::string>& arguments) {
  const std::string act = arguments.empty() ? "" : arguments[0];
  if (act == "conformance" && arguments.size() == 2) {
    return Conform(arguments[1].c_str());
  }
  if (act == "await_clean" && arguments.size() == 2) {
    return AwaitClean(arguments[1].c_str());
  }
  if (arguments.size() < 4) return 2;
  RadosOptions rados =
      ClusterOptions(arguments[1].c_str(), arguments[2].c_str());
  if (act == "verify") {
    rados.take_over = true;
    return Verify(rados, {arguments.begin() + 3, arguments.end()});
  }
  if (arguments.size() < 5) return 2;
  if (act == "follow") {
    return Follow(rados, std::stoi(arguments[3]), arguments[4]);
  }
  if (act == "promote") {
    rados.take_over = true;
    return Promote(rados, arguments[3].c_str(), arguments[4]);
  }
  if (act != "write") return 2;
  Setup setup;
  for (size_t i = 5; i < arguments.size(); ++i) {
    if (arguments[i] == "take_over") rados.take_over = true;
    if (arguments[i] == "no_blocklist") rados.blocklist = false;
    if (arguments[i] == "unguarded") setup = {false, false};
    if (arguments[i] == "no_worker") setup.with_worker = false;
  }
  return Write(rados, setup, arguments[3].c_str(), arguments[4]);
}

}  // namespace
}  // namespace tamis::rados

int main(int argc, char** argv) {
  return tamis::rados::Run({argv + 1, argv + argc});
}
