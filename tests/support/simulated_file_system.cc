// SPDX-License-Identifier: Apache-2.0
//
// SimulatedFileSystem on a SimulatedDisk: numbers calls, invokes the hooks, and
// rejects changes while the power is off.
#include "tests/support/simulated_file_system.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/support/simulated_disk.h"
#include "util/base/check.h"
#include "util/base/mutex.h"

namespace tamis {

namespace {

using Node = SimulatedDisk::Node;
using NodePtr = SimulatedDisk::NodePtr;

// Shared by the file system and its open files. Any thread.
class Machine {
 public:
  // A read-only call.
  template <typename Look>
  Status Read(const char* operation, const std::string& path, Look look)
      EXCLUDES(mutex_) {
    TAMIS_RETURN_IF_ERROR(CallReadHook(operation, path));
    return Do(look);
  }
  // Invokes no hook.
  template <typename Action>
  auto Do(Action action) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return action(disk_);
  }

  // Invokes no hook; does nothing while the power is off.
  template <typename Action>
  void DoWithPower(Action action) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    if (power_) action(disk_);
  }

  // A mutating append: change(disk, number of bytes to append).
  template <typename Change>
  Status Append(const std::string& path, size_t bytes, Change change)
      EXCLUDES(mutex_) {
    const SimulatedFileSystem::Fault fault = CallHook("append", path, bytes);
    if (!fault.status.ok() && fault.bytes_kept == 0) return fault.status;
    MutexLock lock(&mutex_);
    if (!power_) return PowerIsCut(path);
    change(disk_,
           fault.status.ok() ? bytes : std::min(bytes, fault.bytes_kept));
    return fault.status;
  }
  // Any other mutating call.
  template <typename Change>
  Status Write(const char* operation, const std::string& path, Change change)
      EXCLUDES(mutex_) {
    TAMIS_RETURN_IF_ERROR(CallHook(operation, path, 0).status);
    MutexLock lock(&mutex_);
    if (!power_) return PowerIsCut(path);
    return change(disk_);
  }

  void SetHook(SimulatedFileSystem::FaultHook hook) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    hook_ = std::move(hook);
  }
  void SetReadHook(SimulatedFileSystem::FaultHook hook) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    read_hook_ = std::move(hook);
  }
  uint64_t calls() const EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    return calls_;
  }
  void CutPower() EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    power_ = false;
  }
  void Restart(uint64_t seed, CrashStyle style) EXCLUDES(mutex_) {
    MutexLock lock(&mutex_);
    TAMIS_CHECK(!power_ && "Restart comes after CutPower");
    disk_.Restart(seed, style);
    power_ = true;
  }

 private:
  static Status PowerIsCut(const std::string& path) {
    return Status::IOError(path, "power is cut");
  }
  // Calls the hook without the lock, so that it may cut the power.
  SimulatedFileSystem::Fault CallHook(const char* operation,
                                      const std::string& path, size_t bytes)
      EXCLUDES(mutex_) {
    SimulatedFileSystem::FaultHook hook;
    SimulatedFileSystem::Call call;
    {
      MutexLock lock(&mutex_);
      if (!power_) return PowerIsCut(path);
      call = {++calls_, operation, path, bytes};
      hook = hook_;
    }
    if (!hook) return Status::OK();
    return hook(call);
  }
  Status CallReadHook(const char* operation, const std::string& path)
      EXCLUDES(mutex_) {
    SimulatedFileSystem::FaultHook hook;
    uint64_t number = 0;
    {
      MutexLock lock(&mutex_);
      number = ++reads_;
      if (!read_hook_) return Status::OK();
      hook = read_hook_;
    }
    return hook({number, operation, path, 0}).status;
  }

  mutable Mutex mutex_;
  SimulatedDisk disk_ GUARDED_BY(mutex_);
  SimulatedFileSystem::FaultHook hook_ GUARDED_BY(mutex_);
  SimulatedFileSystem::FaultHook read_hook_ GUARDED_BY(mutex_);
  uint64_t calls_ GUARDED_BY(mutex_) = 0;
  uint64_t reads_ GUARDED_BY(mutex_) = 0;
  bool power_ GUARDED_BY(mutex_) = true;
};

using MachinePtr = std::shared_ptr<Machine>;

// What direct reads report, small to be met by small tables.
constexpr size_t kDirectAlignment = 512;

class SimulatedRandomAccessFile final : public RandomAccessFile {
 public:
  SimulatedRandomAccessFile(MachinePtr machine, std::string path, NodePtr node)
      : machine_(std::move(machine)),
        path_(std::move(path)),
        node_(std::move(node)) {}

  Status Read(uint64_t offset, size_t n, Slice* result,
              char* scratch) const override {
    return machine_->Read("read", path_, [&](const SimulatedDisk&) {
      const std::string& bytes = node_->bytes;
      const size_t from =
          static_cast<size_t>(std::min<uint64_t>(offset, bytes.size()));
      const size_t count = std::min(n, bytes.size() - from);
      if (count > 0) std::memcpy(scratch, bytes.data() + from, count);
      *result = Slice(scratch, count);
      return Status::OK();
    });
  }
  size_t GetRequiredBufferAlignment() const override { return alignment_; }
  void set_alignment(size_t alignment) { alignment_ = alignment; }

 private:
  const MachinePtr machine_;
  const std::string path_;
  const NodePtr node_;
  size_t alignment_ = 1;
};

class SimulatedSequentialFile final : public SequentialFile {
 public:
  SimulatedSequentialFile(MachinePtr machine, std::string path, NodePtr node)
      : file_(std::move(machine), std::move(path), std::move(node)) {}

  Status Read(size_t n, Slice* result, char* scratch) override {
    TAMIS_RETURN_IF_ERROR(file_.Read(offset_, n, result, scratch));
    offset_ += result->size();
    return Status::OK();
  }
  Status Skip(uint64_t n) override {
    offset_ += n;
    return Status::OK();
  }

 private:
  const SimulatedRandomAccessFile file_;
  uint64_t offset_ = 0;
};

// Appended bytes are visible at once: no process here can be killed separately
// from its machine.
class SimulatedWritableFile final : public WritableFile {
 public:
  SimulatedWritableFile(MachinePtr machine, std::string path, NodePtr node,
                        bool in_place)
      : machine_(std::move(machine)),
        path_(std::move(path)),
        node_(std::move(node)),
        in_place_(in_place) {}

  Status Append(const Slice& data) override {
    in_place_ = false;
    const Status status = machine_->Append(
        path_, data.size(), [&](const SimulatedDisk&, size_t bytes) {
          node_->bytes.append(data.data(), bytes);
        });
    if (status.ok()) size_ += data.size();
    return status;
  }
  Status Flush() override { return Pass("flush"); }

  // Reserves more than requested, so that power failures expose zeros.
  char* Reserve(size_t n) override {
    if (!in_place_) return nullptr;
    const Status status =
        machine_->Write("reserve", path_, [&](SimulatedDisk&) {
          node_->reserved = std::max(node_->reserved, size_ + 2 * n);
          return Status::OK();
        });
    in_place_ = status.ok();
    if (!in_place_) return nullptr;
    room_.assign(n, '\0');
    return room_.data();
  }
  void Commit(size_t n) override {
    machine_->DoWithPower(
        [&](const SimulatedDisk&) { node_->bytes.append(room_.data(), n); });
    size_ += n;
  }

  Status Sync() override {
    in_place_ = false;
    Status status = machine_->Write("sync", path_, [this](SimulatedDisk&) {
      SimulatedDisk::SyncFile(node_.get());
      return Status::OK();
    });
    if (!status.ok()) {
      machine_->Do([this](const SimulatedDisk&) {
        node_->sync_failed = true;
        return true;
      });
    }
    return status;
  }
  Status Close() override { return Pass("close"); }
  uint64_t GetFileSize() const override { return size_; }

 private:
  Status Pass(const char* operation) {
    return machine_->Write(operation, path_,
                           [](SimulatedDisk&) { return Status::OK(); });
  }

  const MachinePtr machine_;
  const std::string path_;
  const NodePtr node_;
  uint64_t size_ = 0;
  bool in_place_;
  std::string room_;  // returned by Reserve
};

class SimulatedFileLock final : public FileLock {
 public:
  SimulatedFileLock(MachinePtr machine, NodePtr node)
      : machine_(std::move(machine)), node_(std::move(node)) {}
  SimulatedFileLock(const SimulatedFileLock&) = delete;
  SimulatedFileLock& operator=(const SimulatedFileLock&) = delete;
  // Also while the power is off; then the node is not on the new disk.
  ~SimulatedFileLock() override {
    machine_->Do([this](SimulatedDisk&) {
      node_->locked = false;
      return true;
    });
  }

 private:
  const MachinePtr machine_;
  const NodePtr node_;
};

class SimulatedFileSystemImpl final : public SimulatedFileSystem {
 public:
  const char* Name() const override { return "SimulatedFileSystem"; }

  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return OpenForReading<SimulatedSequentialFile>(path, file);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return OpenForReading<SimulatedRandomAccessFile>(path, file);
  }
  // Every read is direct.
  Status OpenRandomAccessFile(
      const std::string& path, const FileOptions& options,
      std::unique_ptr<RandomAccessFile>* file) override {
    file->reset();
    std::unique_ptr<SimulatedRandomAccessFile> opened;
    TAMIS_RETURN_IF_ERROR(
        OpenForReading<SimulatedRandomAccessFile>(path, &opened));
    if (options.use_direct_reads) opened->set_alignment(kDirectAlignment);
    *file = std::move(opened);
    return Status::OK();
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    file->reset();
    return machine_->Write("create", path, [&](SimulatedDisk& disk) -> Status {
      const Result<NodePtr> node = disk.FindOrCreate(path);
      TAMIS_RETURN_IF_ERROR(node.status());
      SimulatedDisk::Truncate(node->get());
      *file = std::make_unique<SimulatedWritableFile>(machine_, path, *node,
                                                      in_place_);
      return Status::OK();
    });
  }
  // Every write is direct.
  Status OpenWritableFile(const std::string& path, const FileOptions&,
                          std::unique_ptr<WritableFile>* file) override {
    return NewWritableFile(path, file);
  }

  Status FileExists(const std::string& path) override {
    return machine_->Read("exists", path, [&](const SimulatedDisk& disk) {
      return disk.Find(path) != nullptr
                 ? Status::OK()
                 : Status::PathNotFound(path, "no such file");
    });
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    names->clear();
    return machine_->Read(
        "list", directory, [&](const SimulatedDisk& disk) -> Status {
          const Result<NodePtr> node = disk.FindDirectory(directory);
          TAMIS_RETURN_IF_ERROR(node.status());
          for (const auto& [name, child] : (*node)->visible)
            names->push_back(name);
          return Status::OK();
        });
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return machine_->Read("size", path,
                          [&](const SimulatedDisk& disk) -> Status {
                            const Result<NodePtr> node = disk.FindFile(path);
                            TAMIS_RETURN_IF_ERROR(node.status());
                            *size = (*node)->bytes.size();
                            return Status::OK();
                          });
  }

  Status RemoveFile(const std::string& path) override {
    return machine_->Write("remove", path, [&](SimulatedDisk& disk) {
      return disk.RemoveFile(path);
    });
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return machine_->Read("size", path,
                          [&](const SimulatedDisk& disk) -> Status {
                            const Result<NodePtr> node = disk.FindFile(path);
                            TAMIS_RETURN_IF_ERROR(node.status());
                            *links = disk.CountNames(**node);
                            return Status::OK();
                          });
  }
  Status Truncate(const std::string& path, uint64_t size) override {
    return machine_->Write(
        "truncate", path, [&](SimulatedDisk& disk) -> Status {
          const Result<NodePtr> node = disk.FindFile(path);
          TAMIS_RETURN_IF_ERROR(node.status());
          if (size > (*node)->bytes.size()) {
            return Status::InvalidArgument(path, "truncate: it is shorter");
          }
          SimulatedDisk::Shorten(node->get(), size);
          return Status::OK();
        });
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return machine_->Write("rename", from, [&](SimulatedDisk& disk) {
      return disk.Rename(from, to);
    });
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return machine_->Write(
        "link", from, [&](SimulatedDisk& disk) { return disk.Link(from, to); });
  }
  Status SyncFile(const std::string& path) override {
    return machine_->Write("sync", path, [&](SimulatedDisk& disk) -> Status {
      const Result<NodePtr> node = disk.FindFile(path);
      TAMIS_RETURN_IF_ERROR(node.status());
      SimulatedDisk::SyncFile(node->get());
      return Status::OK();
    });
  }
  Status CreateDirIfMissing(const std::string& path) override {
    return machine_->Write("create_dir", path, [&](SimulatedDisk& disk) {
      return disk.CreateDirectory(path);
    });
  }
  Status RemoveDir(const std::string& path) override {
    return machine_->Write("remove_dir", path, [&](SimulatedDisk& disk) {
      return disk.RemoveDirectory(path);
    });
  }
  Status SyncDirectory(const std::string& path) override {
    return machine_->Write("sync_dir", path, [&](SimulatedDisk& disk) {
      return disk.SyncDirectory(path);
    });
  }

  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    lock->reset();
    return machine_->Write("lock", path, [&](SimulatedDisk& disk) -> Status {
      const Result<NodePtr> node = disk.FindOrCreate(path);
      TAMIS_RETURN_IF_ERROR(node.status());
      if ((*node)->locked) {
        return Status::IOError(path, "locked: already held");
      }
      (*node)->locked = true;
      *lock = std::make_unique<SimulatedFileLock>(machine_, *node);
      return Status::OK();
    });
  }

  Status IsLocked(const std::string& path, bool* locked) override {
    *locked = false;
    return machine_->Read("locked", path, [&](const SimulatedDisk& disk) {
      const NodePtr node = disk.Find(path);
      *locked = node != nullptr && node->locked;
      return Status::OK();
    });
  }

  void SetStoresInPlace(bool in_place) override { in_place_ = in_place; }
  void SetFaultHook(FaultHook hook) override {
    machine_->SetHook(std::move(hook));
  }
  void SetReadHook(FaultHook hook) override {
    machine_->SetReadHook(std::move(hook));
  }
  uint64_t calls() const override { return machine_->calls(); }
  void CutPower() override { machine_->CutPower(); }
  void Restart(uint64_t seed, CrashStyle style) override {
    machine_->Restart(seed, style);
  }

  Status GetContents(const std::string& path, std::string* contents) override {
    return machine_->Do([&](const SimulatedDisk& disk) -> Status {
      const Result<NodePtr> node = disk.FindFile(path);
      TAMIS_RETURN_IF_ERROR(node.status());
      *contents = (*node)->bytes;
      return Status::OK();
    });
  }
  Status SetContents(const std::string& path, std::string contents) override {
    return machine_->Do([&](SimulatedDisk& disk) -> Status {
      const Result<NodePtr> node = disk.FindFile(path);
      TAMIS_RETURN_IF_ERROR(node.status());
      SimulatedDisk::Truncate(node->get());
      (*node)->bytes = std::move(contents);
      SimulatedDisk::SyncFile(node->get());
      return Status::OK();
    });
  }

 private:
  template <typename File, typename Base>
  Status OpenForReading(const std::string& path, std::unique_ptr<Base>* file) {
    file->reset();
    return machine_->Read(
        "open", path, [&](const SimulatedDisk& disk) -> Status {
          Result<NodePtr> node = disk.FindFile(path);
          TAMIS_RETURN_IF_ERROR(node.status());
          *file = std::make_unique<File>(machine_, path, *std::move(node));
          return Status::OK();
        });
  }

  const MachinePtr machine_ = std::make_shared<Machine>();
  bool in_place_ = false;
};

}  // namespace

std::shared_ptr<SimulatedFileSystem> NewSimulatedFileSystem() {
  return std::make_shared<SimulatedFileSystemImpl>();
}

}  // namespace tamis
