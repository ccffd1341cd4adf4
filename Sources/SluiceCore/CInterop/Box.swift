/// A Swift value in the form that C can hold: a `void *` with one owner.
///
/// A closure goes in as part of a struct: as a `Value` by itself it would be wrapped anew, with an
/// allocation, each time it is taken out.
final class Box<Value>: AnyBox {
  let value: Value

  init(_ value: Value, _ releases: ReleasePool) {
    self.value = value
    super.init(releases)
  }

  /// The value behind a pointer that `retained()` made.
  static func value(at pointer: UnsafeMutableRawPointer?) -> Value {
    unsafe Unmanaged<Box>.fromOpaque(pointer!)._withUnsafeGuaranteedRef { $0.value }
  }
}

/// A box, whatever is in it.
class AnyBox {
  fileprivate let releases: ReleasePool
  fileprivate init(_ releases: ReleasePool) { self.releases = releases }

  /// Gives C one reference, which comes back through `releaseBox`.
  func retained() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }
}

/// The `xDestroy` of every callback: takes back the reference that `retained()` gave.
let releaseBox: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
  let box = unsafe Unmanaged<AnyBox>.fromOpaque(pointer!).takeRetainedValue()
  box.releases.add(box)
}

/// What C has let go of, until the call in which it did so has returned.
///
/// SQLite lets go of a closure in the middle of its work on what the closure is for. Were it
/// released there and then, the deinit of what it has captured could call that very thing.
final class ReleasePool {
  private var boxes: [AnyBox] = []
  /// Whether somebody will drain the pool.
  private var isOpen = true

  fileprivate func add(_ box: AnyBox) {
    if isOpen { boxes.append(box) }
  }

  /// Releases what is there, and what that lets go of in turn.
  func drain() {
    while !boxes.isEmpty {
      let released = boxes
      boxes = []
      withExtendedLifetime(released) {}
    }
  }

  /// Drains the pool for the last time: from now on, all is released at once.
  func close() {
    isOpen = false
    drain()
  }
}
