/// The same work, done by C and by Sluice.
///
/// Each side has its own connection. The work in `init` is not measured.
protocol Workload {
  associatedtype Other: OtherSide = Twin

  /// The side to compare with, which is C except in workloads 15 and 19 to 21.
  var c: Other { get }

  /// Does the work with Sluice.
  ///
  /// - Returns: A checksum of the data, which must equal the checksum from the other side.
  func sluice() throws -> Int64

  /// Returns a checksum of the database that a side has written, if the workload writes; not measured.
  func check(_ side: Side) throws -> Int64

  /// Restores the initial state of both sides; not measured.
  func reset() throws

  /// Returns the nanoseconds per operation in a side's last run; nil to divide the run's time by its count.
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

/// The side with which Sluice is compared.
protocol OtherSide {
  /// Runs the workload, and returns its checksum.
  func run() throws -> Int64
}

extension Twin: OtherSide {}
