// SPDX-License-Identifier: Apache-2.0
//
// An ObjectStore is one client of a RADOS cluster, with what the file system
// uses of it: objects in three pools, of bytes, attributes and a map, which
// change atomically, and a lease. The cluster stores a change on the devices of
// several machines before it answers.
//
// Changes of one object happen in the order in which this client sent them.
// Those of different objects may happen in any order. A change without an
// answer (kUnknown) may have happened, may never happen, and may still happen
// at any later time.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rados/object_write.h"

namespace tamis::rados {

enum class Pool : uint8_t {
  kNames,   // replicated: has the objects with a map
  kLogs,    // replicated: logs, MANIFESTs, small files
  kTables,  // may be erasure-coded
};

struct ObjectName {
  Pool pool = Pool::kNames;
  std::string name;

  auto operator<=>(const ObjectName&) const = default;
};

enum class StoreCode : uint8_t {
  kOk,
  kNotFound,     // no such object, attribute or entry
  kExists,       // the object to create does
  kUnequal,      // a condition does not hold; nothing was changed
  kLocked,       // another client has the lease
  kBlocklisted,  // the cluster takes no more changes from this client
  kNoSpace,
  kUnknown,  // no answer in time
  kFailed,   // any other error; nothing was changed
};

struct [[nodiscard]] StoreResult {
  StoreCode code = StoreCode::kOk;
  std::string message;  // of an error; for people

  bool ok() const { return code == StoreCode::kOk; }
};

// Who has a lease.
struct LeaseHolder {
  std::string client;  // the cluster's name of the client
  std::string cookie;
};

// A watch of an object, which ends when this is destroyed; that waits for a
// call that is running.
class StoreWatch {
 public:
  virtual ~StoreWatch() = default;
  // Returns false if the cluster may have forgotten it, and notified others
  // without it.
  virtual bool IsAlive() const = 0;
  // Answers the notifications that have come.
  virtual void Answer() = 0;
};

class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  virtual StoreResult Apply(const ObjectName& object,
                            const ObjectWrite& write) = 0;
  // Does the same without waiting. `done` is called once, by any thread, maybe
  // before this returns. It must not throw, nor wait for another change.
  virtual void ApplyAsync(const ObjectName& object, const ObjectWrite& write,
                          std::function<void(StoreResult)> done) = 0;
  // Finishes one change or read that does not wait, where the store has no
  // threads that do so. Returns whether it did.
  virtual bool FinishOne() { return false; }

  // Reads up to n bytes to `to`, and sets *got to their number. Fewer mean the
  // end of the object.
  virtual StoreResult Read(const ObjectName& object, uint64_t offset, size_t n,
                           char* to, size_t* got) = 0;
  // Does the same without waiting. `done` gets the number of bytes; what is
  // said of ApplyAsync holds.
  virtual void ReadAsync(const ObjectName& object, uint64_t offset, size_t n,
                         char* to,
                         std::function<void(StoreResult, size_t)> done) = 0;
  // Sets *size to the bytes of the object.
  virtual StoreResult GetSize(const ObjectName& object, uint64_t* size) = 0;
  virtual StoreResult GetAttribute(const ObjectName& object,
                                   const std::string& attribute,
                                   std::string* value) = 0;
  virtual StoreResult GetEntry(const ObjectName& object, const std::string& key,
                               std::string* value) = 0;
  // Sets *entries to those whose key begins with `prefix`, in order.
  virtual StoreResult GetEntries(
      const ObjectName& object, const std::string& prefix,
      std::map<std::string, std::string>* entries) = 0;
  // Sets *names to the objects of the pool whose name begins with `prefix`.
  // Looks at all objects of the pool.
  virtual StoreResult ListObjects(Pool pool, const std::string& prefix,
                                  std::vector<std::string>* names) = 0;

  // Takes the lease of an object, or renews it if this client has it under the
  // cookie. It ends after `seconds`, by the cluster's clocks.
  virtual StoreResult TakeLease(const ObjectName& object,
                                const std::string& cookie,
                                uint32_t seconds) = 0;
  virtual StoreResult ReleaseLease(const ObjectName& object,
                                   const std::string& cookie) = 0;
  // kNotFound: nobody has it.
  virtual StoreResult GetLeaseHolder(const ObjectName& object,
                                     LeaseHolder* holder) = 0;
  virtual StoreResult BreakLease(const ObjectName& object,
                                 const LeaseHolder& holder) = 0;

  // Calls `changed` at each notification of the object, from any thread. It
  // must not throw, nor wait. StoreWatch::Answer is to be called later.
  virtual StoreResult Watch(const ObjectName& object,
                            std::function<void()> changed,
                            std::unique_ptr<StoreWatch>* watch) = 0;
  // Notifies those who watch the object, without waiting. `done` gets how many
  // have answered, once all have or a second has passed; what is said of
  // ApplyAsync holds.
  virtual void NotifyAsync(
      const ObjectName& object,
      std::function<void(StoreResult, size_t watches)> done) = 0;

  // Returns what Blocklist needs of this client.
  virtual std::string address() const = 0;
  // Has the cluster refuse all that the client at the address sends.
  virtual StoreResult Blocklist(const std::string& address) = 0;

  // Waits before a call is made again: longer with each attempt, from 0.
  virtual void WaitToRetry(uint32_t attempt) = 0;
};

// For callers that wait as long as the cluster has no answer.
inline constexpr auto kNeverEnds = [] { return false; };

// Makes the call until there is an answer, or `ends()` is true.
template <typename Call, typename Ends>
StoreResult RetryUntilKnown(ObjectStore* store, const Call& call, Ends ends) {
  for (uint32_t attempt = 0;; ++attempt) {
    StoreResult result = call();
    if (result.code != StoreCode::kUnknown || ends()) return result;
    store->WaitToRetry(attempt);
  }
}

}  // namespace tamis::rados
