// SPDX-License-Identifier: Apache-2.0
//
// Selects the engine that the driver is compiled against. Both engines have the
// same interface. The differences are in engine_rocksdb.cc and engine_tamis.cc.
#pragma once

#include <memory>
#include <string>

#ifdef TAMIS_DRIVES_ROCKSDB
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/checkpoint.h>
namespace engine = rocksdb;
#else
#include "tamis/comparator.h"
#include "tamis/db.h"
#include "tamis/filter_policy.h"
#include "tamis/merge_operator.h"
#include "tamis/slice_transform.h"
#include "tamis/sst_file_writer.h"
#include "tamis/table.h"
#include "tamis/utilities/checkpoint.h"
namespace engine = tamis;
#endif

namespace tamis::differential {

// stringappend, uint64add, max.
std::shared_ptr<engine::MergeOperator> NewMergeOperator(
    const std::string& name);

// Turns off options that cost time and change no answer.
void Quiet(engine::DBOptions* options);

// RocksDB 7.8.3's Get may miss a merge operand in the last entry of a file if
// the next file starts with the same key. Its MultiGet and its iterators find
// it.
extern const bool kGetMissesSplitKeys;

// A writer of tables for a family with these options.
std::unique_ptr<engine::SstFileWriter> NewTableWriter(
    const engine::Options& options);

// Clears background errors, also those of jobs that began before the call.
engine::Status ResumeAfterJobs(engine::DB* db);

// Runs every check that the engine has for its files.
engine::Status CheckFiles(engine::DB* db);

}  // namespace tamis::differential
