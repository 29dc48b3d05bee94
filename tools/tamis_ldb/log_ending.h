// SPDX-License-Identifier: Apache-2.0
//
// Reads logs and MANIFESTs as files of any name, and judges how they end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "db/wal/log_reader.h"
#include "util/base/result.h"

namespace tamis {

Result<std::unique_ptr<LogReader>> OpenLogFile(const std::string& path,
                                               LogKind kind);

// Reports how reading ended after `records` records; returns the ExitCode. A
// file that is no log fails.
int LogEnding(const LogReader& reader, const std::string& path,
              uint64_t records, LogReader::Outcome outcome, LogKind kind);

}  // namespace tamis
