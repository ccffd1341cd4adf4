/// What a function of SQL does for a column of a ``VirtualTable``.
public struct VirtualTableFunction {
  /// A Swift function that SQL can call.
  public typealias Body = (_ arguments: borrowing SQLFunctionArguments) throws -> DatabaseValue

  let constraint: Int32?
  let body: Body

  /// A function that takes the place of the one that SQL knows.
  public init(_ body: @escaping Body) {
    constraint = nil
    self.body = body
  }

  /// A function of two arguments that is also a constraint on its first one, in `WHERE f(column, value)`.
  ///
  /// A plan gets it as ``VirtualTableConstraint/Operation/function(_:)`` with this number, from 150 to
  /// 255; any other throws ``ResultCode/range``.
  public init(constraint: Int, _ body: @escaping Body) throws {
    guard 150...255 ~= constraint else {
      throw SQLiteError(.range, "The number of a constraint is from 150 to 255")
    }
    self.constraint = Int32(constraint)
    self.body = body
  }
}

@available(*, unavailable)
extension VirtualTableFunction: Sendable {}
