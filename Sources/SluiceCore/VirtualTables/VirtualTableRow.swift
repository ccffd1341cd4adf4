import CSluice

/// The new values of a row in a ``WritableVirtualTable``, valid only while the row is written.
@safe public struct VirtualTableRow: ~Copyable {
  /// The values of all columns, including hidden ones.
  public let values: SQLFunctionArguments
  /// The conflict clause of the statement.
  ///
  /// If the row violates a constraint, the table must carry out ``ConflictResolution/replace`` itself. For the
  /// other resolutions, the table must throw ``ResultCode/constraint``. SQLite then applies the resolution if the
  /// table has ``VirtualTableOptions/constraintSupport``.
  ///
  /// The corresponding C function is `sqlite3_vtab_on_conflict`.
  public let conflictResolution: ConflictResolution

  init(_ values: consuming SQLFunctionArguments, _ conflictResolution: ConflictResolution) {
    self.values = values
    self.conflictResolution = conflictResolution
  }

  /// Returns whether an `UPDATE` leaves a column unchanged, in which case its value here is NULL.
  ///
  /// Without ``VirtualTableOptions/skipsUnchanged``, the result is always false. With this option, the result can
  /// still be false for a column that is unchanged.
  ///
  /// The corresponding C function is `sqlite3_value_nochange`.
  public func isUnchanged(at index: Int) throws -> Bool {
    unsafe sqlite3_value_nochange(try values.argument(index).value) != 0
  }

  /// The ways to treat a row that violates a constraint.
  public enum ConflictResolution: Hashable, Sendable, CaseIterable {
    /// The statement ends, and all of its changes are undone.
    case abort
    /// The statement ends, and its earlier changes remain.
    case fail
    /// The row is skipped, and the statement continues.
    case ignore
    /// The row replaces the rows that it conflicts with.
    case replace
    /// The transaction is rolled back.
    case rollback

    init(of connection: OpaquePointer?) {
      self =
        switch unsafe sqlite3_vtab_on_conflict(connection) {
        case SQLITE_ROLLBACK: .rollback
        case SQLITE_IGNORE: .ignore
        case SQLITE_FAIL: .fail
        case SQLITE_REPLACE: .replace
        default: .abort
        }
    }
  }
}

/// A plan and the values of its constraints, valid only while a cursor of a ``VirtualTable`` moves to its first
/// row.
@safe public struct VirtualTableFilter: ~Copyable {
  /// The ``VirtualTablePlan/number`` of the plan.
  public let number: Int
  /// The values of the constraints, in the order in which the plan uses them.
  public let arguments: SQLFunctionArguments
  private let planText: UnsafePointer<CChar>?

  init(
    _ number: Int32, _ text: UnsafePointer<CChar>?, _ arguments: consuming SQLFunctionArguments
  ) {
    self.number = Int(number)
    unsafe planText = text
    self.arguments = arguments
  }

  /// The ``VirtualTablePlan/text`` of the plan.
  public var text: String { unsafe planText.map { unsafe String(cString: $0) } ?? "" }

  /// Returns all values in the list of an `IN` constraint, if the plan requested them all at once.
  ///
  /// `index` is the position of the constraint in ``arguments``.
  ///
  /// The corresponding C functions are `sqlite3_vtab_in_first` and `sqlite3_vtab_in_next`.
  public func list(at index: Int) throws -> [DatabaseValue] {
    let list = try unsafe arguments.argument(index).value
    var values: [DatabaseValue] = []
    var value: OpaquePointer?
    var code = unsafe sluice_vtab_in_first(list, &value)
    while code == SQLITE_OK, let element = unsafe value {
      do { values.append(try unsafe Argument(element).stored()) } catch {
        throw error.error("A value of the list")
      }
      code = unsafe sluice_vtab_in_next(list, &value)
    }
    guard code == SQLITE_OK || code == SQLITE_DONE else {
      throw SQLiteError(
        ResultCode(rawValue: code), "Argument \(index + 1) is not the list of an IN")
    }
    return values
  }
}
