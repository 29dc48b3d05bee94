// SPDX-License-Identifier: Apache-2.0
//
// A Volume is a tree of files in a cluster, seen from one client. It becomes
// the owner with the first lock on a file, and leaves with the last:
//
//   lock ── lease ── epoch + 1 ── read names ── close open files
//        ── end shared directories ── ready
//
// To close a file that the owner before left open, its stripes are given to the
// new epoch, then measured: nothing that is acknowledged is missing, and
// nothing can be added.
//
// Threads: any. One thread renews the lease, or the pin of a reader, and
// removes files without a name.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "tamis/clock.h"
#include "tamis/rados.h"
#include "tamis/status.h"

#include "rados/change_notifier.h"
#include "rados/change_watch.h"
#include "rados/known_files.h"
#include "rados/local_cache.h"
#include "rados/object_store.h"
#include "rados/ownership.h"
#include "rados/pin_watch.h"
#include "rados/reader_pin.h"
#include "rados/shared_directory.h"
#include "rados/volume_names.h"

namespace tamis::rados {

class Volume {
 public:
  struct Options {
    std::string name;
    Ownership::Options ownership;
    // How long the bytes of a removed file stay in any case, and for readers.
    uint32_t trash_seconds = 60;
    PinLimits pins;
    // Without, Tend must be called instead of the thread.
    bool has_thread = true;
    std::shared_ptr<Clock> clock;
    // What keeps pages of tables on this machine; nullptr: nothing.
    std::shared_ptr<LocalCache> cache;
  };
  // Those that a user's options name, without a cache.
  static Options OptionsFrom(const RadosOptions& rados);

  Volume(std::unique_ptr<ObjectStore> store, const Options& options);
  ~Volume();
  Volume(const Volume&) = delete;
  Volume& operator=(const Volume&) = delete;

  const std::string& name() const { return options_.name; }
  ObjectStore* store() { return store_.get(); }
  Ownership* ownership() { return &ownership_; }
  VolumeNames* names() { return &names_; }
  const LocalCache* cache() const { return options_.cache.get(); }
  // False in a child that was forked from the process of the volume: there,
  // neither the cluster nor a mutex may be used.
  bool IsOfThisProcess() const;

  // Returns OK while the lease is known to be held, and if there is none. If it
  // has run out, renews it, and waits as long as the cluster does not answer.
  Status CheckLease();

  // Locks a path. The first one makes this client the owner. Returns IOError if
  // the path, or the volume, is locked already.
  Status Lock(const std::string& path);
  void Unlock(const std::string& path);

  // What the thread does: renews the lease, the pin and watches, tells that the
  // lease was lost, and removes the bytes of files without a name.
  void Tend();

  // Sets *size to the bytes of an open file.
  Status MeasureOpenFile(const std::string& path, const FileEntry& entry,
                         uint64_t* size);

  // Has the bytes of a file stay while it is read, from before its name is
  // looked up. *hold is nullptr for the owner, who knows what it removes.
  Status BeginRead(std::unique_ptr<ReaderPin::Hold>* hold);

  // What a reader, not the owner, knows of names in the present period.
  KnownFiles* known_files() { return &known_files_; }
  uint64_t reader_period() const { return reader_pin_.period(); }

  // Calls `changed`, from any thread, when the owner has synced a log or a
  // MANIFEST, until *watch is destroyed. `keeps_alive` is destroyed with
  // *watch.
  Status WatchChanges(std::function<void()> changed,
                      std::shared_ptr<const void> keeps_alive,
                      std::unique_ptr<DirectoryWatch>* watch);
  // The owner has synced a log or a MANIFEST.
  void TellChange() { change_notifier_.Changed(); }

  // Makes a directory in which other clients may make files; see
  // shared_directory.h. The owner's.
  Status CreateSharedDirectory(const std::string& path);
  // REQUIRES: entry.is_shared()
  SharedDirectory SharedDirectoryOf(const FileEntry& entry);
  // The directory of the path, if it is a shared one.
  std::optional<SharedDirectory> FindShared(const std::string& path);
  // The id of a file that this client makes in a shared directory.
  std::string NewGuestId(const std::string& directory_id);

  // Returns the pages of a table on this machine; nullptr: none are kept.
  std::shared_ptr<LocalCache::File> OpenPages(const FileEntry& entry);

 private:
  // The key of a file in the cache; empty: it has none.
  std::string CacheKey(const std::string& id);
  Status TakeOver(const std::string& path);
  void Release();
  // Of all names that the former owner has left.
  Status CloseOpenFiles(const NameMap& all);
  Status EndSharedDirectories(const NameMap& all);
  Status EndSharedDirectory(const std::string& path, const FileEntry& entry);
  Status TakeStripes(const std::string& path, FileEntry* entry);
  Status TakeStripe(const std::string& path, const ObjectName& stripe);
  void RemoveTrash();
  // Renews the lease if so much time has passed since the last renewal.
  void RenewIfDue(uint64_t after_nanos);
  StoreResult Renew();
  bool LeaseRanOut() const;
  uint64_t RenewalPeriod() const;
  uint64_t LeaseNanos() const;
  Status RemoveStripes(Pool pool, const std::string& id);
  void RunThread();
  void StartThread();
  void StopThread();
  void WakeThread();

  const Options options_;
  const std::unique_ptr<ObjectStore> store_;
  Ownership ownership_;
  VolumeNames names_;
  ReaderPin reader_pin_;
  KnownFiles known_files_;
  PinWatch pin_watch_;  // of Tend
  ChangeWatches change_watches_;
  ChangeNotifier change_notifier_;

  const std::string guest_ = NewUniqueName();
  std::atomic<uint64_t> guest_ids_{0};

  std::mutex identity_mutex_;
  std::string identity_;  // of the volume; empty: not read yet

  // In nanoseconds of the clock.
  uint64_t last_renewal_ = 0;  // of Tend
  // Held while a lease that ran out is renewed, and while it is released.
  std::mutex renew_mutex_;
  // When the cluster may give the lease to another client, or later.
  std::atomic<uint64_t> lease_end_{0};

  std::mutex locks_mutex_;  // also held while the thread is started or ended
  std::set<std::string> locks_;

  std::mutex thread_mutex_;
  std::condition_variable thread_changed_;
  bool stop_ = false;
  bool woken_ = false;
  std::thread thread_;
  const int process_;  // a forked child has no thread
};

}  // namespace tamis::rados
