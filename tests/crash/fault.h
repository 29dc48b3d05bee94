// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong in a life: at one call of the file system, allocation,
// callback or job, and perhaps at another of the recovery that follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/failures/failures.h"
#include "util/base/random.h"
#include "util/io/file_system_memory.h"

namespace tamis::crash {

enum class Kind : uint8_t {
  // The power goes off before the call; what survives: CrashStyle.
  kDrop,
  kKeep,
  kPrefix,
  kSectors,
  // The call fails.
  kError,   // once, with an I/O error
  kShort,   // once, and of an append a part of the bytes are there
  kFull,    // and so does every later one that needs room
  kBroken,  // and so does every later one
  // Of these, each counted apart:
  kRead,    // a call that only looks fails, once
  kAlloc,   // an allocation fails, once
  kMemory,  // and so does every later one
  kThrow,   // a callback throws, once: user code, the file system's too
  kThread,  // the job runner refuses a job, once
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
// A fault of the calls that change something can mean something for this one.
bool Concerns(Kind kind, const std::string& operation);
// A fault of allocations, callbacks or jobs (tests/failures/failures.h).
bool IsFailure(Kind kind);

// A (workload, call, fault), with the seed that decides the rest of it. Call 0:
// none. In print, and back:
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

// The hook of a file system, and who arms the failures of everything else: lets
// one armed fault happen.
class Injector {
 public:
  // `fs` outlives the object.
  explicit Injector(MemoryFileSystem* fs);
  ~Injector() {
    Disarm();
    fs_.SetFaultHook(nullptr);
    fs_.SetReadHook(nullptr);
  }
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  // From now on call number `call`, counted from 1, meets the fault; or
  // allocation, callback or job number `call`.
  void Arm(uint64_t call, Kind kind, uint64_t seed);
  // The cause is gone.
  void Disarm();
  // What the test does to read is not counted and does not fail, but for calls
  // that change something.
  void IgnoreReads(bool ignore);

  bool power_is_cut() const { return power_is_cut_; }
  // It happened since it was armed.
  bool fired() const { return IsFailure(kind_) ? Failures::fired() : fired_; }
  // The call where it did. REQUIRES: fired()
  const std::string& where() const { return where_; }
  // Such an error is the fault's, as the kind has it.
  bool Explains(const Status& status) const;
  // REQUIRES: power_is_cut()
  void Restart(uint64_t seed, CrashStyle style);

  // Operations of all calls so far, once Record() was called.
  void Record() { recording_ = true; }
  const std::vector<std::string>& operations() const { return operations_; }
  uint64_t reads() const { return reads_; }
  Failures::Counts failures() const;

 private:
  MemoryFileSystem::Fault Meet(const MemoryFileSystem::Call& call);
  Status MeetRead(const MemoryFileSystem::Call& call);

  MemoryFileSystem& fs_;
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
