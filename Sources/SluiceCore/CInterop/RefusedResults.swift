/// A closure whose result its function would drop.
///
/// Swift compiles `onCommit { isAllowed }` as a closure without a result, and only warns. It prefers that to an overload
/// that is unavailable. It prefers an available property to both, and then refuses its unavailable getter.
@_documentation(visibility: internal)
public struct RefusedHook {
  public func callAsFunction<Answer: HookAnswer>(_ body: () throws -> Answer) throws {}

  public func callAsFunction<Answer: HookAnswer>(
    every instructions: Int, _ body: () throws -> Answer
  ) throws {}
}

/// A closure that would return the row that it gets.
@_documentation(visibility: internal)
public struct RefusedMap {
  public func callAsFunction<Result: LentResult & ~Copyable>(
    _ transform: (borrowing Row) throws -> Result
  ) throws {}
}

/// A result by which other libraries let a hook refuse.
@_documentation(visibility: internal)
public protocol HookAnswer {}

@_documentation(visibility: internal)
extension Bool: HookAnswer {}

@_documentation(visibility: internal)
extension Int: HookAnswer {}

@_documentation(visibility: internal)
extension Int32: HookAnswer {}

/// A result that ends with the closure that returns it.
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
