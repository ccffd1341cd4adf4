/// A reason why the bytes of a client do not reach a node.
public struct FrameViolation: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
