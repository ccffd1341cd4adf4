/// A type that makes the compiler reject closures whose result would be discarded.
///
/// Swift compiles `onCommit { isAllowed }` as a closure without a result, and only warns. An unavailable overload
/// would not help, because the compiler would still choose the available method. However, the compiler prefers an
/// available property to a method, and then rejects the property's unavailable getter.
@_documentation(visibility: internal)
public struct RefusedHook {
  public func callAsFunction<Answer: HookAnswer>(_ body: () throws -> Answer) throws {}

  public func callAsFunction<Answer: HookAnswer>(
    every instructions: Int, _ body: () throws -> Answer
  ) throws {}
}

/// A type that makes the compiler reject closures that return the row they receive.
@_documentation(visibility: internal)
public struct RefusedMap {
  public func callAsFunction<Result: LentResult & ~Copyable>(
    _ transform: (borrowing Row) throws -> Result
  ) throws {}
}

/// A result type that a hook may have by mistake, because hooks in other libraries return it to allow or refuse an
/// operation.
@_documentation(visibility: internal)
public protocol HookAnswer {}

@_documentation(visibility: internal)
extension Bool: HookAnswer {}

@_documentation(visibility: internal)
extension Int: HookAnswer {}

@_documentation(visibility: internal)
extension Int32: HookAnswer {}

/// A type whose values are valid only inside a closure that receives them, and so must not be its result.
@_documentation(visibility: internal)
public protocol LentResult: ~Copyable {}

@_documentation(visibility: internal)
extension Row: LentResult {}

extension Connection {
  @_documentation(visibility: internal)
  public var onCommit: RefusedHook {
    @available(
      *, unavailable,
      message: "A commit hook must not return a value. To refuse the commit, throw an error"
    )
    get { RefusedHook() }
  }

  @_documentation(visibility: internal)
  public var onProgress: RefusedHook {
    @available(
      *, unavailable,
      message: "A progress handler must not return a value. To end the statement, throw an error"
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

extension Statement {
  @available(
    *, unavailable,
    message: "A row has the columns: forEachRow { row in try row.get(.string, named: \"name\") }"
  )
  @_documentation(visibility: internal)
  public var columns: RefusedColumns { RefusedColumns() }

  @available(
    *, unavailable,
    message: "A row has the columns: forEachRow { row in try row.get(.string, at: 0) }"
  )
  @_documentation(visibility: internal)
  public func column(_ index: Int) -> DatabaseValue { .null }
}

/// The columns that a statement does not have: a row has them.
@_documentation(visibility: internal)
public struct RefusedColumns {
  public subscript(name: String) -> DatabaseValue { .null }
  public subscript(index: Int) -> DatabaseValue { .null }
}
