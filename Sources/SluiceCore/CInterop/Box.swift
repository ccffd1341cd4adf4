/// A Swift value in the form that C can hold: a `void *` with one owner.
///
/// A closure goes in as part of a struct: as a `Value` by itself it would be wrapped anew, with an
/// allocation, each time it is taken out.
final class Box<Value> {
  let value: Value
  init(_ value: Value) { self.value = value }

  /// Gives C one reference, which comes back through `releaseBox`.
  func retained() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

  /// The value behind a pointer that `retained()` made.
  static func value(at pointer: UnsafeMutableRawPointer?) -> Value {
    unsafe Unmanaged<Box>.fromOpaque(pointer!)._withUnsafeGuaranteedRef { $0.value }
  }
}

/// The `xDestroy` of every callback: takes back the reference that `retained()` gave.
let releaseBox: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
  unsafe Unmanaged<AnyObject>.fromOpaque(pointer!).release()
}
