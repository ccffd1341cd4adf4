/// The program points that must still be visited, ordered by address.
///
/// Therefore, where paths join, the interpreter continues only after all of these paths have arrived.
struct Worklist {
  private var points: [[Interpreter.Point]]
  /// A lower bound for the addresses of the waiting points.
  private var first: Int

  /// Creates a worklist for addresses below `size`.
  init(size: Int) {
    points = Array(repeating: [], count: size)
    first = size
  }

  mutating func insert(_ point: Interpreter.Point) {
    guard !points[point.address].contains(point) else { return }
    points[point.address].append(point)
    first = min(first, point.address)
  }

  mutating func popFirst() -> Interpreter.Point? {
    while first < points.count {
      if let point = points[first].popLast() { return point }
      first += 1
    }
    return nil
  }
}
