// SPDX-License-Identifier: Apache-2.0
namespace tamis {
namespace {

int Overload(int n) { return n; }

}  // namespace

int First() { return Overload(1); }
}  // namespace tamis
