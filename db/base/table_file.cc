// SPDX-License-Identifier: Apache-2.0
#include "db/base/table_file.h"

#include <utility>

#include "util/base/result.h"
#include "util/io/file_io.h"
#include "util/io/rate_limited_file.h"

namespace tamis {

Status NewTableFile(const DBContext& context, const std::string& path,
                    IOPriority priority,
                    std::unique_ptr<ChecksummedWrites>* file) {
  auto checksum = FileChecksumMaker::Make(
      context.options.file_checksum_gen_factory.get(), path);
  if (!checksum.ok()) return checksum.status();
  std::unique_ptr<WritableFile> base;
  TAMIS_RETURN_IF_ERROR(file_io::Create(context.fs(), path, &base));
  RateLimiter* const limiter = context.options.rate_limiter.get();
  if (limiter != nullptr) {
    base = std::make_unique<RateLimitedWrites>(std::move(base), limiter,
                                               priority, context.statistics());
  }
  *file = std::make_unique<ChecksummedWrites>(std::move(base),
                                              std::move(checksum).value());
  return Status::OK();
}

}  // namespace tamis
