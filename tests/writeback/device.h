// SPDX-License-Identifier: Apache-2.0
//
// A block device whose power can be cut, below a file system of the kernel:
//
//   database ── ext4 ── /dev/loopN ── DIR/disk ── /dev/fuse ── a process that
//                                                              keeps the bytes
//
// The process keeps each block of 4 KiB twice: as last written, and as of the
// last flush together with some of the later writes. A cut leaves one of the
// two states of each block. It never mixes their sectors, because ext4 relies
// on atomic writes of its superblocks, which have a checksum and are not
// journaled. The mounts are in their own mount namespace and end with the test
// program, even if that crashes.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

#include "util/base/random.h"

namespace tamis::writeback {

class Device {
 public:
  // Returns which of its requirements is missing; empty: none.
  static std::string Missing();

  // `root`: an empty directory. REQUIRES: nothing is Missing; whole blocks
  Device(const std::string& root, uint64_t bytes, uint64_t seed);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Each empty, or what went wrong.
  std::string MakeFileSystem(const std::string& mkfs);
  std::string Mount(const std::string& where, const std::string& type,
                    const std::string& options);
  std::string Unmount();

  // From here on nothing is answered; then nothing is kept, but all answered.
  void Hold() { *state_ = kHeld; }
  void PowerOff() { *state_ = kOff; }
  // From here on every read fails, or none does.
  void FailReads(bool fail) { *state_ = fail ? kUnreadable : kOn; }
  // REQUIRES: nothing is mounted. What PowerOff left is kept for Survive.
  void KeepWreck();
  // As one of the cuts that the wreck allows, and powered.
  void Survive(Random* luck);

 private:
  enum State : uint32_t { kOn, kHeld, kOff, kUnreadable };

  [[noreturn]] void Serve(int fuse);
  void MakeSafe(uint64_t block);
  std::string Attach();

  const std::string directory_;
  const std::string file_;
  const uint64_t bytes_;
  const uint64_t seed_;
  // Shared with the process.
  std::atomic<State>* const state_;
  char* const current_;
  char* const safe_;

  std::vector<char> wreck_current_;
  std::vector<char> wreck_safe_;
  pid_t process_ = -1;
  int loop_ = -1;
  std::string loop_path_;
  std::string mounted_;
};

}  // namespace tamis::writeback
