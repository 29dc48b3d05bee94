// SPDX-License-Identifier: Apache-2.0
//
// The fault of a Life: at one file system call, allocation, callback or job,
// and optionally at another one of the recovery that follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/failures/failures.h"
#include "tests/support/simulated_file_system.h"
#include "util/base/random.h"

namespace tamis::crash {

enum class Kind : uint8_t {
  // A power failure before the call; CrashStyle says what survives.
  kDrop,
  kKeep,
  kPrefix,
  kSectors,
  // The call fails.
  kError,   // once, with an I/O error
  kShort,   // once; a failed append stores a part of the bytes
  kFull,    // and so do all later ones that need space
  kBroken,  // and so do all later ones
  // Each of these has its own count:
  kRead,    // a read-only call fails, once
  kAlloc,   // an allocation fails, once
  kMemory,  // and so do all later ones
  kThrow,   // a callback throws, once: user code, including the file system
  kThread,  // the job runner rejects a job, once
};

struct KindName {
  Kind kind;
  const char* name;
};
inline constexpr KindName kKindNames[] = {
    {Kind::kDrop, "drop"},     {Kind::kKeep, "keep"},
    {Kind::kPrefix, "prefix"}, {Kind::kSectors, "sectors"},
    {Kind::kError, "error"},   {Kind::kShort, "short"},
    {Kind::kFull, "full"},     {Kind::kBroken, "broken"},
    {Kind::kRead, "read"},     {Kind::kAlloc, "alloc"},
    {Kind::kMemory, "memory"}, {Kind::kThrow, "throw"},
    {Kind::kThread, "thread"},
};

bool IsPowerCut(Kind kind);
CrashStyle StyleOf(Kind kind);
// Whether a fault of modifying calls can affect this operation.
bool Concerns(Kind kind, const std::string& operation);
// Whether it is a fault of allocations, callbacks or jobs
// (tests/failures/failures.h).
bool IsFailure(Kind kind);

// A (workload, call, fault), with a seed for everything else. Call 0: no fault.
// Its text form:
//
//   <script>:<call>:<kind>:<seed>[:<call of the recovery>:<kind>]
struct Triple {
  std::string script;
  uint64_t call = 0;
  Kind kind = Kind::kDrop;
  uint64_t seed = 0;
  uint64_t recovery_call = 0;
  Kind recovery_kind = Kind::kDrop;

  std::string ToString() const;
};
std::optional<Triple> ParseTriple(const std::string& text);

// Injects one armed fault: as the hook of a file system, or by arming
// failures.h.
class Injector {
 public:
  // `fs` must outlive the object.
  explicit Injector(SimulatedFileSystem* fs);
  ~Injector() {
    Disarm();
    fs_.SetFaultHook(nullptr);
    fs_.SetReadHook(nullptr);
  }
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  // Injects the fault at call number `call`, counted from 1 and from now; or at
  // that allocation, callback or job.
  void Arm(uint64_t call, Kind kind, uint64_t seed);
  // Ends the fault.
  void Disarm();
  // The test's reads are not counted and do not fail; modifying calls are and
  // do.
  void IgnoreReads(bool ignore);

  bool power_is_cut() const { return power_is_cut_; }
  // Whether the fault has happened since Arm.
  bool fired() const { return IsFailure(kind_) ? Failures::fired() : fired_; }
  // The call at which it happened. REQUIRES: fired()
  const std::string& where() const { return where_; }
  // Whether a fault of this kind may cause the error.
  bool Explains(const Status& status) const;
  // REQUIRES: power_is_cut()
  void Restart(uint64_t seed, CrashStyle style);

  // Records the operations of all calls.
  void Record() { recording_ = true; }
  const std::vector<std::string>& operations() const { return operations_; }
  uint64_t reads() const { return reads_; }
  Failures::Counts failures() const;

 private:
  SimulatedFileSystem::Fault Meet(const SimulatedFileSystem::Call& call);
  Status MeetRead(const SimulatedFileSystem::Call& call);

  SimulatedFileSystem& fs_;
  bool armed_ = false;
  uint64_t target_ = 0;
  Kind kind_ = Kind::kDrop;
  Random random_{0};
  bool fired_ = false;
  bool power_is_cut_ = false;
  std::string where_;
  std::optional<Failures::Pause> ignore_reads_;
  const Failures::Counts seen_before_ = Failures::Seen();
  uint64_t reads_ = 0;
  bool recording_ = false;
  std::vector<std::string> operations_;
};

}  // namespace tamis::crash
