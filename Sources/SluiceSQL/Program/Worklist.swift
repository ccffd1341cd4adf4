/// The points of a program that are to be looked at, in the order of their addresses: where ways come together,
/// all have arrived before it goes on.
struct Worklist {
  private var points: [[Interpreter.Point]]
  /// Nothing waits at a lesser address.
  private var first: Int

  /// For addresses less than `size`.
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
