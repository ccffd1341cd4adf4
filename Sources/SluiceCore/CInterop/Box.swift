import CSluice

/// A Swift value in the form that C can hold: a `void *` with one owner.
///
/// A closure goes in as part of a struct: as a `Value` by itself it would be wrapped anew, with an
/// allocation, each time it is taken out.
final class Box<Value>: AnyBox {
  let value: Value

  init(_ value: Value, _ state: ConnectionState) {
    self.value = value
    super.init(state)
  }

  /// Lends the box behind a pointer that `retained()` made, which C keeps for the time of the call.
  @inline(__always)
  static func with<T>(
    _ pointer: UnsafeMutableRawPointer?, _ body: (Box) throws -> T
  ) rethrows -> T {
    try unsafe Unmanaged<Box>.fromOpaque(pointer!)._withUnsafeGuaranteedRef(body)
  }

  /// The box behind a pointer that `retained()` made.
  static func at(_ pointer: UnsafeMutableRawPointer?) -> Box {
    unsafe Unmanaged<Box>.fromOpaque(pointer!).takeUnretainedValue()
  }
}

/// A box, whatever is in it.
class AnyBox {
  let state: ConnectionState
  init(_ state: ConnectionState) { self.state = state }

  /// Gives C one reference, which comes back through `releaseBox`.
  func retained() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

  /// The state of the connection that calls a function of ours, which has this context.
  static func state(of context: OpaquePointer) -> ConnectionState {
    unsafe Unmanaged<AnyBox>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue().state
  }
}

/// The `xDestroy` of every callback: takes back the reference that `retained()` gave.
let releaseBox: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
  let box = unsafe Unmanaged<AnyBox>.fromOpaque(pointer!).takeRetainedValue()
  box.state.release(box)
}
