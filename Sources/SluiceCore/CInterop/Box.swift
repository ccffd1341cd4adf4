import CSluice

/// A Swift value in a form that C can hold: a `void *` with one owner.
///
/// Put a closure inside a struct: as a bare `Value`, it would be wrapped again, with an allocation, each time
/// it is read.
final class Box<Value>: AnyBox {
  let value: Value

  init(_ value: Value, _ state: ConnectionState) {
    self.value = value
    super.init(state)
  }

  /// Calls `body` with the box behind a pointer from `retained()`, which C keeps alive during the call.
  @inline(__always)
  static func with<T>(
    _ pointer: UnsafeMutableRawPointer?, _ body: (Box) throws -> T
  ) rethrows -> T {
    try unsafe Unmanaged<Box>.fromOpaque(pointer!)._withUnsafeGuaranteedRef(body)
  }

  /// Returns the box behind a pointer from `retained()`.
  static func at(_ pointer: UnsafeMutableRawPointer?) -> Box {
    unsafe Unmanaged<Box>.fromOpaque(pointer!).takeUnretainedValue()
  }
}

/// A box, regardless of the type of its value.
class AnyBox {
  let state: ConnectionState
  init(_ state: ConnectionState) { self.state = state }

  /// Returns a pointer with one reference for C, which C releases with `releaseBox`.
  func retained() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

  /// Returns the state of the connection that calls a Swift function with this context.
  static func state(of context: OpaquePointer) -> ConnectionState {
    unsafe Unmanaged<AnyBox>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue().state
  }
}

/// The `xDestroy` of every callback, which consumes the reference from `retained()`.
let releaseBox: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
  let box = unsafe Unmanaged<AnyBox>.fromOpaque(pointer!).takeRetainedValue()
  box.state.release(box)
}
