// SPDX-License-Identifier: Apache-2.0
//
// A plugin that uses Tamis is loaded, unloaded and loaded again. The library,
// shared or part of the plugin, stays in memory, because its threads, its
// SIGBUS handler and the destructors of its thread_locals may run at any later
// time. An open database therefore survives, and is usable after the plugin is
// loaded again.
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <functional>
#include <future>
#include <link.h>
#include <memory>
#include <ostream>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tamis/db.h"

#include "tests/process/child.h"
#include "tests/process/footprint.h"
#include "tests/process/unload/plugin.h"
#include "tests/support/directories.h"

namespace tamis::process {
namespace {

// Ends the process with a message where something fails.
class Plugin {
 public:
  explicit Plugin(const char* path) : handle_(::dlopen(path, RTLD_NOW)) {
    if (handle_ == nullptr) Require(false, ::dlerror());
    open = Find<decltype(&PluginOpen)>("PluginOpen");
    put = Find<decltype(&PluginPut)>("PluginPut");
    has = Find<decltype(&PluginHas)>("PluginHas");
    close = Find<decltype(&PluginClose)>("PluginClose");
  }
  ~Plugin() { Require(::dlclose(handle_) == 0, "dlclose"); }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  void* Open(const std::string& directory) const {
    void* const db = open(directory.c_str());
    Require(db != nullptr, "open");
    return db;
  }

  decltype(&PluginOpen) open;
  decltype(&PluginPut) put;
  decltype(&PluginHas) has;
  decltype(&PluginClose) close;

 private:
  template <typename Function>
  Function Find(const char* name) {
    void* const found = ::dlsym(handle_, name);
    Require(found != nullptr, name);
    return reinterpret_cast<Function>(found);
  }

  void* const handle_;
};

struct Kind {
  const char* name;
  const char* plugin;
  const char* keeps_library;  // what the library is a part of
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class UnloadTest : public ::testing::TestWithParam<Kind> {
 protected:
  static const char* path() { return GetParam().plugin; }

  void ExpectKeys(int n) const {
    std::unique_ptr<DB> db;
    const Status status = DB::Open(Options(), directory_, &db);
    ASSERT_TRUE(status.ok()) << status;
    for (int i = 0; i < n; ++i) {
      std::string value;
      ASSERT_TRUE(db->Get({}, "key" + std::to_string(i), &value).ok()) << i;
    }
  }

  const TemporaryDirectory temporary_{MemoryParent()};
  const std::string directory_ = temporary_.Path("db");
};

// The thread that calls may keep the plugin loaded by thread_locals: in one
// that ends.
void InThread(const std::function<void()>& body) { std::thread(body).join(); }

bool IsMarkedNeverToUnload(const char* path) {
  void* const handle = ::dlopen(path, RTLD_NOW);
  struct link_map* map = nullptr;
  if (handle == nullptr || ::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
    ADD_FAILURE() << ::dlerror();
    return false;
  }
  bool marked = false;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FLAGS_1) {
      marked = (entry->d_un.d_val & DF_1_NODELETE) != 0;
    }
  }
  ::dlclose(handle);
  return marked;
}

TEST_P(UnloadTest, LibraryStays) {
  EXPECT_TRUE(IsMarkedNeverToUnload(GetParam().keeps_library));
  EXPECT_NE(::dlopen(GetParam().keeps_library, RTLD_NOW | RTLD_NOLOAD),
            nullptr);
}

TEST_P(UnloadTest, OpenedClosedAndUnloadedOverAndOver) {
  Child child([&] {
    constexpr int kTimes = 10;
    constexpr int kKeys = 300;
    Footprint first;
    for (int i = 0; i < kTimes; ++i) {
      {
        const Plugin plugin(path());
        void* const db = plugin.Open(directory_);
        Require(plugin.has(db, 0, i * kKeys), "has");
        Require(plugin.put(db, i * kKeys, (i + 1) * kKeys), "put");
        Require(plugin.close(db), "close");
      }
      const Footprint now = MeasureFootprint();
      if (i == 0) first = now;
      Require(now.descriptors == first.descriptors, "descriptors");
      Require(now.threads == first.threads, "threads");
    }
    return 0;
  });
  EXPECT_EQ(child.Wait(), 0);
  ExpectKeys(3000);
}

TEST_P(UnloadTest, DatabaseThatIsOpenLivesOn) {
  Child child([&] {
    void* db = nullptr;
    {
      const Plugin plugin(path());
      InThread([&] {
        db = plugin.Open(directory_);
        // Background work is under way when it is unloaded.
        Require(plugin.put(db, 0, 2000), "put");
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const Plugin again(path());
    Require(again.put(db, 2000, 3000), "put");
    Require(again.has(db, 0, 3000), "has");
    Require(again.close(db), "close");
    return 0;
  });
  EXPECT_EQ(child.Wait(), 0);
  ExpectKeys(3000);
}

TEST_P(UnloadTest, ProcessMayEndWithItOpen) {
  Child child([&] {
    {
      const Plugin plugin(path());
      InThread([&] {
        Require(plugin.put(plugin.Open(directory_), 0, 2000), "put");
      });
    }
    std::exit(0);
    return 1;
  });
  EXPECT_EQ(child.Wait(), 0);
  ExpectKeys(2000);
}

// What the thread used is destroyed at its end, when the plugin is gone.
TEST_P(UnloadTest, ThreadsThatUsedItEndLater) {
  Child child([&] {
    std::promise<void> used;
    std::promise<void> unloaded;
    auto plugin = std::make_unique<Plugin>(path());
    void* const db = plugin->Open(directory_);
    std::thread thread([&] {
      Require(plugin->put(db, 0, 1000), "put");
      Require(plugin->has(db, 0, 1000), "has");
      used.set_value();
      unloaded.get_future().wait();
    });
    used.get_future().wait();
    Require(plugin->close(db), "close");
    plugin.reset();
    unloaded.set_value();
    thread.join();
    return 0;
  });
  EXPECT_EQ(child.Wait(), 0);
  ExpectKeys(1000);
}

TEST_P(UnloadTest, ProcessForksAfterwards) {
  Child child([&] {
    void* db = nullptr;
    {
      const Plugin plugin(path());
      InThread([&] {
        db = plugin.Open(directory_);
        Require(plugin.put(db, 0, 1000), "put");
      });
    }
    const int code = RunChild([&]() -> int {
      const Plugin again(path());
      Require(!again.put(db, 1000, 1001), "a forked process may put");
      std::exit(0);
    });
    Require(code == 0, "the child ended with " + std::to_string(code));
    const Plugin again(path());
    return again.put(db, 1000, 2000) && again.close(db) ? 0 : 1;
  });
  EXPECT_EQ(child.Wait(), 0);
  ExpectKeys(2000);
}

// A SIGBUS that is none of a log's ends the process by SIGBUS: the handler is
// still there, and passes it on.
TEST_P(UnloadTest, OtherBusErrorsReachTheirHandler) {
  Child child([&] {
    {
      const Plugin plugin(path());
      InThread([&] {
        void* const db = plugin.Open(directory_);
        Require(plugin.put(db, 0, 100), "put");
        Require(plugin.close(db), "close");
      });
    }
    const std::string path = temporary_.Path("cut");
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0644);
    void* const memory =
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    Require(fd >= 0 && memory != MAP_FAILED, "mmap");
    *static_cast<volatile char*>(memory) = 1;
    return 0;
  });
  EXPECT_EQ(child.Wait(), 128 + SIGBUS);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, UnloadTest,
    ::testing::Values(Kind{"LibraryInThePlugin", TAMIS_PLUGIN, TAMIS_PLUGIN},
                      Kind{"SharedLibrary", TAMIS_PLUGIN_OF_SHARED,
                           TAMIS_SHARED}),
    [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace tamis::process
