import CSluice

/// The parameters of the URI that the database of the file was opened with.
///
/// A journal and a WAL have those of their database. Other files have none.
extension VirtualFileRequest {
  /// The names of all parameters, in order.
  ///
  /// The corresponding C function is `sqlite3_uri_key`.
  public var uriParameterNames: [String] { uriParameters.map(\.0) }

  /// The value of a parameter, or nil if the URI has none of this name.
  ///
  /// The corresponding C function is `sqlite3_uri_parameter`.
  public func uriParameter(_ name: String) -> String? {
    unsafe named(name).flatMap { database in
      unsafe sqlite3_uri_parameter(database, name).map { unsafe String(cString: $0) }
    }
  }

  /// Whether a parameter is `yes`, `true`, `on` or a number but 0; `default` if it is missing, or none of
  /// these nor their contrary.
  ///
  /// The corresponding C function is `sqlite3_uri_boolean`.
  public func uriBoolean(_ name: String, default: Bool = false) -> Bool {
    unsafe named(name).map { database in
      unsafe sqlite3_uri_boolean(database, name, `default` ? 1 : 0) != 0
    } ?? `default`
  }

  /// The number that a parameter is, or `default` if it is missing or no number of 64 bits.
  ///
  /// The corresponding C function is `sqlite3_uri_int64`.
  public func uriInteger(_ name: String, default: Int64 = 0) -> Int64 {
    unsafe named(name).map { unsafe sqlite3_uri_int64($0, name, `default`) } ?? `default`
  }

  var uriParameters: [(String, String)] {
    guard let database = unsafe database else { return [] }
    var parameters: [(String, String)] = []
    while let name = unsafe sqlite3_uri_key(database, Int32(clamping: parameters.count)) {
      let value = unsafe sqlite3_uri_parameter(database, name)
      parameters.append(
        (unsafe String(cString: name), unsafe value.map { unsafe String(cString: $0) } ?? ""))
    }
    return parameters
  }

  /// The name with the parameters, unless there can be none of this name.
  private func named(_ parameter: String) -> UnsafePointer<CChar>? {
    parameter.utf8.contains(0) ? nil : unsafe database
  }
}
