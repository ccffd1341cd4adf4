import CSluice

/// The names of the tables that a module keeps its data in, behind the name of the virtual table.
///
/// SQLite asks for them by a function that is told nothing of the module. So there are some of these,
/// each with its names, which stay for ever.
@safe struct ShadowNames {
  typealias Function = @convention(c) (UnsafePointer<CChar>?) -> Int32

  let function: Function

  private static let limit = 8
  private static let taken = Locked<[Set<String>]>([])

  /// Those of a module; nil if it has none.
  init?(_ names: Set<String>) throws {
    guard !names.isEmpty else { return nil }
    for name in names { try refuseNUL(in: name, "The name of a shadow table") }
    let names = Set(names.map { $0.lowercased() })
    let index = Self.taken.withLock { taken in
      if let index = taken.firstIndex(of: names) { return index }
      guard taken.count < Self.limit else { return -1 }
      taken.append(names)
      return taken.count - 1
    }
    guard index >= 0 else {
      throw SQLiteError(
        .full, "A process can have \(Self.limit) sets of names of shadow tables")
    }
    unsafe function = Self.functions[index]
  }

  private static let functions: [Function] = unsafe [
    { unsafe contains(0, $0) }, { unsafe contains(1, $0) }, { unsafe contains(2, $0) },
    { unsafe contains(3, $0) }, { unsafe contains(4, $0) }, { unsafe contains(5, $0) },
    { unsafe contains(6, $0) }, { unsafe contains(7, $0) },
  ]

  private static func contains(_ index: Int, _ name: UnsafePointer<CChar>?) -> Int32 {
    guard let name = unsafe name else { return 0 }
    let text = unsafe String(cString: name).lowercased()
    return taken.withLock { $0[index].contains(text) } ? 1 : 0
  }
}
