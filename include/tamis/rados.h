// SPDX-License-Identifier: Apache-2.0
//
// A FileSystem whose files are objects of a Ceph RADOS cluster, so that a
// database outgrows, and outlives, a machine. In libtamis_rados, which needs
// librados; libtamis does not.
//
//   RadosOptions rados;
//   rados.names_pool = "tamis";
//   rados.volume = "orders";
//   Options options;
//   Status status = NewRadosFileSystem(rados, &options.file_system);
//   status = DB::Open(options, "/db", &db);
//
// A volume is a tree of files with one owner at a time: the process that has
// locked a file in it, as an open database does. Others may read. When an owner
// is gone, the next one finds all that was synced. From then on, the cluster
// refuses whatever the former one sends, however late; its database fails with
// Status::IOFenced. docs/remote.md has the layout and the reasons.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tamis/export.h"
#include "tamis/file_system.h"
#include "tamis/status.h"

namespace tamis {

struct RadosOptions {
  // The configuration of the cluster; empty: where Ceph looks for it, such as
  // /etc/ceph/ceph.conf.
  std::string config_file;
  // Who this is to the cluster: "admin" is client.admin.
  std::string client_id = "admin";

  // The pools, which must exist. Those of names and of logs (with MANIFESTs and
  // small files) are replicated; that of tables may be erasure-coded, with
  // allow_ec_overwrites. Empty: the pool before it. REQUIRES: names_pool is not
  // empty.
  std::string names_pool;
  std::string log_pool;
  std::string table_pool;
  // The volume: letters, digits, '.', '_' and '-'. It is created when a
  // database in it is opened for the first time. REQUIRES: it is not empty.
  std::string volume;

  // An owner that the cluster has not heard of for this time may be replaced.
  // REQUIRES: more than 0.
  uint32_t lease_seconds = 10;
  // Replaces an owner that has a lease. For operators who know that it must go.
  bool take_over = false;
  // Puts the owner before on the cluster's blocklist, so that it notices at its
  // next call. Nothing depends on it. Needs the capability "osd blocklist".
  bool blocklist = true;

  // Whether WritableFile::Flush waits until the cluster has the bytes. Without,
  // writes without `sync` are as fast as the network takes them, and the kill
  // of a process may lose the last of them: at most 9 MiB of each log.
  bool flush_waits = false;
  // For how long the bytes of a removed file stay in any case.
  uint32_t trash_seconds = 60;
  // Other processes that have a removed file open keep its bytes for longer, as
  // long as they are heard of within their own lease_seconds: at most this
  // long, and together at most pin_bytes (0: no limit) of removed files. A
  // reader that loses a file by that gets IOError. Of the owner.
  uint32_t pin_seconds = 3600;
  uint64_t pin_bytes = 0;

  // A directory of this machine that keeps what was read and written of tables,
  // also from one process to the next; empty: nothing is kept. It is created;
  // its parent must exist. One file system at a time uses it. Every page of it
  // is verified when it is read; what is damaged or missing is read from the
  // cluster, and so it is if the directory fails.
  std::string cache_directory;
  // How much the directory may have, about. Above that, what was not used for
  // the longest time is removed, by whole tables.
  uint64_t cache_bytes = uint64_t{8} << 30;
};

// What the directory of RadosOptions::cache_directory has, and has done since
// it was opened.
struct RadosCacheStats {
  uint64_t bytes = 0;          // on the disk now, about
  uint64_t hits = 0;           // reads that needed no cluster
  uint64_t misses = 0;         // reads that did
  uint64_t damaged_pages = 0;  // found by their checksums, and not used
  uint64_t evicted_files = 0;  // removed to make room
  uint64_t errors = 0;         // of the directory's file system
};

// Connects to the cluster, and sets *file_system to the volume's. Returns
// InvalidArgument if an option is not as required, otherwise what the cluster
// says. Threads: any, as of a FileSystem. Fork: a child must not use the file
// system of its parent.
TAMIS_EXPORT Status NewRadosFileSystem(
    const RadosOptions& options, std::shared_ptr<FileSystem>* file_system);

// Sets *stats. Returns false if the file system is none of NewRadosFileSystem,
// or has no cache_directory. Threads: any.
TAMIS_EXPORT bool GetRadosCacheStats(const FileSystem& file_system,
                                     RadosCacheStats* stats);

}  // namespace tamis
