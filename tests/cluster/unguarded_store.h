// SPDX-License-Identifier: Apache-2.0
//
// A cluster that does not compare: writes of files, and changes of names,
// happen whatever their conditions are. For a drill that must find loss.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rados/object_store.h"

namespace tamis::rados {

class UnguardedStore final : public ObjectStore {
 public:
  explicit UnguardedStore(std::unique_ptr<ObjectStore> base)
      : base_(std::move(base)) {}

  StoreResult Apply(const ObjectName& object,
                    const ObjectWrite& write) override {
    return base_->Apply(object, Unguarded(object, write));
  }
  void ApplyAsync(const ObjectName& object, const ObjectWrite& write,
                  std::function<void(StoreResult)> done) override {
    base_->ApplyAsync(object, Unguarded(object, write), std::move(done));
  }
  bool FinishOne() override { return base_->FinishOne(); }
  StoreResult Read(const ObjectName& object, uint64_t offset, size_t n,
                   char* to, size_t* got) override {
    return base_->Read(object, offset, n, to, got);
  }
  void ReadAsync(const ObjectName& object, uint64_t offset, size_t n, char* to,
                 std::function<void(StoreResult, size_t)> done) override {
    base_->ReadAsync(object, offset, n, to, std::move(done));
  }
  StoreResult GetSize(const ObjectName& object, uint64_t* size) override {
    return base_->GetSize(object, size);
  }
  StoreResult GetAttribute(const ObjectName& object,
                           const std::string& attribute,
                           std::string* value) override {
    return base_->GetAttribute(object, attribute, value);
  }
  StoreResult GetEntry(const ObjectName& object, const std::string& key,
                       std::string* value) override {
    return base_->GetEntry(object, key, value);
  }
  StoreResult GetEntries(const ObjectName& object, const std::string& prefix,
                         std::map<std::string, std::string>* entries) override {
    return base_->GetEntries(object, prefix, entries);
  }
  StoreResult ListObjects(Pool pool, const std::string& prefix,
                          std::vector<std::string>* names) override {
    return base_->ListObjects(pool, prefix, names);
  }
  StoreResult Watch(const ObjectName& object, std::function<void()> changed,
                    std::unique_ptr<StoreWatch>* watch) override {
    return base_->Watch(object, std::move(changed), watch);
  }
  void NotifyAsync(const ObjectName& object,
                   std::function<void(StoreResult, size_t)> done) override {
    base_->NotifyAsync(object, std::move(done));
  }
  StoreResult TakeLease(const ObjectName& object, const std::string& cookie,
                        uint32_t seconds) override {
    return base_->TakeLease(object, cookie, seconds);
  }
  StoreResult ReleaseLease(const ObjectName& object,
                           const std::string& cookie) override {
    return base_->ReleaseLease(object, cookie);
  }
  StoreResult GetLeaseHolder(const ObjectName& object,
                             LeaseHolder* holder) override {
    return base_->GetLeaseHolder(object, holder);
  }
  StoreResult BreakLease(const ObjectName& object,
                         const LeaseHolder& holder) override {
    return base_->BreakLease(object, holder);
  }
  std::string address() const override { return base_->address(); }
  StoreResult Blocklist(const std::string& address) override {
    return base_->Blocklist(address);
  }
  void WaitToRetry(uint32_t attempt) override { base_->WaitToRetry(attempt); }

 private:
  // Only the object of the names must still be new where it is created.
  static ObjectWrite Unguarded(const ObjectName& object,
                               const ObjectWrite& write) {
    using Kind = ObjectWrite::Kind;
    ObjectWrite rest;
    for (const ObjectWrite::Step& step : write.steps()) {
      switch (step.kind) {
        case Kind::kRequireEqual:
        case Kind::kRequireAtMost:
          break;
        case Kind::kCreate:
          if (object.pool == Pool::kNames) rest.Create();
          break;
        case Kind::kSetAttribute:
          rest.SetAttribute(step.name, step.value);
          break;
        case Kind::kWriteBytes:
          rest.WriteBytes(step.offset, step.bytes);
          break;
        case Kind::kSetEntry:
          rest.SetEntry(step.name, step.value);
          break;
        case Kind::kRemoveEntry:
          rest.RemoveEntry(step.name);
          break;
        case Kind::kRemove:
          rest.Remove();
          break;
      }
    }
    return rest;
  }

  const std::unique_ptr<ObjectStore> base_;
};

}  // namespace tamis::rados
