// SPDX-License-Identifier: Apache-2.0
#include "tests/rados/cluster_file_system.h"

#include <utility>

#include "util/base/check.h"

namespace tamis::rados {

Volume::Options SimulatedVolume(std::shared_ptr<Clock> clock) {
  Volume::Options options;
  options.name = "v";
  options.trash_seconds = 0;
  options.has_thread = false;
  options.clock = std::move(clock);
  return options;
}

ClusterFileSystem::ClusterFileSystem(uint64_t seed,
                                     const Unreliability& unreliability,
                                     bool flush_waits)
    : cluster_(seed), flush_waits_(flush_waits) {
  cluster_.SetUnreliability(unreliability);
  Connect();
}

void ClusterFileSystem::Connect() {
  auto client = std::make_unique<SimulatedClient>(
      &cluster_, "client" + std::to_string(++processes_));
  client_ = client.get();
  client->SetHook([this](const std::string& call, const ObjectName& object) {
    return Meet(call, object);
  });
  Volume::Options options = SimulatedVolume(clock_);
  options.ownership.take_over = true;
  // Fencing must not need it.
  options.ownership.blocklist = false;
  volume_ = std::make_shared<Volume>(std::move(client), options);
  fs_ = std::make_unique<RadosFileSystem>(volume_, flush_waits_);
}

std::shared_ptr<FileSystem> ClusterFileSystem::OfWorker() {
  auto client = std::make_unique<SimulatedClient>(
      &cluster_, "worker" + std::to_string(++processes_));
  client->SetHook([this](const std::string& call, const ObjectName& object) {
    return Meet(call, object);
  });
  worker_ =
      std::make_shared<Volume>(std::move(client), SimulatedVolume(clock_));
  return std::make_shared<RadosFileSystem>(worker_, flush_waits_);
}

StoreResult ClusterFileSystem::Meet(const std::string& call,
                                    const ObjectName& object) {
  const bool is_read = call == "read";
  const FaultHook& hook = is_read ? read_hook_ : fault_hook_;
  uint64_t& count = is_read ? reads_ : calls_;
  const Call met = {++count, call, object.name, 0};
  if (hook == nullptr) return {};
  const Fault fault = hook(met);
  if (fault.status.ok()) return {};
  return {fault.status.IsNoSpace() ? StoreCode::kNoSpace : StoreCode::kFailed,
          fault.status.ToString()};
}

// Takes the volume over first: what the process before has sent must not arrive
// between two calls of a test that belong together, such as one for the
// families and the open.
void ClusterFileSystem::Restart(uint64_t /*seed*/, CrashStyle /*style*/) {
  lock_.reset();
  Connect();
  const FaultHook fault_hook = std::exchange(fault_hook_, nullptr);
  const Status locked = fs_->LockFile("/process", &lock_);
  TAMIS_CHECK(locked.ok());
  fault_hook_ = fault_hook;
}

Status ClusterFileSystem::SyncDirectory(const std::string& path) {
  if (fault_hook_ != nullptr) {
    const Fault fault = fault_hook_({++calls_, "sync_dir", path, 0});
    if (!fault.status.ok()) return fault.status;
  }
  volume_->Tend();
  if (worker_ != nullptr) worker_->Tend();
  return fs_->SyncDirectory(path);
}

Status ClusterFileSystem::GetContents(const std::string& path,
                                      std::string* contents) {
  return ReadFileToString(this, path, contents);
}

Status ClusterFileSystem::SetContents(const std::string& path,
                                      std::string contents) {
  return WriteStringToFile(this, contents, path, /*sync=*/true);
}

}  // namespace tamis::rados
