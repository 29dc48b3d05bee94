// SPDX-License-Identifier: Apache-2.0
#include "db/base/table_file.h"

#include <utility>

#include "util/base/result.h"
#include "util/io/rate_limited_file.h"

namespace tamis {

Status NewTableFile(const DBContext& context, const std::string& path,
                    IOPriority priority, std::unique_ptr<WritableFile>* file) {
  TAMIS_RETURN_IF_ERROR(context.fs()->NewWritableFile(path, file));
  RateLimiter* const limiter = context.options.rate_limiter.get();
  if (limiter != nullptr) {
    *file = std::make_unique<RateLimitedWrites>(std::move(*file), limiter,
                                                priority, context.statistics());
  }
  return Status::OK();
}

}  // namespace tamis
