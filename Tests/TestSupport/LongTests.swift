import Foundation

/// Returns the number of rounds of a random test.
///
/// The number is `many` if the environment contains SLUICE_LONG_TESTS, and `few` otherwise.
package func rounds(_ few: Int, long many: Int) -> Int {
  ProcessInfo.processInfo.environment["SLUICE_LONG_TESTS"] == nil ? few : many
}
