/// The same work, done once by C and once by Sluice.
///
/// Each side has a connection of its own; what `init` does is not measured.
protocol Workload {
  associatedtype Other: OtherSide = Twin

  /// The other side: C, except in 15.
  var c: Other { get }

  /// Does the work.
  ///
  /// - Returns: A checksum of what it has seen, which is that of the C side.
  func sluice() throws -> Int64

  /// A checksum of what a side has left in its database, if that matters; not measured.
  func check(_ side: Side) throws -> Int64

  /// Brings both sides back to where they began; not measured.
  func reset() throws

  /// How many nanoseconds a side took for one operation in its last run, or nil if that is its time by its count.
  func cost(_ side: Side) -> Double?
}

extension Workload {
  func check(_ side: Side) throws -> Int64 { 0 }
  func reset() throws {}
  func cost(_ side: Side) -> Double? { nil }
}

enum Side: String, CaseIterable {
  case c
  case sluice
}

extension Workload {
  func run(_ side: Side) throws -> Int64 {
    switch side {
    case .c: try c.run()
    case .sluice: try sluice()
    }
  }
}

/// The side that Sluice is compared with.
protocol OtherSide {
  /// Does the work, and returns its checksum.
  func run() throws -> Int64
}

extension Twin: OtherSide {}
