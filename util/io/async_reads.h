// SPDX-License-Identifier: Apache-2.0
//
// AsyncReads are the reads that one thread has under way at the same time, of
// any number of files. RandomAccessFile::ReadAsync adds a read, Finish waits
// for it:
//
//   a.ReadAsync(&r0, &reads)   b.ReadAsync(&r1, &reads)   ...
//   reads.Finish(&r0), use r0.result   reads.Finish(&r1), use r1.result   ...
//
//   files of the page cache   the kernel is told to fetch the bytes; Finish
//                             reads them
//   direct reads              an IoRing (io_ring.h); ReadThreads
//                             (read_threads.h) where the system has none, and
//                             for reads that outlive a call of the application
//   files that begin reads    their own PendingReads
//   (RandomAccessFile::StartRead)
//
// A read that ends in any other way than with all of its bytes is done again by
// the file's Read, which reports the error.
//
// The destructor drops reads that were not finished: their memory must outlive
// *this. In a forked process, Finish reads by calls, and the destructor leaks
// what is under way.
//
// No read of the parent reaches the memory of a forked process since Linux 6.5.
// Before, that takes pages that neither process writes to while a direct read
// into them is under way. So such reads are into buffers of whole pages of
// their own (WholePages), or into the request's if that begins a page.
//
// One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tamis/file_system.h"

#include "util/base/process.h"
#include "util/io/aligned_buffer.h"
#include "util/io/io_ring.h"
#include "util/io/read_threads.h"

namespace tamis {

// Has the rings and the threads for the files of one FileSystem. Any thread.
class AsyncReadPool {
 public:
  AsyncReadPool() = default;
  AsyncReadPool(const AsyncReadPool&) = delete;
  AsyncReadPool& operator=(const AsyncReadPool&) = delete;

  // Returns a ring without reads, or nullptr if the system gives none, or too
  // many are in use. Asks a system that refused no second time.
  std::unique_ptr<IoRing> TakeRing();
  void ReturnRing(std::unique_ptr<IoRing> ring) noexcept;
  // Has TakeRing return no more: the system lets none be used. REQUIRES: the
  // ring has no reads.
  void RefuseRings(std::unique_ptr<IoRing> ring) noexcept;
  ReadThreads* threads() { return &threads_; }
  bool IsUsable() const { return owner_.IsCurrent(); }

 private:
  static constexpr size_t kRingsMax = 64;
  static constexpr size_t kIdleRingsMax = 8;

  const OwnerProcess owner_;
  ReadThreads threads_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::unique_ptr<IoRing>> idle_;
  size_t rings_ = 0;
  bool refused_ = false;
};

// A direct read of whole blocks of the device for a request that may begin and
// end within blocks.
struct AlignedRead {
  int fd = -1;
  size_t alignment = 1;  // a power of two
};

// The kernel may tell of the end of a ring's read by interrupting the thread
// that began it, wherever that thread is. A call of the application's would
// then fail with EINTR, so rings are for reads that end within a call of
// Tamis's.
enum class ReadsEnd : uint8_t { kWithinCall, kAnyTime };

class AsyncReads {
 public:
  static constexpr size_t kReadsMax = IoRing::kDepth;

  explicit AsyncReads(ReadsEnd end = ReadsEnd::kWithinCall) : end_(end) {}
  ~AsyncReads();
  AsyncReads(const AsyncReads&) = delete;
  AsyncReads& operator=(const AsyncReads&) = delete;

  // Waits until the read is done and sets the result and the status of the
  // request. REQUIRES: ReadAsync returned false for it, with *this.
  void Finish(FSReadRequest* request);
  // Reads nothing that was not begun, and waits for what was. Sets neither
  // result nor status; the scratch may change. REQUIRES: as Finish.
  void Drop(FSReadRequest* request) noexcept;

  // For a read that the file has begun. Returns true if *this has kReadsMax
  // reads already, and has finished the read.
  bool Keep(std::unique_ptr<PendingRead> pending, const RandomAccessFile* file,
            FSReadRequest* request);

  // The next two are for files, in ReadAsync. They return false if *this has
  // kReadsMax reads already; the file then reads at once.
  //
  // Has Finish call file->Read.
  bool Defer(const RandomAccessFile* file, FSReadRequest* request);
  // Starts to read. `file` must outlive the read, and has its fd.
  bool Start(const std::shared_ptr<AsyncReadPool>& pool, const AlignedRead& how,
             const RandomAccessFile* file, FSReadRequest* request);

 private:
  struct Entry {
    enum class State : uint8_t {
      kFree,
      kDeferred,
      kPending,
      kInRing,
      kInThread,
      kEnded,
    };
    State state = State::kFree;
    FSReadRequest* request = nullptr;
    const RandomAccessFile* file = nullptr;
    AlignedBuffer buffer;  // unless the request's scratch is aligned
    size_t skipped = 0;    // of the bytes read, before the request's
    bool is_in_place = false;
    ThreadRead read;  // its result is of the ring's reads, too
    std::unique_ptr<PendingRead> pending;
  };
  struct State {
    const OwnerProcess owner;
    std::array<Entry, kReadsMax> entries;
    std::shared_ptr<AsyncReadPool> pool;
    std::unique_ptr<IoRing> ring;
  };

  Entry* NewEntry(const RandomAccessFile* file, FSReadRequest* request);
  Entry* EntryOf(const FSReadRequest* request);
  void StartEntry(Entry* entry) noexcept;
  void WaitFor(Entry* entry) noexcept;
  static void LeaveToParent(Entry* entry) noexcept;
  void DropEntry(Entry* entry) noexcept;
  static void SetResult(Entry* entry);

  const ReadsEnd end_;
  std::unique_ptr<State> state_;  // nullptr until a read is added
};

}  // namespace tamis
