/// Counts how many of the objects that it created are alive, and how many were released.
final class ObjectCounter {
  private(set) var living = 0
  private(set) var released = 0

  /// Returns a new object for a closure to retain.
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
