// SPDX-License-Identifier: Apache-2.0
//
// The client of tests/cluster/drill.py: a database on a volume of a cluster.
//
//   drill conformance <ceph.conf>
//     compares the cluster with rados/object_store.h
//   drill write <ceph.conf> <volume> <acks> <name> [take_over] [no_blocklist]
//     four threads write synced keys of this name until the process is killed
//     or fenced; a key that was acknowledged becomes a line of the file <acks>
//   drill verify <ceph.conf> <volume> <acks>...
//     takes the volume over; all that was acknowledged must be there
//
// Exit: 0 right; 1 wrong or failed; 2 misused; 3 fenced.
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tamis/db.h"
#include "tamis/rados.h"
#include "tamis/table.h"

#include "rados/librados_store.h"
#include "tests/rados/store_conformance.h"
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

Status OpenDatabase(const RadosOptions& rados, std::unique_ptr<DB>* db) {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 1 << 20;
  options.level0_file_num_compaction_trigger = 2;
  Status status = NewRadosFileSystem(rados, &options.file_system);
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

int Write(const RadosOptions& rados, const char* acks,
          const std::string& name) {
  const int file = ::open(acks, O_WRONLY | O_APPEND | O_CREAT, 0644);
  std::unique_ptr<DB> db;
  const Status opened = OpenDatabase(rados, &db);
  if (!opened.ok()) return Fail("open", opened);
  std::cout << "open" << std::endl;
  std::vector<Status> ends(kThreads);
  std::vector<std::thread> threads;
  WriteOptions synced;
  synced.sync = true;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; ends[t].ok(); ++i) {
        const std::string key =
            name + "-" + std::to_string(t) + "-" + std::to_string(i);
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
  const Status opened = OpenDatabase(rados, &db);
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

int Run(const std::vector<std::string>& arguments) {
  const std::string act = arguments.empty() ? "" : arguments[0];
  if (act == "conformance" && arguments.size() == 2) {
    return Conform(arguments[1].c_str());
  }
  if (arguments.size() < 4) return 2;
  RadosOptions rados =
      ClusterOptions(arguments[1].c_str(), arguments[2].c_str());
  if (act == "verify") {
    rados.take_over = true;
    return Verify(rados, {arguments.begin() + 3, arguments.end()});
  }
  if (act != "write" || arguments.size() < 5) return 2;
  for (size_t i = 5; i < arguments.size(); ++i) {
    if (arguments[i] == "take_over") rados.take_over = true;
    if (arguments[i] == "no_blocklist") rados.blocklist = false;
  }
  return Write(rados, arguments[3].c_str(), arguments[4]);
}

}  // namespace
}  // namespace tamis::rados

int main(int argc, char** argv) {
  return tamis::rados::Run({argv + 1, argv + argc});
}
