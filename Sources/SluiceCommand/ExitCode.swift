/// The exit code of the program.
package enum ExitCode: Int32, Sendable {
  case success = 0
  /// The command succeeded, and found something that should not be: drift, damage, a wrong query.
  case found = 1
  /// The arguments make no sense.
  case usage = 2
  /// SQLite or a file has failed.
  case failure = 3
}
