// SPDX-License-Identifier: Apache-2.0
//
// A file system of paths of the operating system, and of
//
//   rados://[ID@]NAMES[,LOGS[,TABLES]]/VOLUME/PATH
//
// where NAMES, LOGS and TABLES are pools, PATH is that of a database, such as
// db, and ID is that of the client, admin by default. The cluster is that of
// Ceph's configuration, which the environment variable CEPH_CONF may name.
#pragma once

#include <memory>
#include <string>

#include "tamis/file_system.h"
#include "tamis/rados.h"
#include "tamis/status.h"

namespace tamis {

// Sets *options and *path, which begins with '/'. Returns InvalidArgument if
// the text, which begins with "rados://", is malformed.
Status ParseRadosPath(const std::string& text, RadosOptions* options,
                      std::string* path);

// Connects to a cluster when it first needs to.
std::shared_ptr<FileSystem> NewRadosPaths();

}  // namespace tamis
