import Foundation
import Synchronization

/// The lines that a door writes, of which each kind appears at most once in a time.
///
/// A line that was held back is counted, and the next one of its kind tells the number.
public final class DoorLog: Sendable {
  private struct Entry {
    var last: ContinuousClock.Instant
    var heldBack = 0
  }

  /// The number of kinds of lines that are told apart; further ones share an entry.
  private static let kindLimit = 256

  private let write: @Sendable (String) -> Void
  private let now: @Sendable () -> ContinuousClock.Instant
  private let entries = Mutex<[String: Entry]>([:])

  /// Creates a log that passes its lines to `write`.
  public init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    write: @escaping @Sendable (String) -> Void
  ) {
    self.now = now
    self.write = write
  }

  /// Writes that a connection was refused or ended by the door.
  public func refuse(_ source: String, _ reason: String) {
    // Numbers of the sender make no other reason.
    let kind = reason.filter { !$0.isNumber }
    tell("\(source) was refused: \(reason)", kind: kind, pause: .seconds(1))
  }

  /// Writes that somebody has come in, at most once a minute for the same host and name.
  public func admit(_ host: String, _ identity: DoorIdentity) {
    let name = "\(identity.role.rawValue) \"\(identity.name)\" from \(host)"
    tell("The \(name) is connected", kind: name, pause: .seconds(60))
  }

  /// Writes a line, unless one of the same kind was written a moment ago.
  func tell(_ line: String, kind: String, pause: Duration) {
    let instant = now()
    let heldBack: Int? = entries.withLock { entries in
      let key = entries.count < Self.kindLimit || entries[kind] != nil ? kind : ""
      if let entry = entries[key], instant - entry.last < pause {
        entries[key]?.heldBack += 1
        return nil
      }
      defer {
        entries[key] = Entry(last: instant)
        if entries.count >= Self.kindLimit {
          entries = entries.filter { instant - $0.value.last < .seconds(60) }
        }
      }
      return entries[key]?.heldBack ?? 0
    }
    guard let heldBack else { return }
    write(Self.escaped(line) + (heldBack > 0 ? " (and \(heldBack) more)" : ""))
  }

  /// Returns text without control characters, and at most 500 characters of it.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(500) {
      if scalar.value >= 0x20, scalar.value < 0x7f {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }
}
