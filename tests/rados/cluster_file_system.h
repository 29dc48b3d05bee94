// SPDX-License-Identifier: Apache-2.0
//
// A ClusterFileSystem is the file system of one process after another, over a
// volume of a simulated cluster, with the controls of a SimulatedFileSystem:
//
//   calls             those to the cluster: apply, append, lease, read
//   CutPower          the process is cut off: what it sends arrives late
//   Restart           another process takes the volume over
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rados/rados_file_system.h"
#include "tests/rados/simulated_cluster.h"
#include "tests/support/simulated_file_system.h"
#include "tests/support/worker_service.h"
#include "util/base/fake_clock.h"

namespace tamis::rados {

// The options of a volume in a simulation: no thread, and files are removed as
// soon as they have no name.
Volume::Options SimulatedVolume(std::shared_ptr<Clock> clock);

class ClusterFileSystem final : public SimulatedFileSystem, public HasWorkers {
 public:
  // With `flush_waits`, what was flushed survives a failing call, as it does in
  // a local file.
  ClusterFileSystem(uint64_t seed, const Unreliability& unreliability,
                    bool flush_waits);

  SimulatedCluster& cluster() { return cluster_; }

  void SetStoresInPlace(bool /*in_place*/) override {}
  void SetFaultHook(FaultHook hook) override { fault_hook_ = std::move(hook); }
  uint64_t calls() const override { return calls_; }
  void SetReadHook(FaultHook hook) override { read_hook_ = std::move(hook); }
  void CutPower() override { client_->CutOff(); }
  void Restart(uint64_t seed, CrashStyle style) override;
  Status GetContents(const std::string& path, std::string* contents) override;
  Status SetContents(const std::string& path, std::string contents) override;

  const char* Name() const override { return "ClusterFileSystem"; }
  uint64_t FlushedBytesAtRisk() const override {
    return fs_->FlushedBytesAtRisk();
  }
  Status NewSequentialFile(const std::string& path,
                           std::unique_ptr<SequentialFile>* file) override {
    return fs_->NewSequentialFile(path, file);
  }
  Status NewRandomAccessFile(const std::string& path,
                             std::unique_ptr<RandomAccessFile>* file) override {
    return fs_->NewRandomAccessFile(path, file);
  }
  Status NewWritableFile(const std::string& path,
                         std::unique_ptr<WritableFile>* file) override {
    return fs_->NewWritableFile(path, file);
  }
  Status OpenWritableFile(const std::string& path, const FileOptions& options,
                          std::unique_ptr<WritableFile>* file) override {
    return fs_->OpenWritableFile(path, options, file);
  }
  Status FileExists(const std::string& path) override {
    return fs_->FileExists(path);
  }
  Status GetChildren(const std::string& directory,
                     std::vector<std::string>* names) override {
    return fs_->GetChildren(directory, names);
  }
  Status GetFileSize(const std::string& path, uint64_t* size) override {
    return fs_->GetFileSize(path, size);
  }
  Status RemoveFile(const std::string& path) override {
    return fs_->RemoveFile(path);
  }
  Status NumFileLinks(const std::string& path, uint64_t* links) override {
    return fs_->NumFileLinks(path, links);
  }
  Status RenameFile(const std::string& from, const std::string& to) override {
    return fs_->RenameFile(from, to);
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return fs_->LinkFile(from, to);
  }
  Status SyncFile(const std::string& path) override {
    return fs_->SyncFile(path);
  }
  Status CreateDirIfMissing(const std::string& path) override {
    return fs_->CreateDirIfMissing(path);
  }
  Status CreateSharedDirectory(const std::string& path) override {
    return fs_->CreateSharedDirectory(path);
  }
  Status RemoveDir(const std::string& path) override {
    return fs_->RemoveDir(path);
  }
  // That of another client, whose calls count, too.
  std::shared_ptr<FileSystem> OfWorker() override;
  // Is a call, and lets the volume do what its thread would.
  Status SyncDirectory(const std::string& path) override;
  Status LockFile(const std::string& path,
                  std::unique_ptr<FileLock>* lock) override {
    return fs_->LockFile(path, lock);
  }
  Status IsLocked(const std::string& path, bool* locked) override {
    return fs_->IsLocked(path, locked);
  }

 private:
  // A new process.
  void Connect();
  StoreResult Meet(const std::string& call, const ObjectName& object);

  SimulatedCluster cluster_;
  const bool flush_waits_;
  const std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
  uint64_t processes_ = 0;
  SimulatedClient* client_ = nullptr;  // volume_'s
  std::shared_ptr<Volume> volume_;
  std::unique_ptr<RadosFileSystem> fs_;
  std::shared_ptr<Volume> worker_;  // the last
  std::unique_ptr<FileLock> lock_;  // of a restarted process
  FaultHook fault_hook_;
  FaultHook read_hook_;
  uint64_t calls_ = 0;
  uint64_t reads_ = 0;
};

}  // namespace tamis::rados
