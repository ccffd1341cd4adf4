// A closure cannot return the row that it borrows.
// says: A row is valid only inside its closure: copy it with values(), or read its columns

import Sluice

func copy(_ statement: Statement) throws {
  #if REJECTED
    print(try statement.map { $0 })
  #else
    print(try statement.map { try $0.values() })
    let numbers: [Int] = try statement.map { try $0[0] }
    let none = try statement.map { _ in if numbers.isEmpty { throw CancellationError() } }
    _ = none
  #endif
}
