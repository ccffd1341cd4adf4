import CSluice

/// Memory of SQLite's that is short when it is told to be, for the module that tests.
package enum FailingMemory {
  /// Throws ``ResultCode/misuse`` if SQLite has started.
  package static func install() throws {
    try SQLiteLibrary.configure(sluice_config_failing_memory)
  }

  /// Lets the allocation of this number fail, from 1 on; 0 is none.
  package static func arm(_ number: Int, isForEver: Bool) {
    sluice_fail_allocation(Int64(number), isForEver ? 1 : 0)
  }

  /// How many allocations there were since it was armed.
  package static var allocations: Int { Int(sluice_allocations()) }

  /// How many of these have failed.
  package static var failures: Int { Int(sluice_failed_allocations()) }
}
