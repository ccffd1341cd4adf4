/// Tells how many of the objects live that it gave away.
final class Lifeline {
  private(set) var living = 0
  private(set) var released = 0

  /// An object for a closure to keep.
  func hold() -> AnyObject {
    living += 1
    return Held(self)
  }

  private final class Held {
    private let lifeline: Lifeline
    init(_ lifeline: Lifeline) { self.lifeline = lifeline }
    deinit {
      lifeline.living -= 1
      lifeline.released += 1
    }
  }
}
