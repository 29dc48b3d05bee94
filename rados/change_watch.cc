// SPDX-License-Identifier: Apache-2.0
#include "rados/change_watch.h"

#include <unistd.h>
#include <utility>

namespace tamis::rados {

class ChangeWatches::ChangeWatch final : public DirectoryWatch {
 public:
  ChangeWatch(ChangeWatches* all, std::function<void()> changed,
              std::shared_ptr<const void> keeps_alive)
      : keeps_alive_(std::move(keeps_alive)),
        all_(*all),
        changed_(std::move(changed)) {}
  // Ends the watch without the mutex: a running call is waited for.
  ~ChangeWatch() override {
    if (all_.process_ != ::getpid()) return;
    const std::lock_guard lock(all_.mutex_);
    all_.watches_.erase(this);
  }
  ChangeWatch(const ChangeWatch&) = delete;
  ChangeWatch& operator=(const ChangeWatch&) = delete;

  void Seen() override {
    if (all_.process_ != ::getpid()) return;
    const std::lock_guard lock(all_.mutex_);
    if (watch_ != nullptr) watch_->Answer();
  }

  StoreResult Watch() {
    watch_.reset();
    return all_.store_->Watch(all_.watched_, changed_, &watch_);
  }
  void Renew() {
    if (watch_ != nullptr && watch_->IsAlive()) return;
    if (Watch().ok()) changed_();
  }

 private:
  const std::shared_ptr<const void> keeps_alive_;  // destroyed last
  ChangeWatches& all_;
  const std::function<void()> changed_;
  std::unique_ptr<StoreWatch> watch_;
};

ChangeWatches::ChangeWatches(ObjectStore* store, ObjectName watched)
    : store_(store), watched_(std::move(watched)), process_(::getpid()) {}

ChangeWatches::~ChangeWatches() = default;

StoreResult ChangeWatches::Begin(std::function<void()> changed,
                                 std::shared_ptr<const void> keeps_alive,
                                 std::unique_ptr<DirectoryWatch>* watch) {
  auto made = std::make_unique<ChangeWatch>(this, std::move(changed),
                                            std::move(keeps_alive));
  const StoreResult begun = made->Watch();
  if (!begun.ok()) return begun;
  {
    const std::lock_guard lock(mutex_);
    watches_.insert(made.get());
  }
  *watch = std::move(made);
  return begun;
}

void ChangeWatches::Renew() {
  const std::lock_guard lock(mutex_);
  for (ChangeWatch* watch : watches_) watch->Renew();
}

bool ChangeWatches::any() const {
  const std::lock_guard lock(mutex_);
  return !watches_.empty();
}

}  // namespace tamis::rados
