// SPDX-License-Identifier: Apache-2.0
//
// Forked processes, for tests of databases and processes. Code in a child
// reports by its exit code and by shared memory; it uses no GoogleTest
// assertion.
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

// The exit code of a child whose Require failed; its body never returns it.
inline constexpr int kChildFailed = 99;

// If the condition is false, prints a line to standard error and ends the
// calling child with kChildFailed.
void Require(bool condition, const std::string& what);

// From waitpid's status: the exit code, or 128 + the signal.
int ExitCode(int wait_status);

class Child {
 public:
  // Forks; the child runs `body` and calls _exit with its result.
  explicit Child(const std::function<int()>& body);
  // Kills the child if it still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  // Does not wait.
  bool HasEnded();
  // Its ExitCode; -1: it did not end in time and was killed.
  int Wait(std::chrono::seconds at_most = std::chrono::seconds(60));
  void Kill();

 private:
  void Take(int status);

  pid_t pid_;
  bool ended_ = false;
  int code_ = -1;
};

// Runs `body` in a forked child and waits for it.
int RunChild(const std::function<int()>& body);

// `bytes` zero bytes of memory that forked processes share.
void* NewSharedMemory(size_t bytes);
void DeleteSharedMemory(void* memory, size_t bytes);

// A T in shared memory. REQUIRES: T consists of atomics.
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

// Counters in shared memory.
class SharedCounters {
 public:
  static constexpr size_t kCount = 8;

  std::atomic<uint64_t>& operator[](size_t i) { return (*counters_)[i]; }
  // False: the counter did not reach the value within a minute.
  bool WaitUntil(size_t i, uint64_t at_least) const;

 private:
  Shared<std::array<std::atomic<uint64_t>, kCount>> counters_;
};

}  // namespace tamis::process
