import CSluice

/// Which file systems are in Swift, and were at any time, by their addresses: those who call one are kept
/// from being used by it.
enum SwiftFileSystems {
  private static let addresses = Locked<Set<UInt>>([])

  static var isEmpty: Bool { addresses.withLock { $0.isEmpty } }

  static func add(_ system: UnsafeMutablePointer<sqlite3_vfs>) {
    let address = UInt(bitPattern: system)
    addresses.withLock { _ = $0.insert(address) }
  }

  static func contains(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> Bool {
    let address = UInt(bitPattern: system)
    return addresses.withLock { $0.contains(address) }
  }
}
