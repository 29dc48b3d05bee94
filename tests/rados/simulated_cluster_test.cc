// SPDX-License-Identifier: Apache-2.0
//
// The simulation does what a cluster does, where messages arrive. Ends of
// leases are the simulation's own.
#include "tests/rados/simulated_cluster.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/rados/store_conformance.h"

namespace tamis::rados {
namespace {

TEST(SimulatedClusterTest, DoesWhatAClusterDoes) {
  SimulatedCluster cluster(1);
  SimulatedClient one(&cluster, "one");
  SimulatedClient two(&cluster, "two");
  EXPECT_EQ(CheckObjectStore(&one, &two, "test/"), std::vector<std::string>());
  EXPECT_TRUE(cluster.objects().empty());
}

TEST(SimulatedClusterTest, LeasesEnd) {
  SimulatedCluster cluster(1);
  SimulatedClient one(&cluster, "one");
  SimulatedClient two(&cluster, "two");
  const ObjectName object = {Pool::kNames, "x"};
  EXPECT_TRUE(one.TakeLease(object, "c", 10).ok());
  cluster.Advance(9);
  EXPECT_EQ(two.TakeLease(object, "c", 10).code, StoreCode::kLocked);
  cluster.Advance(1);
  EXPECT_TRUE(two.TakeLease(object, "c", 10).ok());
}

}  // namespace
}  // namespace tamis::rados
