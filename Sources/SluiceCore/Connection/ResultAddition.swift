import CSluice

/// The subtype and object that a running scalar function has added to its result.
@safe struct ResultAddition {
  let context: OpaquePointer
  var subtype: UInt8?
  var object: Box<Any>?

  init(_ context: OpaquePointer) { unsafe self.context = context }

  /// Sets the result of the function, with its object or its subtype.
  func setResult(_ value: DatabaseValue) throws {
    guard let object else {
      try unsafe FunctionContext(context).setResult(value)
      if let subtype { unsafe sqlite3_result_subtype(context, UInt32(subtype)) }
      return
    }
    guard value.isNull, subtype == nil else {
      throw SQLiteError(
        .misuse, "A result with an object must be NULL and must not have a subtype")
    }
    unsafe sluice_result_object(context, object.retained(), releaseBox)
  }
}
