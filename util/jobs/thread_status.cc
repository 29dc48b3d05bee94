// SPDX-License-Identifier: Apache-2.0
//
// The texts of a ThreadStatus, and GetThreadList.
#include "tamis/thread_status.h"

#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <iterator>

#include "util/base/exceptions.h"
#include "util/base/immortal.h"
#include "util/jobs/tracked_operation.h"

namespace tamis {

namespace {

// Strings that live until the process ends, since references to them are
// returned.
struct Names {
  const std::string none;
  const std::string operations[ThreadStatus::NUM_OP_TYPES] = {
      "", "Compaction", "Flush", "DBOpen"};
  const std::string stages[ThreadStatus::NUM_OP_STAGES] = {
      "",
      "FlushJob::Run",
      "FlushJob::WriteLevel0Table",
      "CompactionJob::Prepare",
      "CompactionJob::Run",
      "CompactionJob::ProcessKeyValueCompaction",
      "CompactionJob::Install",
      "CompactionJob::FinishCompactionOutputFile",
      "MemTableList::PickMemtablesToFlush",
      "MemTableList::RollbackMemtableFlush",
      "MemTableList::TryInstallMemtableFlushResults"};
  const std::string compaction[ThreadStatus::NUM_COMPACTION_PROPERTIES] = {
      "JobID",           "InputOutputLevel", "Manual/Deletion/Trivial",
      "TotalInputBytes", "BytesRead",        "BytesWritten"};
  const std::string flush[ThreadStatus::NUM_FLUSH_PROPERTIES] = {
      "JobID", "BytesMemtables", "BytesWritten"};
  const std::string states[ThreadStatus::NUM_STATE_TYPES] = {"", "Mutex Wait"};
};

const Names& All() { return *Immortal<Names>(); }

template <size_t kSize>
const std::string& NameAt(const std::string (&names)[kSize], int i) {
  return i >= 0 && static_cast<size_t>(i) < kSize ? names[i] : All().none;
}

}  // namespace

std::string ThreadStatus::GetThreadTypeName(ThreadType type) {
  static constexpr const char* kNames[NUM_THREAD_TYPES] = {
      "High Pri", "Low Pri", "User", "Bottom Pri"};
  const int i = type;
  return i >= 0 && i < NUM_THREAD_TYPES ? kNames[i] : "";
}

const std::string& ThreadStatus::GetOperationName(OperationType operation) {
  return NameAt(All().operations, operation);
}

const std::string& ThreadStatus::GetOperationStageName(OperationStage stage) {
  return NameAt(All().stages, stage);
}

const std::string& ThreadStatus::GetOperationPropertyName(
    OperationType operation, int property) {
  if (operation == OP_COMPACTION) return NameAt(All().compaction, property);
  if (operation == OP_FLUSH) return NameAt(All().flush, property);
  return All().none;
}

const std::string& ThreadStatus::GetStateName(StateType state) {
  return NameAt(All().states, state);
}

const std::string ThreadStatus::MicrosToString(uint64_t micros) {
  if (micros == 0) return "";
  constexpr uint64_t kSecond = 1'000'000;
  constexpr uint64_t kMinute = 60 * kSecond;
  constexpr uint64_t kHour = 60 * kMinute;
  char text[64];
  const auto value = static_cast<double>(micros);
  const double seconds =
      static_cast<double>(micros % kMinute) / static_cast<double>(kSecond);
  if (micros < 10'000) {
    std::snprintf(text, sizeof(text), "%" PRIu64 " us", micros);
  } else if (micros < 10 * kSecond) {
    std::snprintf(text, sizeof(text), "%.3lf ms", value / 1e3);
  } else if (micros < kMinute) {
    std::snprintf(text, sizeof(text), "%.3lf sec", value / 1e6);
  } else if (micros < kHour) {
    std::snprintf(text, sizeof(text), "%02" PRIu64 ":%05.3f M:S",
                  micros / kMinute, seconds);
  } else {
    std::snprintf(text, sizeof(text),
                  "%02" PRIu64 ":%02" PRIu64 ":%05.3f H:M:S", micros / kHour,
                  micros / kMinute % 60, seconds);
  }
  return text;
}

std::map<std::string, uint64_t> ThreadStatus::InterpretOperationProperties(
    OperationType operation, const uint64_t* properties) {
  std::map<std::string, uint64_t> named;
  const int count = operation == OP_COMPACTION ? NUM_COMPACTION_PROPERTIES
                    : operation == OP_FLUSH    ? NUM_FLUSH_PROPERTIES
                                               : 0;
  for (int i = 0; i < count; ++i) {
    const uint64_t value = properties[i];
    if (operation == OP_COMPACTION && i == COMPACTION_INPUT_OUTPUT_LEVEL) {
      named["BaseInputLevel"] = value >> 32;
      named["OutputLevel"] = value & 0xffffffff;
    } else if (operation == OP_COMPACTION && i == COMPACTION_PROP_FLAGS) {
      named["IsManual"] = value >> 1 & 1;
      named["IsDeletion"] = value >> 2 & 1;
      named["IsTrivialMove"] = value >> 3 & 1;
    } else {
      named[GetOperationPropertyName(operation, i)] = value;
    }
  }
  return named;
}

Status GetThreadList(std::vector<ThreadStatus>* threads) {
  threads->clear();
  return CatchExceptions([&] {
    TrackedOperation::AppendAll(threads);
    return Status::OK();
  });
}

}  // namespace tamis
