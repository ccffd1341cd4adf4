/// The points of a program to be visited, in the order of their addresses.
///
/// Where paths join, all of them have therefore arrived before the program continues.
struct Worklist {
  private var points: [[Interpreter.Point]]
  /// An address below which no point is waiting.
  private var first: Int

  /// Creates a worklist for addresses less than `size`.
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
