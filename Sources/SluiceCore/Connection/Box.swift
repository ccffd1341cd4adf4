import CSluice

/// A Swift value that C can own through a `void *`.
///
/// To box a closure, wrap it in a struct: a closure that is itself the `Value` would allocate each time it is read.
final class Box<Value>: AnyBox {
  let value: Value

  init(_ value: Value, _ state: ConnectionState, function: String? = nil) {
    self.value = value
    super.init(state, function)
  }

  /// Calls `body` with the box whose `retained()` returned this pointer.
  ///
  /// C keeps the box alive during the call.
  @inline(__always)
  static func with<T>(
    _ pointer: UnsafeMutableRawPointer?, _ body: (Box) throws -> T
  ) rethrows -> T {
    try unsafe Unmanaged<Box>.fromOpaque(pointer!)._withUnsafeGuaranteedRef(body)
  }

  /// Returns the box whose `retained()` returned this pointer.
  static func at(_ pointer: UnsafeMutableRawPointer?) -> Box {
    unsafe Unmanaged<Box>.fromOpaque(pointer!).takeUnretainedValue()
  }
}

/// The base class of all boxes, which hides the type of the value.
class AnyBox {
  let state: ConnectionState
  /// The name of the SQL function that the box contains; nil for other values.
  private let function: String?

  init(_ state: ConnectionState, _ function: String? = nil) {
    self.state = state
    self.function = function
  }

  /// Retains the box for C, and returns a pointer that C must pass to `releaseBox`.
  func retained() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

  /// Returns the name of the Swift function that SQLite is calling with this context.
  static func function(of context: OpaquePointer?) -> String? { unsafe at(context).function }

  private static func at(_ context: OpaquePointer?) -> AnyBox {
    unsafe Unmanaged<AnyBox>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
  }

  /// Returns the state of the connection that is calling a Swift function with this context.
  static func state(of context: OpaquePointer) -> ConnectionState {
    unsafe at(context).state
  }
}

/// The destructor (`xDestroy`) for the data of every callback; consumes the reference from `retained()`.
let releaseBox: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
  let box = unsafe Unmanaged<AnyBox>.fromOpaque(pointer!).takeRetainedValue()
  box.state.release(box)
}
