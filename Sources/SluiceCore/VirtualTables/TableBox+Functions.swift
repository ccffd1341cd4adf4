import CSluice

/// A function as SQL calls it.
struct FunctionName: Hashable {
  let name: String
  let arity: Int
}

extension TableBox {
  typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  /// Tells SQLite what a function does for a column of the table: 0 if nothing else than always.
  func find(
    _ arity: Int32, _ name: UnsafePointer<CChar>?, _ function: UnsafeMutablePointer<Function?>?,
    _ pointer: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    guard let name = unsafe name else { return 0 }
    guard let box = unsafe found(FunctionName(name: String(cString: name), arity: Int(arity)))
    else { return 0 }
    unsafe function?.pointee = { context, count, values in
      unsafe Box<VirtualTableFunction>.with(sqlite3_user_data(context)) { box in
        unsafe answerCall(context, box.state) {
          try unsafe box.value.body(SQLFunctionArguments(count, values, context))
        }
      }
    }
    // The table keeps it, and SQLite keeps the table as long as a statement can call this.
    unsafe pointer?.pointee = Unmanaged.passUnretained(box).toOpaque()
    return box.value.constraint ?? 1
  }

  /// The table's answer, for which it is asked once.
  private func found(_ name: FunctionName) -> Box<VirtualTableFunction>? {
    if let known = functions[name] { return known }
    let function = state.within(.plan) { table.function(name.name, arity: name.arity) }
    let box = function.map { Box($0, state) }
    functions[name] = .some(box)
    return box
  }
}
