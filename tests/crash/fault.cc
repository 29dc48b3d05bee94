// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/fault.h"

#include <cstdlib>
#include <sstream>

namespace tamis::crash {

namespace {

const char* NameOf(Kind kind) {
  for (const KindName& known : kKindNames) {
    if (known.kind == kind) return known.name;
  }
  return "?";
}

bool KindFromName(const std::string& name, Kind* kind) {
  for (const KindName& known : kKindNames) {
    if (name != known.name) continue;
    *kind = known.kind;
    return true;
  }
  return false;
}

bool NeedsRoom(const std::string& operation) {
  return operation == "append" || operation == "reserve" ||
         operation == "create" || operation == "link" ||
         operation == "create_dir";
}

Failures::Kind FailureOf(Kind kind) {
  switch (kind) {
    case Kind::kAlloc:
      return Failures::Kind::kAllocation;
    case Kind::kMemory:
      return Failures::Kind::kAllocationsOn;
    case Kind::kThrow:
      return Failures::Kind::kCallback;
    default:
      return Failures::Kind::kThread;
  }
}

}  // namespace

bool IsPowerCut(Kind kind) { return kind <= Kind::kSectors; }

CrashStyle StyleOf(Kind kind) {
  switch (kind) {
    case Kind::kDrop:
      return CrashStyle::kDropAll;
    case Kind::kKeep:
      return CrashStyle::kKeepAll;
    case Kind::kPrefix:
      return CrashStyle::kPrefix;
    case Kind::kSectors:
      return CrashStyle::kSectors;
    default:
      return CrashStyle::kMixed;
  }
}

bool IsFailure(Kind kind) { return kind >= Kind::kAlloc; }

bool Concerns(Kind kind, const std::string& operation) {
  if (kind == Kind::kRead || IsFailure(kind)) return false;
  if (kind == Kind::kShort) return operation == "append";
  return kind != Kind::kFull || NeedsRoom(operation);
}

std::string Triple::ToString() const {
  std::string text = script + ":" + std::to_string(call) + ":" + NameOf(kind) +
                     ":" + std::to_string(seed);
  if (recovery_call != 0) {
    text += ":" + std::to_string(recovery_call) + ":" + NameOf(recovery_kind);
  }
  return text;
}

std::optional<Triple> ParseTriple(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ':');) parts.push_back(part);
  Triple triple;
  if (parts.size() != 4 && parts.size() != 6) return std::nullopt;
  triple.script = parts[0];
  triple.call = std::strtoull(parts[1].c_str(), nullptr, 10);
  triple.seed = std::strtoull(parts[3].c_str(), nullptr, 10);
  if (!KindFromName(parts[2], &triple.kind)) return std::nullopt;
  if (parts.size() == 6) {
    triple.recovery_call = std::strtoull(parts[4].c_str(), nullptr, 10);
    if (!KindFromName(parts[5], &triple.recovery_kind)) return std::nullopt;
  }
  return triple;
}

Injector::Injector(SimulatedFileSystem* fs) : fs_(*fs) {
  fs_.SetFaultHook(
      [this](const SimulatedFileSystem::Call& call) { return Meet(call); });
  fs_.SetReadHook(
      [this](const SimulatedFileSystem::Call& call) { return MeetRead(call); });
}

void Injector::Arm(uint64_t call, Kind kind, uint64_t seed) {
  Disarm();
  fired_ = false;
  if (IsFailure(kind)) {
    kind_ = kind;
    where_ = std::string(NameOf(kind)) + " number " + std::to_string(call);
    Failures::Arm(FailureOf(kind), call);
    return;
  }
  armed_ = true;
  target_ = (kind == Kind::kRead ? reads_ : fs_.calls()) + call;
  kind_ = kind;
  random_ = Random(seed);
}

void Injector::Disarm() {
  armed_ = false;
  Failures::Disarm();
}

void Injector::IgnoreReads(bool ignore) {
  if (ignore) {
    ignore_reads_.emplace();
  } else {
    ignore_reads_.reset();
  }
}

bool Injector::Explains(const Status& status) const {
  switch (kind_) {
    case Kind::kAlloc:
    case Kind::kMemory:
      return status.IsMemoryLimit();
    case Kind::kThrow:
      return status.ToString().find("thrown on purpose") != std::string::npos;
    case Kind::kThread:
      return status.ToString().find("refused on purpose") != std::string::npos;
    default:
      return true;
  }
}

Failures::Counts Injector::failures() const {
  const Failures::Counts seen = Failures::Seen();
  return {seen.allocations - seen_before_.allocations,
          seen.callbacks - seen_before_.callbacks,
          seen.threads - seen_before_.threads};
}

void Injector::Restart(uint64_t seed, CrashStyle style) {
  fs_.Restart(seed, style);
  power_is_cut_ = false;
  armed_ = false;
}

SimulatedFileSystem::Fault Injector::Meet(
    const SimulatedFileSystem::Call& call) {
  if (recording_) operations_.push_back(call.operation);
  if (!armed_ || kind_ == Kind::kRead || call.number < target_) {
    return Status::OK();
  }
  const bool first = call.number == target_;
  if (first) {
    fired_ = true;
    where_ = call.operation + " " + call.path;
  }
  switch (kind_) {
    case Kind::kError:
    case Kind::kBroken:
      if (!first && kind_ == Kind::kError) return Status::OK();
      return Status::IOError(call.path, "injected error");
    case Kind::kShort:
      if (!first) return Status::OK();
      return SimulatedFileSystem::Fault(
          Status::NoSpace(call.path, "injected short write"),
          static_cast<size_t>(random_.Uniform(call.bytes + 1)));
    case Kind::kFull:
      if (!NeedsRoom(call.operation)) return Status::OK();
      return Status::NoSpace(call.path, "injected full disk");
    default:
      power_is_cut_ = true;
      fs_.CutPower();
      return Status::IOError(call.path, "the power goes off");
  }
}

Status Injector::MeetRead(const SimulatedFileSystem::Call& call) {
  if (ignore_reads_.has_value()) return Status::OK();
  ++reads_;
  if (!armed_ || kind_ != Kind::kRead || reads_ != target_) {
    return Status::OK();
  }
  fired_ = true;
  where_ = call.operation + " " + call.path;
  return Status::IOError(call.path, "injected error of a read");
}

}  // namespace tamis::crash
