// SPDX-License-Identifier: Apache-2.0
//
// Table factories as text:
//
//   {id=PlainTable;user_key_len=8;...}      a factory of this format
//   PlainTable                              the same, with default options
//   {block_size=8k;...}                     of the present factory's format
//
// Options that are not named are those of the present factory, if it has the
// same format.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "db/options/option_parser.h"
#include "db/options/table_options_of.h"
#include "util/base/result.h"
#include "util/coding/printable.h"

namespace tamis {

namespace {

using FactoryPtr = std::shared_ptr<TableFactory>;

constexpr std::string_view kBlockBased = "BlockBasedTable";
constexpr std::string_view kPlainTable = "PlainTable";
constexpr std::string_view kCuckooTable = "CuckooTable";

// Makes a factory, which reads and writes block-based tables as `before` does.
FactoryPtr Make(const BlockBasedTableOptions& options,
                const FactoryPtr& /*before*/) {
  return FactoryPtr(NewBlockBasedTableFactory(options));
}
FactoryPtr Make(const PlainTableOptions& options, const FactoryPtr& before) {
  return FactoryPtr(NewAdaptiveTableFactory(
      FactoryPtr(NewPlainTableFactory(options)), before));
}
FactoryPtr Make(const CuckooTableOptions& options, const FactoryPtr& before) {
  return FactoryPtr(NewAdaptiveTableFactory(
      FactoryPtr(NewCuckooTableFactory(options)), before));
}

template <typename Options>
Status Apply(const ConfigOptions& config, const OptionPairs& pairs,
             FactoryPtr* factory) {
  Options options;
  if (*factory != nullptr) {
    const auto* const present = std::as_const(**factory).GetOptions<Options>();
    if (present != nullptr) options = *present;
  }
  TAMIS_RETURN_IF_ERROR(ApplyOptions(config, pairs, &options));
  *factory = Make(options, *factory);
  return Status::OK();
}

Status CannotChangeKind(const FactoryPtr& present) {
  return Status::InvalidArgument(
      std::string("it is ") + present->Name() +
      ", which cannot change while the database is open");
}

}  // namespace

Status ApplyTableOptions(const ConfigOptions& config, std::string_view kind,
                         const OptionPairs& pairs, FactoryPtr* factory) {
  if (kind == kBlockBased) {
    return Apply<BlockBasedTableOptions>(config, pairs, factory);
  }
  if (kind == kPlainTable) {
    return Apply<PlainTableOptions>(config, pairs, factory);
  }
  if (kind == kCuckooTable) {
    return Apply<CuckooTableOptions>(config, pairs, factory);
  }
  if (config.ignore_unsupported_options) return Status::OK();
  return Status::NotSupported("\"" + Printable({kind.data(), kind.size()}) +
                              "\" is not BlockBasedTable, PlainTable or "
                              "CuckooTable");
}

Status ParseOptionText(const ConfigOptions& config, std::string_view text,
                       FactoryPtr* factory) {
  const bool is_open = config.mutable_options_only && *factory != nullptr;
  if (text == "nullptr") {
    if (is_open) return CannotChangeKind(*factory);
    factory->reset();
    return Status::OK();
  }
  OptionPairs pairs;
  std::string kind(*factory == nullptr ? kBlockBased : (*factory)->Name());
  if (text.find('=') != std::string_view::npos) {
    TAMIS_RETURN_IF_ERROR(SplitOptions(text, &pairs));
    if (!pairs.empty() && pairs.front().first == "id") {
      kind = pairs.front().second;
      pairs.erase(pairs.begin());
    }
  } else if (!text.empty()) {
    kind = text;
  }
  if (is_open && kind != (*factory)->Name()) return CannotChangeKind(*factory);
  return ApplyTableOptions(config, kind, pairs, factory);
}

std::string PrintOptionText(const FactoryPtr& factory) {
  if (factory == nullptr) return "nullptr";
  return std::string("{id=") + factory->Name() + ";" +
         VisitTableOptions(*factory,
                           [](const auto& options) {
                             return PrintOptions(ConfigOptions(), options);
                           }) +
         "}";
}

}  // namespace tamis
