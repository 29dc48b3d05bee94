// SPDX-License-Identifier: Apache-2.0
//
// A SimulatedCluster is a RADOS cluster in memory, and each client of it an
// ObjectStore. Messages go wrong as they do in a network, by a seed:
//
//   an answer is lost       the change took effect, the client does not know
//   a request is delayed    the client has no answer; the change arrives later,
//                           while any client works, or never
//   a request arrives twice at once, and again later
//   changes are reordered   those of different objects that are under way
//   a notification is lost  with its answer
//
// A client can be cut off. Its calls then fail, but the cluster still receives
// what it sends, late, as if its process had been stopped and continued.
//
// Time passes only by Advance. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rados/object_store.h"
#include "util/base/random.h"

namespace tamis::rados {

// One message in n has the fault, where n is the field; 0: none has.
struct Unreliability {
  uint32_t lost_answers = 0;
  uint32_t delayed_requests = 0;
  uint32_t repeated_requests = 0;
};

class SimulatedCluster {
 public:
  struct Object {
    std::string bytes;
    std::map<std::string, std::string> attributes;
    std::map<std::string, std::string> entries;
  };

  explicit SimulatedCluster(uint64_t seed) : random_(seed) {}
  SimulatedCluster(const SimulatedCluster&) = delete;
  SimulatedCluster& operator=(const SimulatedCluster&) = delete;

  // From here on, of all clients.
  void SetUnreliability(const Unreliability& unreliability) {
    unreliability_ = unreliability;
  }
  // Without, every condition holds: what a cluster would be without epochs.
  void SetChecksConditions(bool checks) { checks_conditions_ = checks; }
  void Advance(uint64_t seconds) { now_ += seconds; }
  // Without, notifications have no answer until this is set again.
  void SetReadersAnswer(bool answer);
  // Forgets who watches, as a cluster does that did not reach a client.
  void ForgetWatches() { watches_.clear(); }
  // Lets all delayed requests arrive.
  void LetDelayedArrive();
  // How many requests arrived late, and how many of them were refused.
  uint64_t late() const { return late_; }
  uint64_t late_refused() const { return late_refused_; }

  std::map<ObjectName, Object>& objects() { return objects_; }
  const std::map<ObjectName, Object>& objects() const { return objects_; }
  bool IsBlocklisted(const std::string& address) const;

 private:
  friend class SimulatedClient;
  friend class SimulatedWatch;
  struct Request {
    ObjectName object;
    ObjectWrite write;
  };
  struct Lease {
    LeaseHolder holder;
    uint64_t end = 0;
  };

  StoreResult Change(const ObjectName& object, const ObjectWrite& write);
  void Delay(const ObjectName& object, const ObjectWrite& write);
  // Some delayed requests arrive.
  void LetSomeArrive();
  void Arrive(size_t index);
  bool Happens(uint32_t one_in) {
    return one_in != 0 && random_.Uniform(one_in) == 0;
  }

  Random random_;
  Unreliability unreliability_;
  bool checks_conditions_ = true;
  uint64_t now_ = 0;
  std::map<ObjectName, Object> objects_;
  std::map<ObjectName, Lease> leases_;
  // The watches of an object, and what they call.
  std::multimap<ObjectName, std::pair<const void*, std::function<void()>>>
      watches_;
  bool readers_answer_ = true;
  std::vector<std::function<void()>> unanswered_;
  std::vector<std::string> blocklist_;
  std::vector<Request> delayed_;
  uint64_t late_ = 0;
  uint64_t late_refused_ = 0;
};

class SimulatedClient final : public ObjectStore {
 public:
  // Called before each call to the cluster, with its name and object. If the
  // result is not ok, the call returns it, and does nothing.
  using Hook = std::function<StoreResult(const std::string& call,
                                         const ObjectName& object)>;

  // `cluster` must outlive the client.
  SimulatedClient(SimulatedCluster* cluster, std::string address);

  void SetHook(Hook hook) { hook_ = std::move(hook); }
  // Also what it sends later arrives, but its calls fail.
  void CutOff();

  StoreResult Apply(const ObjectName& object,
                    const ObjectWrite& write) override;
  void ApplyAsync(const ObjectName& object, const ObjectWrite& write,
                  std::function<void(StoreResult)> done) override;
  bool FinishOne() override;
  StoreResult Read(const ObjectName& object, uint64_t offset, size_t n,
                   char* to, size_t* got) override;
  void ReadAsync(const ObjectName& object, uint64_t offset, size_t n, char* to,
                 std::function<void(StoreResult, size_t)> done) override;
  StoreResult GetSize(const ObjectName& object, uint64_t* size) override;
  StoreResult GetAttribute(const ObjectName& object,
                           const std::string& attribute,
                           std::string* value) override;
  StoreResult GetEntry(const ObjectName& object, const std::string& key,
                       std::string* value) override;
  StoreResult GetEntries(const ObjectName& object, const std::string& prefix,
                         std::map<std::string, std::string>* entries) override;
  StoreResult ListObjects(Pool pool, const std::string& prefix,
                          std::vector<std::string>* names) override;
  StoreResult TakeLease(const ObjectName& object, const std::string& cookie,
                        uint32_t seconds) override;
  StoreResult ReleaseLease(const ObjectName& object,
                           const std::string& cookie) override;
  StoreResult GetLeaseHolder(const ObjectName& object,
                             LeaseHolder* holder) override;
  StoreResult BreakLease(const ObjectName& object,
                         const LeaseHolder& holder) override;
  StoreResult Watch(const ObjectName& object, std::function<void()> changed,
                    std::unique_ptr<StoreWatch>* watch) override;
  void NotifyAsync(const ObjectName& object,
                   std::function<void(StoreResult, size_t)> done) override;
  std::string address() const override { return address_; }
  // The most that were under way at once.
  size_t under_way_max() const { return under_way_max_; }
  StoreResult Blocklist(const std::string& address) override;
  void WaitToRetry(uint32_t /*attempt*/) override {}

 private:
  struct UnderWay {
    ObjectName object;
    std::optional<ObjectWrite> write;  // none: a read, which `done` does
    std::function<void(StoreResult)> done;
  };

  // What comes before every call.
  StoreResult Begin(const std::string& call, const ObjectName& object);
  // Sends a change. It may get lost on its way or back.
  StoreResult Deliver(const ObjectName& object, const ObjectWrite& write);
  // Finishes what is under way to the object.
  void FinishAllOf(const ObjectName& object);
  void Finish(size_t index);
  const SimulatedCluster::Object* Find(const ObjectName& object) const;

  SimulatedCluster* const cluster_;
  const std::string address_;
  Hook hook_;
  bool cut_off_ = false;
  std::deque<UnderWay> under_way_;
  size_t under_way_max_ = 0;
};

}  // namespace tamis::rados
