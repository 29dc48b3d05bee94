// SPDX-License-Identifier: Apache-2.0
// For tests of the rule.
auto field = Common<&D::shown>("shown");
