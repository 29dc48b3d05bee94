// SPDX-License-Identifier: Apache-2.0
//
// Forked processes, for tests of what a process may do to a database. Code in a
// child reports by its exit code and by memory that both share; it uses no
// GoogleTest assertion.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>

namespace tamis::process {

// What a child says when something it needed failed; it never returns this by
// itself.
inline constexpr int kChildFailed = 99;

// Ends the calling child with kChildFailed and a line on standard error where
// the condition is false.
void Require(bool condition, const std::string& what);

class Child {
 public:
  // Forks; the child runs `body` and ends by _exit with what it returns.
  explicit Child(const std::function<int()>& body);
  // Kills it if it still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  // The exit code; 128 + signal when a signal ended it; -1 when it had to be
  // killed because it did not end in time.
  int Wait(std::chrono::seconds at_most = std::chrono::seconds(60));
  void Kill();

 private:
  pid_t pid_;
  bool ended_ = false;
  int code_ = -1;
};

// Forks a child for `body` and waits for it.
int RunChild(const std::function<int()>& body);

// Counters in memory that forked processes share.
class SharedCounters {
 public:
  static constexpr size_t kCount = 8;
  SharedCounters();
  ~SharedCounters();
  SharedCounters(const SharedCounters&) = delete;
  SharedCounters& operator=(const SharedCounters&) = delete;

  std::atomic<uint64_t>& operator[](size_t i) { return counters_[i]; }
  // False: it did not reach the value within a minute.
  bool WaitUntil(size_t i, uint64_t at_least) const;

 private:
  std::atomic<uint64_t>* counters_;
};

}  // namespace tamis::process
