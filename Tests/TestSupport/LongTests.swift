import Foundation

/// How many rounds a random test takes: many with SLUICE_LONG_TESTS in the environment, else few.
package func rounds(_ few: Int, long many: Int) -> Int {
  ProcessInfo.processInfo.environment["SLUICE_LONG_TESTS"] == nil ? few : many
}
