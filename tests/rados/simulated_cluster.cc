// SPDX-License-Identifier: Apache-2.0
#include "tests/rados/simulated_cluster.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace tamis::rados {

namespace {

using Object = SimulatedCluster::Object;
using Kind = ObjectWrite::Kind;

StoreResult Refused(StoreCode code, const char* why) { return {code, why}; }

// One step of a change, on a copy of the object; nullopt: there is none.
StoreResult TakeStep(const ObjectWrite::Step& step, bool checks_conditions,
                     std::optional<Object>* object) {
  const bool is_condition =
      step.kind == Kind::kRequireEqual || step.kind == Kind::kRequireAtMost;
  if (is_condition || step.kind == Kind::kRemove) {
    if (!object->has_value()) return Refused(StoreCode::kNotFound, "missing");
  }
  if (step.kind == Kind::kCreate && object->has_value()) {
    return Refused(StoreCode::kExists, "it exists");
  }
  if (!is_condition && !object->has_value()) object->emplace();
  switch (step.kind) {
    case Kind::kRequireEqual:
    case Kind::kRequireAtMost: {
      const auto found = (*object)->attributes.find(step.name);
      const std::string value =
          found == (*object)->attributes.end() ? "" : found->second;
      const bool holds = step.kind == Kind::kRequireEqual ? value == step.value
                                                          : value <= step.value;
      if (!holds && checks_conditions)
        return Refused(StoreCode::kUnequal, "a condition");
      break;
    }
    case Kind::kCreate:
      break;
    case Kind::kSetAttribute:
      (*object)->attributes[step.name] = step.value;
      break;
    case Kind::kWriteBytes: {
      const std::string& written = *step.bytes;
      const size_t end = step.offset + written.size();
      std::string& bytes = (*object)->bytes;
      if (bytes.size() < end) bytes.resize(end);
      std::memcpy(bytes.data() + step.offset, written.data(), written.size());
      break;
    }
    case Kind::kSetEntry:
      (*object)->entries[step.name] = step.value;
      break;
    case Kind::kRemoveEntry:
      (*object)->entries.erase(step.name);
      break;
    case Kind::kRemove:
      object->reset();
      break;
  }
  return {};
}

}  // namespace

bool SimulatedCluster::IsBlocklisted(const std::string& address) const {
  return std::find(blocklist_.begin(), blocklist_.end(), address) !=
         blocklist_.end();
}

StoreResult SimulatedCluster::Change(const ObjectName& object,
                                     const ObjectWrite& write) {
  const auto found = objects_.find(object);
  std::optional<Object> changed;
  if (found != objects_.end()) changed = found->second;
  for (const ObjectWrite::Step& step : write.steps()) {
    StoreResult result = TakeStep(step, checks_conditions_, &changed);
    if (!result.ok()) return result;
  }
  if (changed.has_value()) {
    objects_[object] = std::move(*changed);
  } else {
    objects_.erase(object);
  }
  return {};
}

void SimulatedCluster::Delay(const ObjectName& object,
                             const ObjectWrite& write) {
  delayed_.push_back({object, write});
}

void SimulatedCluster::Arrive(size_t index) {
  const Request request = std::move(delayed_[index]);
  delayed_.erase(delayed_.begin() + static_cast<ptrdiff_t>(index));
  ++late_;
  if (!Change(request.object, request.write).ok()) ++late_refused_;
}

void SimulatedCluster::LetSomeArrive() {
  while (!delayed_.empty() && random_.OneIn(8)) {
    const size_t index = random_.Uniform(delayed_.size());
    if (random_.OneIn(8)) {  // never
      delayed_.erase(delayed_.begin() + static_cast<ptrdiff_t>(index));
    } else {
      Arrive(index);
    }
  }
}

void SimulatedCluster::SetReadersAnswer(bool answer) {
  readers_answer_ = answer;
  if (!answer) return;
  for (const auto& done : std::exchange(unanswered_, {})) done();
}

void SimulatedCluster::LetDelayedArrive() {
  while (!delayed_.empty()) Arrive(random_.Uniform(delayed_.size()));
}

SimulatedClient::SimulatedClient(SimulatedCluster* cluster, std::string address)
    : cluster_(cluster), address_(std::move(address)) {}

void SimulatedClient::CutOff() {
  cut_off_ = true;
  for (const UnderWay& each : under_way_) {
    if (each.write.has_value()) cluster_->Delay(each.object, *each.write);
  }
}

StoreResult SimulatedClient::Begin(const std::string& call,
                                   const ObjectName& object) {
  if (!cut_off_ && hook_ != nullptr) {
    StoreResult result = hook_(call, object);
    if (!result.ok()) return result;
  }
  cluster_->LetSomeArrive();
  if (cut_off_ || cluster_->IsBlocklisted(address_)) {
    return {StoreCode::kBlocklisted, "on the blocklist"};
  }
  return {};
}

StoreResult SimulatedClient::Deliver(const ObjectName& object,
                                     const ObjectWrite& write) {
  const Unreliability& how = cluster_->unreliability_;
  if (cluster_->Happens(how.delayed_requests)) {
    cluster_->Delay(object, write);
    return {StoreCode::kUnknown, "delayed"};
  }
  StoreResult result = cluster_->Change(object, write);
  if (cluster_->Happens(how.repeated_requests)) {
    cluster_->Delay(object, write);
  }
  if (cluster_->Happens(how.lost_answers)) {
    return {StoreCode::kUnknown, "the answer is lost"};
  }
  return result;
}

StoreResult SimulatedClient::Apply(const ObjectName& object,
                                   const ObjectWrite& write) {
  FinishAllOf(object);
  StoreResult begun = Begin("apply", object);
  if (begun.ok()) return Deliver(object, write);
  if (cut_off_) cluster_->Delay(object, write);
  return begun;
}

void SimulatedClient::ApplyAsync(const ObjectName& object,
                                 const ObjectWrite& write,
                                 std::function<void(StoreResult)> done) {
  const StoreResult begun = Begin("append", object);
  if (begun.ok()) {
    under_way_.push_back({object, write, std::move(done)});
    under_way_max_ = std::max(under_way_max_, under_way_.size());
    return;
  }
  if (cut_off_) cluster_->Delay(object, write);
  done(begun);
}

void SimulatedClient::Finish(size_t index) {
  const UnderWay each = std::move(under_way_[index]);
  under_way_.erase(under_way_.begin() + static_cast<ptrdiff_t>(index));
  if (!each.write.has_value()) {
    each.done({});
  } else if (cut_off_) {
    each.done({StoreCode::kBlocklisted, "cut off"});
  } else {
    each.done(Deliver(each.object, *each.write));
  }
}

bool SimulatedClient::FinishOne() {
  if (under_way_.empty()) return false;
  // The first one of an object.
  const size_t chosen = cluster_->random_.Uniform(under_way_.size());
  size_t first = 0;
  while (under_way_[first].object != under_way_[chosen].object) ++first;
  Finish(first);
  return true;
}

void SimulatedClient::FinishAllOf(const ObjectName& object) {
  for (size_t i = 0; i < under_way_.size();) {
    if (under_way_[i].object == object) {
      Finish(i);
      i = 0;
    } else {
      ++i;
    }
  }
}

const Object* SimulatedClient::Find(const ObjectName& object) const {
  const auto found = cluster_->objects_.find(object);
  return found == cluster_->objects_.end() ? nullptr : &found->second;
}

StoreResult SimulatedClient::Read(const ObjectName& object, uint64_t offset,
                                  size_t n, char* to, size_t* got) {
  *got = 0;
  FinishAllOf(object);
  StoreResult begun = Begin("read", object);
  if (!begun.ok()) return begun;
  const Object* const found = Find(object);
  if (found == nullptr) return Refused(StoreCode::kNotFound, "missing");
  if (offset >= found->bytes.size()) return {};
  *got = std::min<size_t>(n, found->bytes.size() - offset);
  std::memcpy(to, found->bytes.data() + offset, *got);
  return {};
}

// The bytes are those of when it is done.
void SimulatedClient::ReadAsync(const ObjectName& object, uint64_t offset,
                                size_t n, char* to,
                                std::function<void(StoreResult, size_t)> done) {
  const auto read = [this, object, offset, n, to,
                     done = std::move(done)](const StoreResult&) {
    size_t got = 0;
    const StoreResult result = Read(object, offset, n, to, &got);
    done(result, got);
  };
  under_way_.push_back({object, std::nullopt, read});
  under_way_max_ = std::max(under_way_max_, under_way_.size());
}

StoreResult SimulatedClient::GetSize(const ObjectName& object, uint64_t* size) {
  FinishAllOf(object);
  StoreResult begun = Begin("read", object);
  if (!begun.ok()) return begun;
  const Object* const found = Find(object);
  if (found == nullptr) return Refused(StoreCode::kNotFound, "missing");
  *size = found->bytes.size();
  return {};
}

StoreResult SimulatedClient::GetAttribute(const ObjectName& object,
                                          const std::string& attribute,
                                          std::string* value) {
  StoreResult begun = Begin("read", object);
  if (!begun.ok()) return begun;
  const Object* const found = Find(object);
  if (found == nullptr || !found->attributes.contains(attribute)) {
    return Refused(StoreCode::kNotFound, "missing");
  }
  *value = found->attributes.at(attribute);
  return {};
}

StoreResult SimulatedClient::GetEntry(const ObjectName& object,
                                      const std::string& key,
                                      std::string* value) {
  StoreResult begun = Begin("read", object);
  if (!begun.ok()) return begun;
  const Object* const found = Find(object);
  if (found == nullptr || !found->entries.contains(key)) {
    return Refused(StoreCode::kNotFound, "missing");
  }
  *value = found->entries.at(key);
  return {};
}

StoreResult SimulatedClient::GetEntries(
    const ObjectName& object, const std::string& prefix,
    std::map<std::string, std::string>* entries) {
  entries->clear();
  StoreResult begun = Begin("read", object);
  if (!begun.ok()) return begun;
  const Object* const found = Find(object);
  if (found == nullptr) return Refused(StoreCode::kNotFound, "missing");
  for (auto it = found->entries.lower_bound(prefix);
       it != found->entries.end() && it->first.starts_with(prefix); ++it) {
    entries->insert(*it);
  }
  return {};
}

StoreResult SimulatedClient::ListObjects(Pool pool, const std::string& prefix,
                                         std::vector<std::string>* names) {
  names->clear();
  StoreResult begun = Begin("read", {pool, prefix});
  if (!begun.ok()) return begun;
  for (const auto& [name, object] : cluster_->objects_) {
    if (name.pool == pool && name.name.starts_with(prefix)) {
      names->push_back(name.name);
    }
  }
  return {};
}

StoreResult SimulatedClient::TakeLease(const ObjectName& object,
                                       const std::string& cookie,
                                       uint32_t seconds) {
  StoreResult begun = Begin("lease", object);
  if (!begun.ok()) return begun;
  auto& lease = cluster_->leases_[object];
  const bool is_ours =
      lease.holder.client == address_ && lease.holder.cookie == cookie;
  if (lease.end > cluster_->now_ && !is_ours) {
    return Refused(StoreCode::kLocked, "another client has the lease");
  }
  lease = {{address_, cookie}, cluster_->now_ + seconds};
  return {};
}

StoreResult SimulatedClient::ReleaseLease(const ObjectName& object,
                                          const std::string& cookie) {
  return BreakLease(object, {address_, cookie});
}

StoreResult SimulatedClient::GetLeaseHolder(const ObjectName& object,
                                            LeaseHolder* holder) {
  StoreResult begun = Begin("read", object);
  if (!begun.ok()) return begun;
  const auto found = cluster_->leases_.find(object);
  if (found == cluster_->leases_.end() || found->second.end <= cluster_->now_) {
    return Refused(StoreCode::kNotFound, "no lease");
  }
  *holder = found->second.holder;
  return {};
}

StoreResult SimulatedClient::BreakLease(const ObjectName& object,
                                        const LeaseHolder& holder) {
  StoreResult begun = Begin("lease", object);
  if (!begun.ok()) return begun;
  const auto found = cluster_->leases_.find(object);
  if (found == cluster_->leases_.end() ||
      found->second.holder.client != holder.client ||
      found->second.holder.cookie != holder.cookie) {
    return Refused(StoreCode::kNotFound, "no such lease");
  }
  cluster_->leases_.erase(found);
  return {};
}

class SimulatedWatch final : public StoreWatch {
 public:
  SimulatedWatch(SimulatedCluster* cluster, const ObjectName& object,
                 std::function<void()> changed)
      : cluster_(*cluster), object_(object) {
    cluster_.watches_.emplace(object, std::pair(this, std::move(changed)));
  }
  ~SimulatedWatch() override {
    std::erase_if(cluster_.watches_, [this](const auto& watch) {
      return watch.second.first == this;
    });
  }
  SimulatedWatch(const SimulatedWatch&) = delete;
  SimulatedWatch& operator=(const SimulatedWatch&) = delete;

  void Answer() override {}  // NotifyAsync has not waited for it
  bool IsAlive() const override {
    const auto [begin, end] = cluster_.watches_.equal_range(object_);
    return std::any_of(begin, end, [this](const auto& watch) {
      return watch.second.first == this;
    });
  }

 private:
  SimulatedCluster& cluster_;
  const ObjectName object_;
};

StoreResult SimulatedClient::Watch(const ObjectName& object,
                                   std::function<void()> changed,
                                   std::unique_ptr<StoreWatch>* watch) {
  StoreResult begun = Begin("watch", object);
  if (!begun.ok()) return begun;
  if (!cluster_->objects_.contains(object)) {
    return {StoreCode::kNotFound, "no such object"};
  }
  *watch =
      std::make_unique<SimulatedWatch>(cluster_, object, std::move(changed));
  return {};
}

void SimulatedClient::NotifyAsync(
    const ObjectName& object, std::function<void(StoreResult, size_t)> done) {
  const StoreResult begun = Begin("notify", object);
  if (!begun.ok()) return done(begun, 0);
  if (cluster_->Happens(cluster_->unreliability_.lost_answers)) {
    return done({StoreCode::kUnknown, "lost"}, 0);
  }
  const auto [first, end] = cluster_->watches_.equal_range(object);
  size_t answers = 0;
  for (auto watch = first; watch != end; ++watch, ++answers) {
    watch->second.second();
  }
  if (cluster_->readers_answer_) return done({}, answers);
  cluster_->unanswered_.push_back(
      [done = std::move(done), answers] { done({}, answers); });
}

StoreResult SimulatedClient::Blocklist(const std::string& address) {
  StoreResult begun = Begin("lease", {Pool::kNames, ""});
  if (!begun.ok()) return begun;
  cluster_->blocklist_.push_back(address);
  return {};
}

}  // namespace tamis::rados
