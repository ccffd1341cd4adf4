import Sluice
import SluiceCore

/// An outcome that is SQLite's own behavior, as a program in C shows: see `Accepted/README.md`.
struct Accepted: Error, CustomStringConvertible {
  let description: String

  /// Whether the version is at most the last one in which the behavior was seen.
  ///
  /// Later versions must be examined again.
  private static let isKnown = SQLiteLibrary.versionNumber <= 3_040_001

  /// Throws if only an open read transaction remains after a failed write to a virtual table.
  static func openTransaction(_ state: TransactionState, after error: any Error) throws {
    guard isKnown, state == .read, let error = error as? SQLiteError,
      [.noMemory, .cantOpen].contains(error.code.primary), error.sql?.contains("INSERT") == true
    else { return }
    throw Accepted("a virtual table leaves a statement open")
  }

  /// Throws if rebasing with an empty rebase lost changes without an error.
  static func lostChanges(_ rebased: Changeset, _ changeset: Changeset) throws {
    guard isKnown, FailingMemory.failures > 0, rebased.bytes.count < changeset.bytes.count else {
      return
    }
    throw Accepted("changes that were rebased are missing")
  }

  private init(_ description: String) { self.description = description }
}
