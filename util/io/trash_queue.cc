// SPDX-License-Identifier: Apache-2.0
#include "util/io/trash_queue.h"

#include <algorithm>
#include <list>
#include <utility>

#include "util/base/exceptions.h"
#include "util/base/mutex.h"
#include "util/stats/perf_counters.h"

namespace tamis {

class TrashQueue::State : public std::enable_shared_from_this<State> {
 public:
  State(std::shared_ptr<TrackedFiles> files, std::shared_ptr<Clock> clock,
        JobRunner* runner, std::shared_ptr<Logger> logger,
        const Settings& settings)
      : files_(std::move(files)),
        clock_(std::move(clock)),
        runner_(*runner),
        logger_(std::move(logger)),
        settings_(settings) {}

  Status Delete(const std::shared_ptr<FileSystem>& fs, const std::string& path)
      EXCLUDES(mutex_, step_mutex_);
  // Sets *gone, if not nullptr, to whether the file is gone.
  Status DeleteNow(FileSystem* fs, const std::string& path,
                   bool* gone = nullptr) EXCLUDES(mutex_);
  void Forget(const std::string& path) noexcept EXCLUDES(mutex_);
  void SetRate(int64_t bytes_per_second) EXCLUDES(mutex_, step_mutex_);
  void SetRatio(double ratio_max) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    settings_.ratio_max = ratio_max;
  }
  void SetStatistics(std::shared_ptr<Statistics> statistics) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    statistics_.swap(statistics);
  }
  Settings settings() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return settings_;
  }
  uint64_t bytes() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return bytes_;
  }
  // No timer deletes anything afterwards.
  void Stop() EXCLUDES(mutex_, step_mutex_) {
    MutexLock running(&step_mutex_);
    MutexLock lock(&mutex_);
    stopped_ = true;
  }

 private:
  struct Trash {
    std::shared_ptr<FileSystem> fs;
    std::string path;
    uint64_t bytes;
    int failures = 0;
  };
  static constexpr int kFailuresMax = 5;

  bool DeletesSlowly() const EXCLUDES(mutex_);
  void Count(Tickers ticker) noexcept EXCLUDES(mutex_);
  void List(const std::shared_ptr<FileSystem>& fs, const std::string& path,
            const std::string& trash, uint64_t bytes) EXCLUDES(mutex_);
  // Sets a timer for the next step, which is turn `turn`; later timers replace
  // it. If there is no timer, deletes all that is listed.
  void Begin(uint64_t turn, uint64_t micros) EXCLUDES(mutex_, step_mutex_);
  bool SetTimer(uint64_t turn, uint64_t micros) noexcept EXCLUDES(mutex_);
  void Step(uint64_t turn) noexcept EXCLUDES(mutex_, step_mutex_);
  void DeleteAll() noexcept EXCLUDES(mutex_) REQUIRES(step_mutex_);
  // Deletes the first of the list or a part of it. If that fails, makes it the
  // last of the list, or drops it after kFailuresMax failures. Returns false if
  // there is none.
  bool DeleteFirst() noexcept EXCLUDES(mutex_) REQUIRES(step_mutex_);
  // Sets *left to the bytes that are left of the file. Returns false if the
  // deletion failed.
  bool DeletePart(const Trash& trash, uint64_t chunk, uint64_t* left)
      REQUIRES(step_mutex_);
  uint64_t MicrosToNext() const REQUIRES(mutex_);

  const std::shared_ptr<TrackedFiles> files_;
  const std::shared_ptr<Clock> clock_;
  JobRunner& runner_;  // not used after Stop
  const std::shared_ptr<Logger> logger_;

  Mutex step_mutex_;  // held while trash is deleted
  mutable Mutex mutex_;
  bool stopped_ GUARDED_BY(mutex_) = false;
  Settings settings_ GUARDED_BY(mutex_);
  std::shared_ptr<Statistics> statistics_ GUARDED_BY(mutex_);
  std::list<Trash> list_ GUARDED_BY(mutex_);
  bool first_in_use_ GUARDED_BY(mutex_) = false;  // it is being deleted
  uint64_t bytes_ GUARDED_BY(mutex_) = 0;         // of list_
  // Whether a timer is set, or will be by the step that runs; and its turn.
  bool timed_ GUARDED_BY(mutex_) = false;
  uint64_t turn_ GUARDED_BY(mutex_) = 0;
  // The last deletion: when it began, and its bytes.
  uint64_t deleted_at_ GUARDED_BY(mutex_) = 0;
  uint64_t deleted_bytes_ GUARDED_BY(mutex_) = 0;
};

bool TrashQueue::State::DeletesSlowly() const {
  const uint64_t total = files_->total();
  MutexLock lock(&mutex_);
  return settings_.bytes_per_second > 0 && runner_.IsUsable() &&
         static_cast<double>(bytes_) <=
             static_cast<double>(total) * settings_.ratio_max;
}

void TrashQueue::State::Count(Tickers ticker) noexcept {
  IgnoreExceptions([&] {
    std::shared_ptr<Statistics> statistics;
    {
      MutexLock lock(&mutex_);
      statistics = statistics_;
    }
    RecordTick(statistics.get(), ticker);
  });
}

// A file system that fails, or throws, may have deleted the file all the same.
Status TrashQueue::State::DeleteNow(FileSystem* fs, const std::string& path,
                                    bool* gone) {
  const Status status = CatchExceptions([&] { return fs->RemoveFile(path); });
  const bool is_gone =
      status.ok() || status.IsPathNotFound() ||
      CatchExceptions([&] { return fs->FileExists(path); }).IsPathNotFound();
  if (is_gone) files_->Remove(path);
  if (gone != nullptr) *gone = is_gone;
  return status;
}

Status TrashQueue::State::Delete(const std::shared_ptr<FileSystem>& fs,
                                 const std::string& path) {
  if (DeletesSlowly()) {
    const bool is_trash = path.ends_with(kTrashSuffix);
    const std::string trash = is_trash ? path : path + kTrashSuffix;
    uint64_t bytes = 0;
    Status status = CatchExceptions([&] {
      const Status sized = fs->GetFileSize(path, &bytes);
      return sized.ok() && !is_trash ? fs->RenameFile(path, trash) : sized;
    });
    if (status.ok()) {
      status = CatchExceptions([&] {
        List(fs, path, trash, bytes);
        return Status::OK();
      });
      if (status.ok()) {
        Count(FILES_MARKED_TRASH);
        return status;
      }
      files_->Remove(path);
      return DeleteNow(fs.get(), trash);
    }
  }
  const Status status = DeleteNow(fs.get(), path);
  if (status.ok()) Count(FILES_DELETED_IMMEDIATELY);
  return status;
}

void TrashQueue::State::List(const std::shared_ptr<FileSystem>& fs,
                             const std::string& path, const std::string& trash,
                             uint64_t bytes) {
  std::list<Trash> one;
  one.push_back({fs, trash, bytes, /*failures=*/0});
  files_->Rename(path, trash);
  // From here on nothing throws.
  uint64_t turn = 0;
  uint64_t micros = 0;
  {
    MutexLock lock(&mutex_);
    const auto same =
        std::find_if(list_.begin(), list_.end(),
                     [&](const Trash& other) { return other.path == trash; });
    if (same == list_.end()) {
      list_.splice(list_.end(), one);
      bytes_ += bytes;
    } else if (!first_in_use_ || same != list_.begin()) {
      bytes_ = bytes_ - same->bytes + bytes;
      same->bytes = bytes;
      same->failures = 0;
    }
    if (timed_) return;
    timed_ = true;
    turn = ++turn_;
    micros = MicrosToNext();
  }
  Begin(turn, micros);
}

// Somebody has deleted the file.
void TrashQueue::State::Forget(const std::string& path) noexcept {
  std::list<Trash> forgotten;  // destroyed without the mutex
  MutexLock lock(&mutex_);
  for (auto trash = list_.begin(); trash != list_.end(); ++trash) {
    if (trash->path != path) continue;
    // What is being deleted leaves the list when it is found to be gone.
    if (first_in_use_ && trash == list_.begin()) return;
    bytes_ -= trash->bytes;
    forgotten.splice(forgotten.end(), list_, trash);
    return;
  }
}

void TrashQueue::State::SetRate(int64_t bytes_per_second) {
  uint64_t turn = 0;
  uint64_t micros = 0;
  {
    MutexLock lock(&mutex_);
    settings_.bytes_per_second = bytes_per_second;
    if (list_.empty()) return;
    timed_ = true;
    turn = ++turn_;
    micros = MicrosToNext();
  }
  Begin(turn, micros);
}

uint64_t TrashQueue::State::MicrosToNext() const {
  if (settings_.bytes_per_second <= 0) return 0;
  constexpr double kMicrosMax = 1e15;  // 30 years
  const double takes = static_cast<double>(deleted_bytes_) * 1e6 /
                       static_cast<double>(settings_.bytes_per_second);
  const uint64_t next =
      deleted_at_ + static_cast<uint64_t>(std::min(takes, kMicrosMax));
  const uint64_t now = clock_->NowMicros();
  return next > now ? next - now : 0;
}

void TrashQueue::State::Begin(uint64_t turn, uint64_t micros) {
  if (SetTimer(turn, micros)) return;
  MutexLock running(&step_mutex_);
  DeleteAll();
}

bool TrashQueue::State::SetTimer(uint64_t turn, uint64_t micros) noexcept {
  const Status set = CatchExceptions([&] {
    const bool scheduled =
        runner_.ScheduleAfter(micros, [weak = weak_from_this(), turn] {
          const std::shared_ptr<State> state = weak.lock();
          if (state != nullptr) state->Step(turn);
        });
    return scheduled ? Status::OK() : Status::NotSupported("no timer");
  });
  return set.ok();
}

void TrashQueue::State::Step(uint64_t turn) noexcept {
  MutexLock running(&step_mutex_);
  {
    MutexLock lock(&mutex_);
    if (stopped_ || turn != turn_) return;
  }
  bool more = DeleteFirst();
  uint64_t micros = 0;
  {
    MutexLock lock(&mutex_);
    // SetRate may have set another timer meanwhile.
    if (turn != turn_) return;
    more = more && !list_.empty();
    timed_ = more;
    if (!more) return;
    turn = ++turn_;
    micros = MicrosToNext();
  }
  if (!SetTimer(turn, micros)) DeleteAll();
}

void TrashQueue::State::DeleteAll() noexcept {
  while (DeleteFirst()) {
  }
}

bool TrashQueue::State::DeleteFirst() noexcept {
  const Trash* first = nullptr;
  uint64_t chunk = 0;
  {
    MutexLock lock(&mutex_);
    if (list_.empty() || stopped_) {
      timed_ = false;
      return false;
    }
    first_in_use_ = true;  // it stays in the list, at this address
    first = &list_.front();
    if (settings_.bytes_per_second > 0) chunk = settings_.chunk_bytes;
    deleted_at_ = clock_->NowMicros();
  }
  uint64_t left = 0;
  const bool failed = !DeletePart(*first, chunk, &left);
  std::list<Trash> done;  // destroyed without the mutex
  MutexLock lock(&mutex_);
  first_in_use_ = false;
  Trash& trash = list_.front();
  if (failed && ++trash.failures < kFailuresMax) {
    // The rate bounds attempts, too.
    deleted_bytes_ = chunk > 0 ? std::min(trash.bytes, chunk) : trash.bytes;
    list_.splice(list_.end(), list_, list_.begin());
    return true;
  }
  deleted_bytes_ = trash.bytes - left;
  bytes_ -= deleted_bytes_;
  trash.bytes = left;
  if (left == 0) done.splice(done.end(), list_, list_.begin());
  return true;
}

bool TrashQueue::State::DeletePart(const Trash& trash, uint64_t chunk,
                                   uint64_t* left) {
  *left = 0;
  if (chunk > 0 && trash.bytes > chunk) {
    const uint64_t rest = trash.bytes - chunk;
    const Status cut = CatchExceptions([&] {
      uint64_t links = 0;
      const Status counted = trash.fs->NumFileLinks(trash.path, &links);
      if (!counted.ok()) return counted;
      if (links != 1) return Status::NotSupported("it has other names");
      return trash.fs->Truncate(trash.path, rest);
    });
    if (cut.ok()) {
      files_->Shorten(trash.path, rest);
      *left = rest;
      return true;
    }
  }
  bool gone = false;
  const Status status = DeleteNow(trash.fs.get(), trash.path, &gone);
  if (!status.ok() && !status.IsPathNotFound()) {
    IgnoreExceptions([&] {
      Log(ERROR_LEVEL, logger_.get(), "%s cannot be deleted: %s",
          trash.path.c_str(), status.ToString().c_str());
    });
  }
  return gone;
}

TrashQueue::TrashQueue(std::shared_ptr<TrackedFiles> files,
                       std::shared_ptr<Clock> clock,
                       std::shared_ptr<JobRunner> runner,
                       std::shared_ptr<Logger> logger, const Settings& settings)
    : runner_(std::move(runner)),
      state_(std::make_shared<State>(std::move(files), std::move(clock),
                                     runner_.get(), std::move(logger),
                                     settings)) {}

TrashQueue::~TrashQueue() { state_->Stop(); }

Status TrashQueue::Delete(const std::shared_ptr<FileSystem>& fs,
                          const std::string& path) {
  return state_->Delete(fs, path);
}

Status TrashQueue::DeleteAtOnce(FileSystem* fs, const std::string& path) {
  const Status status = state_->DeleteNow(fs, path);
  if (status.ok() || status.IsPathNotFound()) state_->Forget(path);
  return status;
}

TrashQueue::Settings TrashQueue::settings() const { return state_->settings(); }
void TrashQueue::SetRate(int64_t bytes_per_second) {
  state_->SetRate(bytes_per_second);
}
void TrashQueue::SetRatio(double ratio_max) { state_->SetRatio(ratio_max); }
void TrashQueue::SetStatistics(std::shared_ptr<Statistics> statistics) {
  state_->SetStatistics(std::move(statistics));
}
uint64_t TrashQueue::bytes() const { return state_->bytes(); }

}  // namespace tamis
