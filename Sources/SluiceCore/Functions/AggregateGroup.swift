import CSluice

/// The state of one group, retained by a pointer in the memory that SQLite keeps for the group.
final class AggregateGroup<Function> {
  let function: Function
  let state: ConnectionState
  /// Whether a step has thrown; if so, the group has no final result.
  var hasFailed = false

  private init(_ function: Function, _ state: ConnectionState) {
    self.function = function
    self.state = state
  }

  typealias Slot = UnsafeMutablePointer<Unmanaged<AggregateGroup>?>

  /// Returns the group of the running call, and creates it in the first step; nil if memory runs out.
  static func current(_ context: OpaquePointer?) -> AggregateGroup? {
    unsafe currentReference(context).map { unsafe $0.takeUnretainedValue() }
  }

  @inline(__always)
  private static func currentReference(_ context: OpaquePointer?) -> Unmanaged<AggregateGroup>? {
    let size = unsafe Int32(MemoryLayout<Unmanaged<AggregateGroup>?>.size)
    guard let slot = unsafe slot(context, size) else { return nil }
    if let group = unsafe slot.pointee { return unsafe group }
    let group = unsafe Unmanaged.passRetained(make(context))
    unsafe slot.pointee = group
    return unsafe group
  }

  /// Removes and returns the group of a call that is ending.
  ///
  /// For a call without rows, this method creates a new group.
  static func last(_ context: OpaquePointer?) -> AggregateGroup {
    guard let slot = unsafe slot(context, 0), let group = unsafe slot.pointee else {
      return unsafe make(context)
    }
    unsafe slot.pointee = nil
    return unsafe group.takeRetainedValue()
  }

  private static func make(_ context: OpaquePointer?) -> AggregateGroup {
    let box = unsafe Box<() -> Function>.at(sqlite3_user_data(context))
    return AggregateGroup(box.value(), box.state)
  }

  private static func slot(_ context: OpaquePointer?, _ size: Int32) -> Slot? {
    unsafe sqlite3_aggregate_context(context, size)?
      .assumingMemoryBound(to: Unmanaged<AggregateGroup>?.self)
  }

  /// Runs `body` on the group of the running call, and reports any error to SQLite.
  @inline(__always)
  static func update(_ context: OpaquePointer?, _ body: (Function) throws -> Void) {
    guard let group = unsafe currentReference(context) else {
      unsafe sqlite3_result_error_nomem(context)
      return
    }
    unsafe group._withUnsafeGuaranteedRef { group in
      do { try group.state.call { try body(group.function) } } catch {
        group.hasFailed = true
        unsafe FunctionContext(context).setError(ofCall: error, group.state)
      }
    }
  }
}
