/// A type that rejects closures whose result would be discarded.
///
/// Swift compiles `onCommit { isAllowed }` as a closure without a result, and only warns. The compiler prefers
/// that closure to an unavailable overload. It prefers an available property to both, and then rejects the
/// property's unavailable getter.
@_documentation(visibility: internal)
public struct RefusedHook {
  public func callAsFunction<Answer: HookAnswer>(_ body: () throws -> Answer) throws {}

  public func callAsFunction<Answer: HookAnswer>(
    every instructions: Int, _ body: () throws -> Answer
  ) throws {}
}

/// A type that rejects closures that return the row they receive.
@_documentation(visibility: internal)
public struct RefusedMap {
  public func callAsFunction<Result: LentResult & ~Copyable>(
    _ transform: (borrowing Row) throws -> Result
  ) throws {}
}

/// A result with which a hook refuses an operation in other libraries.
@_documentation(visibility: internal)
public protocol HookAnswer {}

@_documentation(visibility: internal)
extension Bool: HookAnswer {}

@_documentation(visibility: internal)
extension Int: HookAnswer {}

@_documentation(visibility: internal)
extension Int32: HookAnswer {}

/// A result that is valid only inside the closure that returns it.
@_documentation(visibility: internal)
public protocol LentResult: ~Copyable {}

@_documentation(visibility: internal)
extension Row: LentResult {}

extension Connection {
  @_documentation(visibility: internal)
  public var onCommit: RefusedHook {
    @available(
      *, unavailable,
      message: "A commit hook returns nothing. To refuse the commit, it throws an error"
    )
    get { RefusedHook() }
  }

  @_documentation(visibility: internal)
  public var onProgress: RefusedHook {
    @available(
      *, unavailable,
      message: "A progress handler returns nothing. To end the statement, it throws an error"
    )
    get { RefusedHook() }
  }
}

extension Statement {
  @_documentation(visibility: internal)
  public var map: RefusedMap {
    @available(
      *, unavailable,
      message: "A row is valid only inside its closure: copy it with values(), or read its columns"
    )
    get { RefusedMap() }
  }
}
