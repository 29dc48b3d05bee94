// SPDX-License-Identifier: Apache-2.0
//
// The file system that the paths of a tool are in: that of the operating
// system. The programs of libtamis_rados also know paths in a Ceph cluster
// (tools/tamis_rados/rados_paths.cc); the others hand over to them:
//
//   tamis_ldb --db=rados://pool/volume/db  ──exec──▶  tamis_rados_ldb, the same
#pragma once

#include <memory>
#include <string>

#include "tamis/file_system.h"

#include "tools/tool_main.h"

namespace tamis {

// Each program links one definition: that of tool_file_system.cc is weak.
std::shared_ptr<FileSystem> ToolFileSystem();
bool KnowsClusters();

// RunTool, for the main() of a tool that opens databases or tables. If an
// argument names a path in a cluster, and this program knows none, it executes
// the program that does in its place.
int RunToolOfFiles(const Tool& tool, int argc, char** argv);

// Whether the path is a directory.
bool IsDirectory(const std::string& path);

}  // namespace tamis
