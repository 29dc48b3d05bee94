// SPDX-License-Identifier: Apache-2.0
#include "rados/file_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tamis::rados {

namespace {

// How a file is sent: the bytes of a piece, and how many may be under way.
// Together they reach no further than kStripesAhead.
struct Pieces {
  size_t bytes = 0;
  uint32_t max = 0;
};
// Of a log, little is at risk: what is under way, and what is buffered.
constexpr Pieces kSmall = {.bytes = 1 << 20, .max = 8};
static_assert(kSmall.max * kSmall.bytes <= kStripesAhead * kStripeBytes);
static_assert((kSmall.max + 1) * kSmall.bytes == FileWriter::kAtRiskMax);
// A table is sent in whole stripes: the cluster stores those of different
// placement groups side by side, and pieces of one in turn.
constexpr Pieces kWhole = {.bytes = kStripeBytes, .max = kStripesAhead + 1};

constexpr Pieces PiecesOf(Pool pool) {
  return pool == Pool::kTables ? kWhole : kSmall;
}

// With this many under way, Flush sends nothing. The next answer sends what is
// buffered by then: small records share a piece.
constexpr uint32_t kPiecesOfFlush = 4;

}  // namespace

FileWriter::FileWriter(std::shared_ptr<Volume> volume,
                       std::unique_ptr<NewFile> file, bool flush_waits)
    : volume_(std::move(volume)),
      file_(std::move(file)),
      flush_waits_(flush_waits),
      piece_bytes_(PiecesOf(file_->entry().pool).bytes),
      pieces_max_(PiecesOf(file_->entry().pool).max) {}

FileWriter::~FileWriter() {
  if (!volume_->IsOfThisProcess()) return;
  Lock lock(mutex_);
  buffer_.clear();
  WaitUntil(&lock, [this] { return under_way_ == 0 && !sending_; });
}

Status FileWriter::Append(const Slice& data) {
  Lock lock(mutex_);
  Status status = Failure(&lock);
  if (!status.ok()) return status;
  if (piece_bytes_ == kWhole.bytes) buffer_.reserve(piece_bytes_);
  buffer_.append(data.data(), data.size());
  size_ += data.size();
  if (buffer_.size() >= piece_bytes_) {
    SendBuffered(&lock, /*wait_for_room=*/true);
  }
  return Failure(&lock);
}

Status FileWriter::Flush() {
  Lock lock(mutex_);
  if (flush_waits_) return Drain(&lock);
  if (under_way_ < kPiecesOfFlush) {
    SendBuffered(&lock, /*wait_for_room=*/false);
  }
  return Failure(&lock);
}

Status FileWriter::Sync() {
  {
    Lock lock(mutex_);
    const Status status = Drain(&lock);
    if (!status.ok()) return status;
  }
  if (file_->entry().pool == Pool::kLogs) volume_->TellChange();
  return Status::OK();
}

Status FileWriter::Close() {
  {
    Lock lock(mutex_);
    const Status status = Drain(&lock);
    if (!status.ok()) return status;
  }
  return file_->Close(GetFileSize());
}

uint64_t FileWriter::GetFileSize() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

Status FileWriter::Drain(Lock* lock) {
  SendBuffered(lock, /*wait_for_room=*/true);
  WaitUntil(lock, [this] {
    return under_way_ == 0 && (pieces_.empty() || !failed_.ok());
  });
  return Failure(lock);
}

template <typename Predicate>
void FileWriter::WaitUntil(Lock* lock, const Predicate& predicate) {
  uint32_t attempt = 0;
  while (!predicate()) {
    if (again_ > 0 && under_way_ == 0 && !sending_ && failed_.ok()) {
      lock->unlock();
      volume_->store()->WaitToRetry(attempt++);
      lock->lock();
      SendAgain(lock);
      continue;
    }
    lock->unlock();
    const bool finished = volume_->store()->FinishOne();
    lock->lock();
    if (!finished && !predicate() && (under_way_ > 0 || sending_)) {
      changed_.wait(*lock);
    }
  }
}

void FileWriter::SendBuffered(Lock* lock, bool wait_for_room) {
  while (!buffer_.empty() && failed_.ok()) {
    if (HasRoom()) {
      SendNextPiece(lock);
    } else if (wait_for_room) {
      WaitUntil(lock, [this] { return HasRoom() || !failed_.ok(); });
    } else {
      return;
    }
  }
}

// Behind a piece that is to be sent again, no other one is sent.
bool FileWriter::HasRoom() const {
  return pieces_.size() < pieces_max_ && again_ == 0 && !sending_;
}

void FileWriter::SendNextPiece(Lock* lock) {
  const uint64_t in_stripe = sent_ % kStripeBytes;
  const size_t n = static_cast<size_t>(std::min<uint64_t>(
      {buffer_.size(), piece_bytes_, kStripeBytes - in_stripe}));
  // What may throw comes first.
  const auto bytes = std::make_shared<std::string>();
  std::string rest = buffer_.substr(n);
  Piece& piece = pieces_.emplace_back();
  bytes->swap(buffer_);
  bytes->resize(n);
  buffer_.swap(rest);
  piece.offset = sent_;
  piece.bytes = bytes;
  piece.creates = in_stripe == 0;
  sent_ += n;
  Send(lock, &pieces_.back());
}

void FileWriter::Send(Lock* lock, Piece* piece) {
  bool sent = false;
  try {
    ObjectWrite write;
    if (piece->creates) {
      write.Create().SetAttribute(kWriterAttribute, file_->epoch_text());
    } else {
      write.RequireEqual(kWriterAttribute, file_->epoch_text());
    }
    write.WriteBytes(piece->offset % kStripeBytes, piece->bytes);
    const ObjectName stripe =
        StripeObject(volume_->name(), file_->entry().pool, file_->entry().id,
                     piece->offset / kStripeBytes);
    ++under_way_;
    sent = true;
    sending_ = true;
    lock->unlock();
    volume_->store()->ApplyAsync(
        stripe, write,
        [this, piece](const StoreResult& result) { Done(piece, result); });
    lock->lock();
    sending_ = false;
    changed_.notify_all();
  } catch (...) {  // no memory
    if (!lock->owns_lock()) lock->lock();
    if (sent) --under_way_;
    sending_ = false;
    MarkToSendAgain(piece);
    changed_.notify_all();
    throw;
  }
}

void FileWriter::MarkToSendAgain(Piece* piece) {
  piece->again = true;
  ++again_;
}

// REQUIRES: nothing is under way
void FileWriter::SendAgain(Lock* lock) {
  // Answers come in meanwhile, and remove settled pieces from the front.
  std::vector<Piece*> again;
  for (Piece& piece : pieces_) {
    if (piece.again) again.push_back(&piece);
  }
  for (Piece* piece : again) {
    piece->again = false;
    --again_;
    Send(lock, piece);
  }
}

void FileWriter::Done(Piece* piece, const StoreResult& result) noexcept {
  Lock lock(mutex_);
  --under_way_;
  Answer(piece, result);
  // Only settled pieces at the front are removed: the others stay in place.
  while (!pieces_.empty() && pieces_.front().settled) pieces_.pop_front();
  try {
    if (under_way_ < kPiecesOfFlush) {
      SendBuffered(&lock, /*wait_for_room=*/false);
    }
  } catch (...) {
    // No memory: the next call sends it.
  }
  changed_.notify_all();
}

void FileWriter::Answer(Piece* piece, const StoreResult& result) {
  // A stripe may be missing because the piece that creates it had no answer.
  const bool waits_for_another =
      result.code == StoreCode::kNotFound &&
      std::any_of(pieces_.begin(), pieces_.end(), [piece](const Piece& other) {
        return other.creates && other.again &&
               other.offset / kStripeBytes == piece->offset / kStripeBytes;
      });
  // It may exist because an attempt without an answer created it.
  const bool created_before =
      result.code == StoreCode::kExists && piece->creates;
  if (result.ok()) {
    piece->settled = true;
  } else if (result.code == StoreCode::kUnknown || waits_for_another) {
    MarkToSendAgain(piece);
  } else if (created_before) {
    piece->creates = false;
    MarkToSendAgain(piece);
  } else if (failed_.ok()) {
    failed_ = result;
  }
}

Status FileWriter::Failure(Lock* lock) {
  if (failed_.ok() || !failure_.ok()) return failure_;
  const StoreResult failed = failed_;
  lock->unlock();
  Status failure = file_->ErrorOf("write", failed);
  lock->lock();
  if (failure_.ok()) failure_ = failure;
  return failure_;
}

}  // namespace tamis::rados
