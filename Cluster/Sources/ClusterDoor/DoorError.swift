import Glibc

/// A reason why a door, or a file of keys, cannot be used.
public struct DoorError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// Creates an error from the last error of the system.
  static func system(_ text: String, code: Int32 = errno) -> DoorError {
    DoorError("\(text): \(systemMessage(code))")
  }
}

/// Returns the system's description of an error.
func systemMessage(_ code: Int32) -> String {
  unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}
