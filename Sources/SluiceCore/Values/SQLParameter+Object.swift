/// Parameters that SQL does not see as values.
extension SQLBindable where Self == SQLParameter {
  /// A blob of `count` bytes that are 0, which takes no memory before it is written.
  ///
  /// It makes room in a row for what is then written in pieces. A negative count is refused with
  /// ``ResultCode/range`` when it is bound, and one that is too large with ``ResultCode/tooBig``.
  ///
  /// The corresponding C function is `sqlite3_bind_zeroblob64`.
  public static func zeroBlob(count: Int) -> SQLParameter {
    guard count >= 0 else {
      return SQLParameter { throw SQLiteError(.range, "A blob cannot have \(count) bytes") }
    }
    return SQLParameter(content: .zeroBlob(count))
  }

  /// A Swift value for functions that are written in Swift, which get it with
  /// ``SQLFunctionArguments/object(_:at:)``.
  ///
  /// A parameter that is not an argument of a function refuses it with ``ResultCode/mismatch``. To
  /// functions that are not written in Swift it is NULL. The statement keeps it until the parameter is
  /// bound again, or the statement is gone.
  ///
  /// The corresponding C function is `sqlite3_bind_pointer`.
  public static func object(_ object: some Sendable) -> SQLParameter {
    SQLParameter(content: .object(SQLParameter.SharedObject(object)))
  }

  /// Values for `IN array(?)`, any number of them.
  ///
  /// ```swift
  /// try connection.query(
  ///   .person, sql: "SELECT * FROM person WHERE id IN array(?)", parameters: .array([1, 2, 3]))
  /// ```
  ///
  /// `array` is a table-valued function that each connection has. Its one column is called `value`,
  /// and its `rowid` counts from one, so that it can be joined and ordered, too. Where the database
  /// has a table of that name, `sluice_array` is the same function.
  ///
  /// A column cannot hold an array: in `VALUES (?)` it is refused with ``ResultCode/mismatch`` when it
  /// is bound. `.json` stores one as text.
  ///
  /// The values are compared as those of another column would be: with a column of text, strings are
  /// equal, and numbers are not.
  ///
  /// A representation is chosen for each: `.array(ids.map(SQLParameter.uuidBytes))`.
  public static func array(_ values: some Sequence<some SQLBindable>) -> SQLParameter {
    do { return .object(try values.map { value throws in try value.sqlParameter.element }) } catch {
      return SQLParameter(content: .failure(error))
    }
  }
}

extension SQLParameter {
  /// The parameter as a value among others.
  fileprivate var element: DatabaseValue {
    get throws {
      switch content {
      case .value(let value): return value
      case .failure(let error): throw error
      case .zeroBlob, .object:
        throw SQLiteError(.mismatch, "An array can only hold values")
      }
    }
  }
}
