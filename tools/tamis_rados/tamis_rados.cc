// SPDX-License-Identifier: Apache-2.0
//
// tamis_rados: what is in the volumes of a Ceph cluster, who owns them, and
// copies of databases between a volume and a directory.
#include <string>

#include "tools/command_table.h"
#include "tools/tamis_rados/copy_commands.h"
#include "tools/tamis_rados/volume_commands.h"
#include "tools/tool_main.h"

namespace tamis {
namespace {

constexpr const char* kCluster =
    "config id names_pool! log_pool table_pool lease_seconds";

const Command kCommands[] = {
    {"list", "", 0, 0, "the volumes of the pool", {kCluster, "json"}, List},
    {"owner",
     "VOLUME",
     1,
     1,
     "its epoch, its owner, and who has the lease",
     {kCluster, "json"},
     ShowOwner},
    {"files",
     "VOLUME",
     1,
     1,
     "its files and directories, and those that are to be removed",
     {kCluster, "json"},
     ShowFiles},
    {"pins",
     "VOLUME",
     1,
     1,
     "its readers, and what they may have open: files that lost their names "
     "after a change, and some that lost them before",
     {kCluster, "json"},
     ShowPins},
    {"fence",
     "VOLUME",
     1,
     1,
     "raise its epoch: the cluster refuses its owner from then on",
     {kCluster},
     Fence},
    {"orphans",
     "VOLUME",
     1,
     1,
     "its objects that belong to no file; with --remove, remove them",
     {kCluster, "remove"},
     Orphans},
    {"copy_out",
     "VOLUME PATH DIRECTORY",
     3,
     3,
     "copy a directory of the volume, such as /db, into a new one of this "
     "machine",
     {kCluster},
     CopyOut},
    {"copy_in",
     "DIRECTORY VOLUME PATH",
     3,
     3,
     "copy a directory of this machine into a new one of the volume",
     {kCluster},
     CopyIn},
};

const CommandTable kTable = {
    "--names_pool=POOL [flags] COMMAND",
    "Shows volumes of a Ceph cluster, fences their owners, and copies "
    "databases.\n",
    kCommands,
};

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  return tamis::RunTool({"tamis_rados", nullptr, nullptr, &tamis::kTable}, argc,
                        argv);
}
