/// Tells how many of the objects live that it gave away.
final class ObjectCounter {
  private(set) var living = 0
  private(set) var released = 0

  /// An object for a closure to keep.
  func hold() -> AnyObject {
    living += 1
    return Held(self)
  }

  private final class Held {
    private let counter: ObjectCounter
    init(_ counter: ObjectCounter) { self.counter = counter }
    deinit {
      counter.living -= 1
      counter.released += 1
    }
  }
}
