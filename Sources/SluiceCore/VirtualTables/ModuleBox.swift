import CSluice

/// What C keeps for a module: how its tables are made, and the functions that it calls.
@safe final class ModuleBox: AnyBox {
  typealias Make = (VirtualTableArguments) throws -> any VirtualTable

  let make: Make
  let use: VirtualTableUse
  let isWritable: Bool
  /// What C refers to until the last table of the module is gone, and with it this.
  let functions: UnsafeMutablePointer<sluice_module>
  /// The connection, which closes before it goes.
  private let owner: Unmanaged<Connection>

  init(
    _ connection: Connection, _ use: VirtualTableUse, isWritable: Bool, shadow: ShadowNames?,
    _ make: @escaping Make
  ) {
    self.make = make
    self.use = use
    self.isWritable = isWritable
    unsafe owner = Unmanaged.passUnretained(connection)
    unsafe functions = UnsafeMutablePointer<sluice_module>.allocate(capacity: 1)
    unsafe functions.initialize(to: sluice_module())
    super.init(connection.state)
    unsafe functions.pointee.base.iVersion = 4
    unsafe addConnecting(use, &functions.pointee.base)
    unsafe addReading(&functions.pointee.base)
    if isWritable {
      unsafe addWriting(&functions.pointee.base)
      unsafe addSavepoints(&functions.pointee.base)
    }
    unsafe functions.pointee.base.xShadowName = shadow?.function
    unsafe sluice_set_integrity(functions) { table, _, _, flags, message in
      unsafe TableBox.call(table) { box, _ in
        guard let damage = try box.table.damage(isQuick: flags & 1 != 0) else { return }
        unsafe message?.pointee = sluice_message(damage)
      }
    }
  }

  deinit { unsafe functions.deallocate() }

  var connection: Connection {
    get throws {
      guard state.isOpen else {
        throw SQLiteError(.misuse, "The connection is closed")
      }
      return unsafe owner.takeUnretainedValue()
    }
  }

  /// The module behind a pointer that `retained()` made.
  static func at(_ pointer: UnsafeMutableRawPointer?) -> ModuleBox {
    unsafe Unmanaged<ModuleBox>.fromOpaque(pointer!).takeUnretainedValue()
  }
}
