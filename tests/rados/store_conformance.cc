// SPDX-License-Identifier: Apache-2.0
#include "tests/rados/store_conformance.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace tamis::rados {

namespace {

const char* NameOf(StoreCode code) {
  constexpr const char* kNames[] = {"ok",       "not found", "exists",
                                    "unequal",  "locked",    "blocklisted",
                                    "no space", "unknown",   "failed"};
  return kNames[static_cast<size_t>(code)];
}

class Conformance {
 public:
  Conformance(ObjectStore* store, ObjectStore* other, std::string prefix)
      : store_(store), other_(other), prefix_(std::move(prefix)) {}

  std::vector<std::string> Run() {
    CheckConditions();
    CheckBytes();
    CheckEntries();
    CheckOrder();
    CheckLease();
    CheckListing();
    CheckWatches();
    // What stripes need, also of a pool that has no maps.
    pool_ = Pool::kTables;
    CheckConditions();
    CheckBytes();
    CheckOrder();
    return problems_;
  }

 private:
  void Expect(const std::string& what, StoreCode expected,
              const StoreResult& result) {
    if (result.code == expected) return;
    problems_.push_back(what + ": " + NameOf(result.code) + " (" +
                        result.message + "), and not " + NameOf(expected));
  }
  void Expect(const std::string& what, const std::string& expected,
              const std::string& found) {
    if (expected == found) return;
    problems_.push_back(what + ": \"" + found + "\", and not \"" + expected +
                        "\"");
  }
  ObjectName Object(const std::string& name) const {
    return {pool_, prefix_ + name};
  }
  StoreResult Remove(const ObjectName& object) {
    ObjectWrite remove;
    remove.Remove();
    return store_->Apply(object, remove);
  }
  std::string Attribute(const ObjectName& object, const std::string& name) {
    std::string value;
    const StoreResult got = store_->GetAttribute(object, name, &value);
    return got.ok() ? value : NameOf(got.code);
  }

  void CheckConditions();
  void CheckBytes();
  void CheckEntries();
  void CheckOrder();
  void CheckLease();
  void CheckListing();
  void CheckWatches();
  // Notifies, and returns how many have answered.
  std::string Notified(const ObjectName& object);

  ObjectStore* const store_;
  ObjectStore* const other_;
  const std::string prefix_;
  Pool pool_ = Pool::kNames;
  std::vector<std::string> problems_;
};

void Conformance::CheckConditions() {
  const ObjectName object = Object("conditions");
  ObjectWrite equal;
  equal.RequireEqual("a", "2").SetAttribute("b", "x");
  Expect("equal, no object", StoreCode::kNotFound,
         store_->Apply(object, equal));
  ObjectWrite at_most;
  at_most.RequireAtMost("a", "2").SetAttribute("b", "y");
  Expect("at most, no object", StoreCode::kNotFound,
         store_->Apply(object, at_most));
  Expect("it was not created", "not found", Attribute(object, "b"));
  ObjectWrite create;
  create.Create().SetAttribute("a", "1");
  Expect("create", StoreCode::kOk, store_->Apply(object, create));
  Expect("create again", StoreCode::kExists, store_->Apply(object, create));
  Expect("equal to another", StoreCode::kUnequal, store_->Apply(object, equal));
  Expect("nothing of it was done", "not found", Attribute(object, "b"));
  Expect("at most, less", StoreCode::kOk, store_->Apply(object, at_most));
  Expect("it was done", "y", Attribute(object, "b"));
  ObjectWrite set;
  set.SetAttribute("a", "2");
  Expect("set", StoreCode::kOk, store_->Apply(object, set));
  Expect("equal", StoreCode::kOk, store_->Apply(object, equal));
  Expect("at most, equal", StoreCode::kOk, store_->Apply(object, at_most));
  ObjectWrite more;
  more.SetAttribute("a", "3");
  Expect("set", StoreCode::kOk, store_->Apply(object, more));
  Expect("at most, more", StoreCode::kUnequal, store_->Apply(object, at_most));
  ObjectWrite absent;
  absent.RequireEqual("none", "2").SetAttribute("b", "z");
  Expect("equal, no attribute", StoreCode::kUnequal,
         store_->Apply(object, absent));
  ObjectWrite empty;
  empty.SetAttribute("a", "");
  Expect("set to nothing", StoreCode::kOk, store_->Apply(object, empty));
  Expect("it is empty", "", Attribute(object, "a"));
  // A condition behind a change that would be made: all or nothing.
  ObjectWrite both;
  both.SetAttribute("b", "late").RequireEqual("a", "5");
  Expect("a late condition", StoreCode::kUnequal, store_->Apply(object, both));
  Expect("nothing of it was done", "y", Attribute(object, "b"));
  Expect("remove", StoreCode::kOk, Remove(object));
  Expect("remove again", StoreCode::kNotFound, Remove(object));
}

void Conformance::CheckBytes() {
  const ObjectName object = Object("bytes");
  char room[32];
  size_t got = 0;
  uint64_t size = 0;
  Expect("read, no object", StoreCode::kNotFound,
         store_->Read(object, 0, 8, room, &got));
  Expect("size, no object", StoreCode::kNotFound,
         store_->GetSize(object, &size));
  ObjectWrite write;
  write.WriteBytes(4, "abcd");
  Expect("write", StoreCode::kOk, store_->Apply(object, write));
  Expect("write again", StoreCode::kOk, store_->Apply(object, write));
  Expect("size", StoreCode::kOk, store_->GetSize(object, &size));
  Expect("size", "8", std::to_string(size));
  Expect("read", StoreCode::kOk, store_->Read(object, 2, 20, room, &got));
  Expect("read", std::string("\0\0abcd", 6), std::string(room, got));
  std::mutex mutex;
  std::condition_variable changed;
  int done = 0;
  for (const ObjectName& each : {object, Object("none")}) {
    store_->ReadAsync(
        each, 2, 20, room, [&](const StoreResult& result, size_t bytes) {
          const std::lock_guard lock(mutex);
          ++done;
          const bool is_there = each.name == object.name;
          Expect("asynchronous read",
                 is_there ? StoreCode::kOk : StoreCode::kNotFound, result);
          Expect("asynchronous read", is_there ? "6" : "0",
                 std::to_string(bytes));
          changed.notify_all();
        });
    while (store_->FinishOne()) {
    }
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done > 0; });
    done = 0;
  }
  Expect("asynchronous read", std::string("\0\0abcd", 6), std::string(room, 6));
  Expect("read behind", StoreCode::kOk,
         store_->Read(object, 30, 8, room, &got));
  Expect("read behind", "0", std::to_string(got));
  Expect("remove", StoreCode::kOk, Remove(object));
}

void Conformance::CheckEntries() {
  const ObjectName object = Object("entries");
  std::map<std::string, std::string> expected;
  constexpr int kEntries = 2500;  // more than are read at once
  for (int begin = 0; begin < kEntries; begin += 500) {
    ObjectWrite write;
    for (int i = begin; i < begin + 500; ++i) {
      const std::string key = "n" + std::to_string(i);
      expected[key] = std::string(1, '\0') + std::to_string(i);
      write.SetEntry(key, expected[key]);
    }
    write.SetEntry("m", "before").SetEntry("o", "behind");
    Expect("set entries", StoreCode::kOk, store_->Apply(object, write));
  }
  std::map<std::string, std::string> found;
  Expect("get entries", StoreCode::kOk,
         store_->GetEntries(object, "n", &found));
  Expect("they are equal", "1", std::to_string(found == expected ? 1 : 0));
  ObjectWrite remove;
  remove.RemoveEntry("m").RemoveEntry("none");
  Expect("remove entries", StoreCode::kOk, store_->Apply(object, remove));
  std::string value;
  Expect("removed", StoreCode::kNotFound,
         store_->GetEntry(object, "m", &value));
  Expect("another", StoreCode::kOk, store_->GetEntry(object, "o", &value));
  Expect("another", "behind", value);
  Expect("remove", StoreCode::kOk, Remove(object));
  Expect("get entries, no object", StoreCode::kNotFound,
         store_->GetEntries(object, "n", &found));
  Expect("get entry, no object", StoreCode::kNotFound,
         store_->GetEntry(object, "o", &value));
}

// Changes of one object happen in the order in which they were sent.
void Conformance::CheckOrder() {
  const ObjectName object = Object("order");
  constexpr int kChanges = 50;
  std::mutex mutex;
  std::condition_variable changed;
  int done = 0;
  int refused = 0;
  ObjectWrite create;
  create.Create().SetAttribute("n", "0");
  Expect("create", StoreCode::kOk, store_->Apply(object, create));
  for (int i = 0; i < kChanges; ++i) {
    ObjectWrite next;
    next.RequireEqual("n", std::to_string(i))
        .SetAttribute("n", std::to_string(i + 1));
    store_->ApplyAsync(object, next, [&](const StoreResult& result) {
      const std::lock_guard lock(mutex);
      ++done;
      if (!result.ok()) ++refused;
      changed.notify_all();
    });
  }
  while (store_->FinishOne()) {
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done == kChanges; });
  Expect("refused", "0", std::to_string(refused));
  Expect("the last", std::to_string(kChanges), Attribute(object, "n"));
  Expect("remove", StoreCode::kOk, Remove(object));
}

void Conformance::CheckLease() {
  const ObjectName object = Object("lease");
  ObjectWrite create;
  create.Create();
  Expect("create", StoreCode::kOk, store_->Apply(object, create));
  LeaseHolder holder;
  Expect("no holder", StoreCode::kNotFound,
         store_->GetLeaseHolder(object, &holder));
  Expect("take", StoreCode::kOk, store_->TakeLease(object, "c", 30));
  Expect("renew", StoreCode::kOk, store_->TakeLease(object, "c", 30));
  Expect("another client", StoreCode::kLocked,
         other_->TakeLease(object, "d", 30));
  Expect("another client, same cookie", StoreCode::kLocked,
         other_->TakeLease(object, "c", 30));
  Expect("holder", StoreCode::kOk, other_->GetLeaseHolder(object, &holder));
  Expect("holder", "c", holder.cookie);
  Expect("break", StoreCode::kOk, other_->BreakLease(object, holder));
  Expect("take what was broken", StoreCode::kOk,
         other_->TakeLease(object, "d", 30));
  Expect("renew what was broken", StoreCode::kLocked,
         store_->TakeLease(object, "c", 30));
  Expect("release", StoreCode::kOk, other_->ReleaseLease(object, "d"));
  Expect("take what was released", StoreCode::kOk,
         store_->TakeLease(object, "c", 30));
  Expect("release", StoreCode::kOk, store_->ReleaseLease(object, "c"));
  Expect("release again", StoreCode::kNotFound,
         store_->ReleaseLease(object, "c"));
  Expect("remove", StoreCode::kOk, Remove(object));
}

void Conformance::CheckListing() {
  ObjectWrite create;
  create.Create();
  for (const char* name : {"list/a", "list/b"}) {
    Expect("create", StoreCode::kOk, store_->Apply(Object(name), create));
  }
  std::vector<std::string> names;
  Expect("list", StoreCode::kOk,
         store_->ListObjects(Pool::kNames, prefix_ + "list/", &names));
  Expect("list", "2", std::to_string(names.size()));
  Expect("list another pool", StoreCode::kOk,
         store_->ListObjects(Pool::kTables, prefix_ + "list/", &names));
  Expect("list another pool", "0", std::to_string(names.size()));
  for (const char* name : {"list/a", "list/b"}) {
    Expect("remove", StoreCode::kOk, Remove(Object(name)));
  }
}

std::string Conformance::Notified(const ObjectName& object) {
  std::mutex mutex;
  std::condition_variable changed;
  std::string answers;
  store_->NotifyAsync(object, [&](const StoreResult& result, size_t watches) {
    const std::lock_guard lock(mutex);
    answers = result.ok() ? std::to_string(watches) : NameOf(result.code);
    changed.notify_all();
  });
  while (store_->FinishOne()) {
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return !answers.empty(); });
  return answers;
}

void Conformance::CheckWatches() {
  const ObjectName object = Object("watched");
  std::atomic<int> calls = 0;
  const auto changed = [&calls] { ++calls; };
  std::unique_ptr<StoreWatch> watch;
  Expect("watch nothing", StoreCode::kNotFound,
         other_->Watch(object, changed, &watch));
  ObjectWrite create;
  create.Create();
  Expect("create", StoreCode::kOk, store_->Apply(object, create));
  Expect("notify nobody", "0", Notified(object));
  Expect("watch", StoreCode::kOk, other_->Watch(object, changed, &watch));
  std::atomic<bool> ends = false;
  std::thread answering([&] {
    while (!ends) {
      watch->Answer();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  Expect("watch is alive", "1", std::to_string(int{watch->IsAlive()}));
  Expect("notify one", "1", Notified(object));
  Expect("notify again", "1", Notified(object));
  Expect("calls", "2", std::to_string(calls.load()));
  ends = true;
  answering.join();
  watch.reset();
  Expect("notify none any more", "0", Notified(object));
  Expect("calls", "2", std::to_string(calls.load()));
  Expect("remove", StoreCode::kOk, Remove(object));
}

}  // namespace

std::vector<std::string> CheckObjectStore(ObjectStore* store,
                                          ObjectStore* other,
                                          const std::string& prefix) {
  return Conformance(store, other, prefix).Run();
}

}  // namespace tamis::rados
