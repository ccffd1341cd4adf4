import Foundation

/// Whether the environment contains SLUICE_LONG_TESTS.
let isLong = ProcessInfo.processInfo.environment["SLUICE_LONG_TESTS"] != nil

/// Returns `many` if the tests may take long, and `few` otherwise.
func rounds(_ few: Int, long many: Int) -> Int { isLong ? many : few }
