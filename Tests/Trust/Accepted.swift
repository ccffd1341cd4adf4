import Sluice
import SluiceCore

/// What came of a fault is SQLite's own doing, which a program in C shows: see `Accepted/README.md`.
struct Accepted: Error, CustomStringConvertible {
  let description: String

  /// The last version in which it was seen: in another one it has to be looked at again.
  private static let isKnown = SQLiteLibrary.versionNumber <= 3_040_001

  /// Throws if this is all that is left when a virtual table could not be written to.
  static func openTransaction(_ state: TransactionState, after error: any Error) throws {
    guard isKnown, state == .read, let error = error as? SQLiteError,
      [.noMemory, .cantOpen].contains(error.code.primary), error.sql?.contains("INSERT") == true
    else { return }
    throw Accepted("a virtual table leaves a statement open")
  }

  /// Throws if changes that were rebased by nothing are gone, without an error.
  static func lostChanges(_ rebased: Changeset, _ changeset: Changeset) throws {
    guard isKnown, FailingMemory.failures > 0, rebased.bytes.count < changeset.bytes.count else {
      return
    }
    throw Accepted("changes that were rebased are missing")
  }

  private init(_ description: String) { self.description = description }
}
