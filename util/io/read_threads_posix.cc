// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <csignal>
#include <unistd.h>

#include "util/base/check.h"
#include "util/base/exceptions.h"
#include "util/io/posix_io.h"
#include "util/io/read_threads.h"

namespace tamis {

namespace {

void DoRead(ThreadRead* read) {
  const ssize_t got = Uninterrupted([read] {
    return ::pread(read->fd, read->memory.data(), read->memory.size(),
                   static_cast<off_t>(read->offset));
  });
  read->result = got < 0 ? -errno : got;
}

// Starts the thread with all signals blocked: they are for the program's own.
template <typename Body>
void StartThread(std::vector<std::thread>* threads, Body body) noexcept {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  IgnoreExceptions([&] { threads->emplace_back(body); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

ReadThreads::~ReadThreads() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    TAMIS_CHECK(first_ == nullptr);
    stopping_ = true;
  }
  started_.notify_all();
  const NoCancellation guard;
  for (std::thread& thread : threads_) thread.join();
}

void ReadThreads::Start(ThreadRead* read) noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    read->state = ThreadRead::State::kQueued;
    read->next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = read;
    last_ = read;
    ++queued_;
    if (queued_ > idle_ && threads_.size() < kThreadsMax) {
      StartThread(&threads_, [this] { Run(); });
    }
  }
  started_.notify_one();
}

void ReadThreads::Wait(ThreadRead* read) noexcept {
  const NoCancellation guard;
  std::unique_lock<std::mutex> lock(mutex_);
  if (TakeOut(read)) {
    lock.unlock();
    DoRead(read);
    read->state = ThreadRead::State::kEnded;
    return;
  }
  WaitForThread(*read, &lock);
}

void ReadThreads::Drop(ThreadRead* read) noexcept {
  const NoCancellation guard;
  std::unique_lock<std::mutex> lock(mutex_);
  if (TakeOut(read)) {
    read->state = ThreadRead::State::kEnded;
  } else {
    WaitForThread(*read, &lock);
  }
}

void ReadThreads::WaitForThread(const ThreadRead& read,
                                std::unique_lock<std::mutex>* lock) {
  ended_.wait(*lock,
              [&read] { return read.state == ThreadRead::State::kEnded; });
}

// Takes the read out of the queue. Returns false if it is not there.
bool ReadThreads::TakeOut(ThreadRead* read) {
  if (read->state != ThreadRead::State::kQueued) return false;
  ThreadRead* before = nullptr;
  for (ThreadRead* one = first_; one != read; one = one->next) before = one;
  (before == nullptr ? first_ : before->next) = read->next;
  if (last_ == read) last_ = before;
  --queued_;
  return true;
}

void ReadThreads::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    ++idle_;
    started_.wait(lock, [this] { return first_ != nullptr || stopping_; });
    --idle_;
    if (first_ == nullptr) return;
    ThreadRead* const read = first_;
    TakeOut(read);
    read->state = ThreadRead::State::kRunning;
    lock.unlock();
    DoRead(read);
    lock.lock();
    read->state = ThreadRead::State::kEnded;
    ended_.notify_all();
  }
}

}  // namespace tamis
