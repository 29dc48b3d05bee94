// SPDX-License-Identifier: Apache-2.0
#include "util/io/async_reads.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "util/base/check.h"
#include "util/io/file_io.h"

namespace tamis {

bool file_io::ReadAsync(const RandomAccessFile& file, FSReadRequest* request,
                        AsyncReads* reads) {
  const IOTimer timer(&tls_iostats_context.read_nanos,
                      &tls_iostats_context.cpu_read_nanos);
  std::unique_ptr<PendingRead> pending = file.StartRead(request);
  const bool done = pending != nullptr
                        ? reads->Keep(std::move(pending), &file, request)
                        : file.ReadAsync(request, reads);
  if (done && request->status.ok()) CountRead(request->result);
  return done;
}

std::unique_ptr<IoRing> AsyncReadPool::TakeRing() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (refused_) return nullptr;
    if (!idle_.empty()) {
      std::unique_ptr<IoRing> ring = std::move(idle_.back());
      idle_.pop_back();
      return ring;
    }
    if (rings_ == kRingsMax) return nullptr;
    idle_.reserve(kIdleRingsMax);  // so that ReturnRing allocates nothing
    ++rings_;
  }
  bool refused = false;
  std::unique_ptr<IoRing> ring = IoRing::New(&refused);
  if (ring == nullptr) {
    const std::lock_guard<std::mutex> lock(mutex_);
    --rings_;
    refused_ = refused_ || refused;
  }
  return ring;
}

void AsyncReadPool::ReturnRing(std::unique_ptr<IoRing> ring) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!refused_ && idle_.size() < kIdleRingsMax) {
    idle_.push_back(std::move(ring));
  } else {
    --rings_;
  }
}

void AsyncReadPool::RefuseRings(std::unique_ptr<IoRing> ring) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  refused_ = true;
  rings_ -= idle_.size() + 1;
  idle_.clear();
  ring.reset();
}

AsyncReads::~AsyncReads() {
  if (state_ == nullptr) return;
  if (!state_->owner.IsCurrent()) {
    IgnoreLeakOf(state_.release());
    return;
  }
  for (Entry& entry : state_->entries) DropEntry(&entry);
  if (state_->ring != nullptr) {
    state_->pool->ReturnRing(std::move(state_->ring));
  }
}

AsyncReads::Entry* AsyncReads::NewEntry(const RandomAccessFile* file,
                                        FSReadRequest* request) {
  if (state_ == nullptr) state_ = std::make_unique<State>();
  for (Entry& entry : state_->entries) {
    if (entry.state != Entry::State::kFree) continue;
    entry.file = file;
    entry.request = request;
    return &entry;
  }
  return nullptr;
}

AsyncReads::Entry* AsyncReads::EntryOf(const FSReadRequest* request) {
  TAMIS_CHECK(state_ != nullptr);
  for (Entry& entry : state_->entries) {
    if (entry.state != Entry::State::kFree && entry.request == request) {
      return &entry;
    }
  }
  TAMIS_CHECK(false);
}

bool AsyncReads::Keep(std::unique_ptr<PendingRead> pending,
                      const RandomAccessFile* file, FSReadRequest* request) {
  Entry* const entry = NewEntry(file, request);
  if (entry == nullptr) {
    pending->Finish();
    return true;
  }
  entry->state = Entry::State::kPending;
  entry->pending = std::move(pending);
  return false;
}

bool AsyncReads::Defer(const RandomAccessFile* file, FSReadRequest* request) {
  Entry* const entry = NewEntry(file, request);
  if (entry == nullptr) return false;
  entry->state = Entry::State::kDeferred;
  return true;
}

bool AsyncReads::Start(const std::shared_ptr<AsyncReadPool>& pool,
                       const AlignedRead& how, const RandomAccessFile* file,
                       FSReadRequest* request) {
  const uint64_t begin = AlignDown(request->offset, how.alignment);
  const uint64_t bytes =
      AlignUp(request->offset + request->len, how.alignment) - begin;
  const bool is_owner = state_ == nullptr || state_->owner.IsCurrent();
  if (request->len == 0 || bytes > std::numeric_limits<int32_t>::max() ||
      !is_owner || !pool->IsUsable()) {
    return false;
  }
  Entry* const entry = NewEntry(file, request);
  if (entry == nullptr) return false;
  if (state_->pool == nullptr) {
    if (end_ == ReadsEnd::kWithinCall) state_->ring = pool->TakeRing();
    state_->pool = pool;
  }
  const auto address = reinterpret_cast<uintptr_t>(request->scratch);
  entry->skipped = static_cast<size_t>(request->offset - begin);
  entry->is_in_place =
      bytes == request->len &&
      AlignDown(address, std::max(how.alignment, PageBytes())) == address;
  char* to = request->scratch;
  if (!entry->is_in_place) {
    entry->buffer = WholePages(static_cast<size_t>(bytes), how.alignment);
    to = entry->buffer.data();
  }
  entry->read.fd = how.fd;
  entry->read.memory = {to, static_cast<size_t>(bytes)};
  entry->read.offset = begin;
  StartEntry(entry);
  return true;
}

void AsyncReads::StartEntry(Entry* entry) noexcept {
  std::unique_ptr<IoRing>& ring = state_->ring;
  if (ring != nullptr) {
    const ThreadRead& read = entry->read;
    const auto id = static_cast<uint64_t>(entry - state_->entries.data());
    const auto answer = ring->Start(read.fd, read.memory, read.offset, id);
    if (answer != IoRing::Answer::kRefused) {
      entry->state = answer == IoRing::Answer::kAccepted
                         ? Entry::State::kInRing
                         : Entry::State::kDeferred;
      return;
    }
    if (ring->under_way() == 0) state_->pool->RefuseRings(std::move(ring));
  }
  state_->pool->threads()->Start(&entry->read);
  entry->state = Entry::State::kInThread;
}

void AsyncReads::WaitFor(Entry* entry) noexcept {
  if (entry->state == Entry::State::kInThread) {
    state_->pool->threads()->Wait(&entry->read);
    entry->state = Entry::State::kEnded;
  }
  while (entry->state == Entry::State::kInRing) {
    const IoRing::Completion completion = state_->ring->Wait();
    Entry& ended = state_->entries[completion.id];
    ended.read.result = completion.result;
    ended.state = Entry::State::kEnded;
  }
}

// What is under way is the parent's. A forked process reads by calls.
void AsyncReads::LeaveToParent(Entry* entry) noexcept {
  entry->state = Entry::State::kDeferred;
  if (entry->pending != nullptr) IgnoreLeakOf(entry->pending.release());
}

void AsyncReads::DropEntry(Entry* entry) noexcept {
  if (entry->state == Entry::State::kInThread) {
    state_->pool->threads()->Drop(&entry->read);
  } else {
    WaitFor(entry);
  }
  entry->state = Entry::State::kFree;
  entry->buffer = AlignedBuffer();
  entry->pending.reset();
}

// The memory of a read of the parent is free for the child.
void AsyncReads::Drop(FSReadRequest* request) noexcept {
  Entry* const entry = EntryOf(request);
  if (!state_->owner.IsCurrent()) LeaveToParent(entry);
  DropEntry(entry);
}

void AsyncReads::Finish(FSReadRequest* request) {
  const IOTimer timer(&tls_iostats_context.read_nanos,
                      &tls_iostats_context.cpu_read_nanos);
  Entry* const entry = EntryOf(request);
  if (state_->owner.IsCurrent()) {
    WaitFor(entry);
  } else {
    LeaveToParent(entry);
  }
  // Read may throw; the entry is free then, too.
  struct Freed {
    Entry* entry;
    ~Freed() {
      entry->state = Entry::State::kFree;
      entry->buffer = AlignedBuffer();
      entry->pending.reset();
    }
  } const freed{entry};
  SetResult(entry);
  if (request->status.ok()) file_io::CountRead(request->result);
}

void AsyncReads::SetResult(Entry* entry) {
  FSReadRequest* const request = entry->request;
  if (entry->state == Entry::State::kPending) {
    entry->pending->Finish();
    return;
  }
  const bool has_all = entry->state == Entry::State::kEnded &&
                       entry->read.result > 0 &&
                       static_cast<uint64_t>(entry->read.result) >=
                           entry->skipped + request->len;
  if (!has_all) {
    request->status = entry->file->Read(request->offset, request->len,
                                        &request->result, request->scratch);
    return;
  }
  if (!entry->is_in_place) {
    std::memcpy(request->scratch, entry->buffer.data() + entry->skipped,
                request->len);
  }
  request->result = Slice(request->scratch, request->len);
  request->status = Status::OK();
}

}  // namespace tamis
