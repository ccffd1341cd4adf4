import Foundation

/// Returns the number of rounds of a random test.
///
/// The number is `many` if the environment contains SLUICE_LONG_TESTS, and `few` otherwise.
package func rounds(_ few: Int, long many: Int) -> Int {
  ProcessInfo.processInfo.environment["SLUICE_LONG_TESTS"] == nil ? few : many
}

/// Returns the seeds of a random test, as many as its rounds.
///
/// They begin with SLUICE_FIRST_SEED of the environment, or with 1.
package func seeds(_ few: Int, long many: Int) -> Range<Int> {
  let first = ProcessInfo.processInfo.environment["SLUICE_FIRST_SEED"].flatMap(Int.init) ?? 1
  return first..<first + rounds(few, long: many)
}
