// SPDX-License-Identifier: Apache-2.0
//
// Forked processes, for tests of what a process may do to a database. Code in a
// child reports by its exit code and by memory that both share; it uses no
// GoogleTest assertion.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <sys/types.h>

namespace tamis::process {

// What a child says when something it needed failed; it never returns this by
// itself.
inline constexpr int kChildFailed = 99;

// Ends the calling child with kChildFailed and a line on standard error where
// the condition is false.
void Require(bool condition, const std::string& what);

// Of what waitpid said: the exit code, or 128 + the signal.
int ExitCode(int wait_status);

class Child {
 public:
  // Forks; the child runs `body` and ends by _exit with what it returns.
  explicit Child(const std::function<int()>& body);
  // Kills it if it still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  // Does not wait.
  bool HasEnded();
  // Its ExitCode; -1 when it had to be killed because it did not end in time.
  int Wait(std::chrono::seconds at_most = std::chrono::seconds(60));
  void Kill();

 private:
  void Take(int status);

  pid_t pid_;
  bool ended_ = false;
  int code_ = -1;
};

// Forks a child for `body` and waits for it.
int RunChild(const std::function<int()>& body);

// `bytes` of zeros in memory that forked processes share.
void* NewSharedMemory(size_t bytes);
void DeleteSharedMemory(void* memory, size_t bytes);

// A T of atomics there.
template <typename T>
class Shared {
 public:
  Shared() : value_(new (NewSharedMemory(sizeof(T))) T()) {}
  ~Shared() { DeleteSharedMemory(value_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  T& operator*() { return *value_; }
  T* operator->() { return value_; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_; }

 private:
  T* const value_;
};

// Counters there.
class SharedCounters {
 public:
  static constexpr size_t kCount = 8;

  std::atomic<uint64_t>& operator[](size_t i) { return (*counters_)[i]; }
  // False: it did not reach the value within a minute.
  bool WaitUntil(size_t i, uint64_t at_least) const;

 private:
  Shared<std::array<std::atomic<uint64_t>, kCount>> counters_;
};

}  // namespace tamis::process
