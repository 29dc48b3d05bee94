// SPDX-License-Identifier: Apache-2.0
//
// A ThreadStatus describes what a thread does for a database with
// DBOptions::enable_thread_tracking: a flush, a compaction, the opening.
// GetThreadList returns those of all such databases of the process. Names and
// texts are RocksDB's. Threads that do nothing are not listed, and neither are
// reads and writes.
//
// A compaction or flush that several threads share is one ThreadStatus, of the
// thread that began it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tamis/export.h"
#include "tamis/status.h"

namespace tamis {

struct TAMIS_EXPORT ThreadStatus {
  // Whose thread it is.
  enum ThreadType : int {
    HIGH_PRIORITY = 0,  // a job for flushes
    LOW_PRIORITY,       // a job for compactions
    USER,               // a thread of the program
    BOTTOM_PRIORITY,    // Tamis has no such jobs
    NUM_THREAD_TYPES
  };

  // What the thread does.
  enum OperationType : int {
    OP_UNKNOWN = 0,
    OP_COMPACTION,
    OP_FLUSH,
    OP_DBOPEN,  // as in RocksDB 8
    NUM_OP_TYPES
  };

  // How far it is.
  enum OperationStage : int {
    STAGE_UNKNOWN = 0,
    STAGE_FLUSH_RUN,
    STAGE_FLUSH_WRITE_L0,
    STAGE_COMPACTION_PREPARE,
    STAGE_COMPACTION_RUN,
    STAGE_COMPACTION_PROCESS_KV,
    STAGE_COMPACTION_INSTALL,
    STAGE_COMPACTION_SYNC_FILE,  // Tamis syncs tables while it makes others
    STAGE_PICK_MEMTABLES_TO_FLUSH,
    STAGE_MEMTABLE_ROLLBACK,  // a failed flush
    STAGE_MEMTABLE_INSTALL_FLUSH_RESULTS,
    NUM_OP_STAGES
  };

  // The properties of a compaction, and of a flush, by index.
  enum CompactionPropertyType : int {
    COMPACTION_JOB_ID = 0,
    COMPACTION_INPUT_OUTPUT_LEVEL,  // input << 32 | output
    COMPACTION_PROP_FLAGS,  // 2 manual, 4 deletion of tables, 8 trivial move
    COMPACTION_TOTAL_INPUT_BYTES,
    COMPACTION_BYTES_READ,
    COMPACTION_BYTES_WRITTEN,
    NUM_COMPACTION_PROPERTIES
  };

  // The properties of a flush, by index.
  enum FlushPropertyType : int {
    FLUSH_JOB_ID = 0,
    FLUSH_BYTES_MEMTABLES,
    FLUSH_BYTES_WRITTEN,
    NUM_FLUSH_PROPERTIES
  };

  // How many properties an operation has at most.
  static constexpr int kNumOperationProperties =
      std::max<int>(NUM_COMPACTION_PROPERTIES, NUM_FLUSH_PROPERTIES);

  // Lower-level states. Tamis reports STATE_UNKNOWN.
  enum StateType : int {
    STATE_UNKNOWN = 0,
    STATE_MUTEX_WAIT = 1,
    NUM_STATE_TYPES
  };

  // REQUIRES: properties has kNumOperationProperties values.
  ThreadStatus(uint64_t id, ThreadType type, std::string db, std::string family,
               OperationType operation, uint64_t elapsed_micros,
               OperationStage stage, const uint64_t properties[],
               StateType state)
      : thread_id(id),
        thread_type(type),
        db_name(std::move(db)),
        cf_name(std::move(family)),
        operation_type(operation),
        op_elapsed_micros(elapsed_micros),
        operation_stage(stage),
        state_type(state) {
    std::copy_n(properties, kNumOperationProperties, op_properties);
  }

  const uint64_t thread_id;  // unique among the threads of the process
  // See GetThreadTypeName and those that follow it.
  const ThreadType thread_type;
  const std::string db_name;  // the path of the database
  const std::string cf_name;  // empty if the operation is of no one family

  // What it does.
  const OperationType operation_type;
  const uint64_t op_elapsed_micros;  // by the clock of the database
  // How far it is.
  const OperationStage operation_stage;
  // Indexed by CompactionPropertyType or FlushPropertyType.
  uint64_t op_properties[kNumOperationProperties];
  const StateType state_type;

  // Return a name or text; an empty one if the argument
  // is not a value of the enumeration, or has no name.
  static std::string GetThreadTypeName(ThreadType type);
  static const std::string& GetOperationName(OperationType operation);
  static const std::string& GetOperationStageName(OperationStage stage);
  static const std::string& GetOperationPropertyName(OperationType operation,
                                                     int property);
  static const std::string& GetStateName(StateType state);
  // Returns "12.345 ms", "01:02.345 M:S" or the like.
  static const std::string MicrosToString(uint64_t micros);
  // Returns the properties by name, with the levels and flags of a compaction
  // apart. REQUIRES: properties has kNumOperationProperties values.
  static std::map<std::string, uint64_t> InterpretOperationProperties(
      OperationType operation, const uint64_t* properties);
};

// Sets *threads to what threads do now, in the order in which they began it.
// Any thread; not from a Clock of a database. In a forked child, lists only
// databases that the child opened.
TAMIS_EXPORT Status GetThreadList(std::vector<ThreadStatus>* threads);

}  // namespace tamis
