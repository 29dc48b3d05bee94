// SPDX-License-Identifier: Apache-2.0
//
// Watches and notifications, as librados has them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <rados/librados.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "rados/object_store.h"

namespace tamis::rados {

class LibradosWatch final : public StoreWatch {
 public:
  LibradosWatch(rados_t cluster, rados_ioctx_t pool, std::string object,
                std::function<void()> changed)
      : cluster_(cluster),
        pool_(pool),
        object_(std::move(object)),
        changed_(std::move(changed)) {}
  ~LibradosWatch() override {
    if (!begun_ || process_ != ::getpid()) return;
    rados_unwatch2(pool_, cookie_);
    rados_watch_flush(cluster_);  // a call may be running
  }
  LibradosWatch(const LibradosWatch&) = delete;
  LibradosWatch& operator=(const LibradosWatch&) = delete;

  int Begin() {
    const int returned =
        rados_watch3(pool_, object_.c_str(), &cookie_, &OnNotify, &OnError,
                     /*timeout=*/0, this);
    begun_ = returned >= 0;
    return returned;
  }
  bool IsAlive() const override {
    return !lost_ && rados_watch_check(pool_, cookie_) >= 0;
  }
  void Answer() override {
    std::vector<uint64_t> notifications;
    {
      const std::lock_guard lock(mutex_);
      notifications.swap(notifications_);
    }
    for (const uint64_t notification : notifications) {
      rados_notify_ack(pool_, object_.c_str(), notification, cookie_, nullptr,
                       0);
    }
  }

 private:
  static void OnNotify(void* watch, uint64_t notification, uint64_t /*cookie*/,
                       uint64_t /*notifier*/, void* /*data*/,
                       size_t /*bytes*/) {
    auto& self = *static_cast<LibradosWatch*>(watch);
    {
      const std::lock_guard lock(self.mutex_);
      self.notifications_.push_back(notification);
    }
    self.changed_();
  }
  static void OnError(void* watch, uint64_t /*cookie*/, int /*error*/) {
    static_cast<LibradosWatch*>(watch)->lost_ = true;
  }

  const rados_t cluster_;
  const rados_ioctx_t pool_;
  const std::string object_;
  const std::function<void()> changed_;
  const int process_ = ::getpid();
  uint64_t cookie_ = 0;
  bool begun_ = false;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::vector<uint64_t> notifications_;  // to be answered
};

// The answer of a notification, until it is read.
struct NotifyReply {
  char* bytes = nullptr;
  size_t size = 0;

  NotifyReply() = default;
  ~NotifyReply() { rados_buffer_free(bytes); }
  NotifyReply(const NotifyReply&) = delete;
  NotifyReply& operator=(const NotifyReply&) = delete;

  // How many clients have answered.
  size_t Answers() const {
    notify_ack_t* answers = nullptr;
    notify_timeout_t* missing = nullptr;
    size_t count = 0;
    size_t missing_count = 0;
    if (bytes == nullptr ||
        rados_decode_notify_response(bytes, size, &answers, &count, &missing,
                                     &missing_count) < 0) {
      return 0;
    }
    rados_free_notify_response(answers, count, missing);
    return count;
  }
};

}  // namespace tamis::rados
