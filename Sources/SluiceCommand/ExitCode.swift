/// What the program ends with.
package enum ExitCode: Int32, Sendable {
  case success = 0
  /// What was asked for was done, and something was found that should not be: drift, damage, a wrong query.
  case found = 1
  /// The arguments make no sense.
  case usage = 2
  /// SQLite or a file has failed.
  case failure = 3
}
