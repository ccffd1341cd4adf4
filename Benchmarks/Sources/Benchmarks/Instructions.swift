import CTwins

extension Operation {
  /// The number of rows, calls or queries to count; it is reduced, because callgrind is much slower.
  var countedCount: Int { count / Self.scale }
  static let scale = 20

  /// Counts the instructions of both sides, each in a separate process.
  func instructions(_ callgrind: Callgrind) throws -> (Finding, Comparison) {
    let c = try callgrind.profile(self, .c)
    let sluice = try callgrind.profile(self, .sluice)
    let count = Double(countedCount)
    let finding = Finding(
      self, .instructions, count: countedCount, c: [Double(c.total) / count],
      sluice: [Double(sluice.total) / count])
    return (finding, Comparison(operation: self, c: c, sluice: sluice))
  }

  /// Runs one side inside a function that callgrind recognizes by name.
  func runCounted(_ side: Side) throws {
    try Match(self, count: countedCount).run(side) { body in
      try withoutActuallyEscaping(body) { body in
        var result: Result<Int64, any Error> = .success(0)
        var call = { result = Result(catching: body) }
        let count = side == .c ? unsafe counted_c : unsafe counted_sluice
        unsafe withUnsafeMutablePointer(to: &call) { call in
          unsafe count({ unsafe $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, call)
        }
        return try result.get()
      }
    }
  }
}
