// SPDX-License-Identifier: Apache-2.0
#include "tamis/table_properties_collector.h"

namespace tamis {

TablePropertiesCollector::~TablePropertiesCollector() = default;

TablePropertiesCollectorFactory::~TablePropertiesCollectorFactory() = default;

}  // namespace tamis
