// SPDX-License-Identifier: Apache-2.0
//
// A FileWriter appends to an open file of a volume. Appended bytes are sent in
// pieces, of 1 MiB or, of a table, whole stripes. Several are under way at
// once:
//
//   ... stripe ────────────────────┬── next stripe ──────
//        acknowledged │ sent, sent │ sent │ buffered
//
// Flush sends what is buffered, without waiting, or leaves that to the next
// answer if many pieces are under way. Sync waits for all answers. A piece
// without an answer is sent again: bytes at the same place, so that it does no
// harm if both arrive.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "tamis/file_system.h"

#include "rados/new_file.h"
#include "rados/volume.h"

namespace tamis::rados {

class FileWriter final : public WritableFile {
 public:
  // The most flushed bytes that the cluster has not acknowledged, without
  // `flush_waits`.
  static constexpr uint64_t kAtRiskMax = 9 << 20;

  // With `flush_waits`, Flush waits as Sync does.
  FileWriter(std::shared_ptr<Volume> volume, std::unique_ptr<NewFile> file,
             bool flush_waits);
  ~FileWriter() override;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  Status Append(const Slice& data) override;
  Status Flush() override;
  Status Sync() override;
  Status Close() override;
  uint64_t GetFileSize() const override;

 private:
  struct Piece {
    uint64_t offset = 0;  // in the file
    std::shared_ptr<const std::string> bytes;
    bool creates = false;  // the stripe
    bool again = false;    // had no answer: is to be sent again
    bool settled = false;
  };
  using Lock = std::unique_lock<std::mutex>;

  // All with mutex_ held.
  void SendBuffered(Lock* lock, bool wait_for_room);
  void SendNextPiece(Lock* lock);
  void Send(Lock* lock, Piece* piece);
  void SendAgain(Lock* lock);
  void MarkToSendAgain(Piece* piece);
  bool HasRoom() const;
  void Answer(Piece* piece, const StoreResult& result);
  template <typename Predicate>
  void WaitUntil(Lock* lock, const Predicate& predicate);
  Status Drain(Lock* lock);
  Status Failure(Lock* lock);

  void Done(Piece* piece, const StoreResult& result) noexcept;

  const std::shared_ptr<Volume> volume_;
  const std::unique_ptr<NewFile> file_;
  const bool flush_waits_;
  const size_t piece_bytes_;
  const uint32_t pieces_max_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string buffer_;
  uint64_t size_ = 0;
  uint64_t sent_ = 0;         // bytes
  std::deque<Piece> pieces_;  // from the first that is not settled, in order
  uint32_t under_way_ = 0;    // pieces that were sent and have no answer
  uint32_t again_ = 0;        // pieces that are to be sent again
  // A thread hands a piece to the store, without the mutex. Another one must
  // wait: pieces of a stripe are sent in order.
  bool sending_ = false;
  StoreResult failed_;  // the first failure
  Status failure_;      // what it means
};

}  // namespace tamis::rados
