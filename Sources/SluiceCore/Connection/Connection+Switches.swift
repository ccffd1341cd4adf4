import CSQLite
import CSluice

extension Connection {
  /// Whether SQLite does what `switch` stands for.
  ///
  /// A switch that the linked SQLite does not know throws ``ResultCode/notFound``.
  ///
  /// The corresponding C function is `sqlite3_db_config`.
  public func isOn(_ switch: ConnectionSwitch) throws -> Bool {
    try configure(`switch`, -1)
  }

  /// Makes SQLite do what `switch` stands for, or not, from the next statement on.
  ///
  /// A switch that the linked SQLite does not know throws ``ResultCode/notFound``, and one that it
  /// does not let go of ``ResultCode/permission``.
  ///
  /// The corresponding C function is `sqlite3_db_config`.
  public func turn(_ switch: ConnectionSwitch, on isOn: Bool) throws {
    try callbacks.refuseChanges()
    guard try configure(`switch`, isOn ? 1 : 0) == isOn else {
      throw SQLiteError(
        .permission,
        "SQLite \(SQLiteLibrary.version) refuses to turn \(`switch`) \(isOn ? "on" : "off")")
    }
  }

  /// Sets a switch, or only asks for it if `value` is negative, and returns whether it is on.
  private func configure(_ switch: ConnectionSwitch, _ value: Int32) throws -> Bool {
    var now: Int32 = 0
    guard unsafe sluice_db_config(try handle(), `switch`.rawValue, value, &now) == SQLITE_OK else {
      throw SQLiteError(
        .notFound, "SQLite \(SQLiteLibrary.version) does not know the switch \(`switch`)")
    }
    return now != 0
  }
}
