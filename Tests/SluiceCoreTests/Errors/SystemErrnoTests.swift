import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `operating system errors` {
  @Test func `a file that cannot be opened reports the errno of the operating system`() throws {
    let folder = try TestFolder()
    let missing = failure { try Connection(path: folder.file(), create: false) }
    #expect(missing?.code == .cantOpen)
    #expect(missing?.systemErrno == Int(ENOENT))
    #expect(failure { try Connection(path: folder.path) }?.systemErrno == Int(EISDIR))
  }

  @Test func `an SQL error has no errno, even after a system error`() throws {
    let connection = try Connection()
    #expect(failure { try connection.execute(sql: "SELECT nothing") }?.systemErrno == nil)
    let error = failure { try connection.attach(path: "/no/folder/a.db", as: "b") }
    #expect(error?.systemErrno == Int(ENOENT))
    // The connection still holds the errno of the failed attach.
    #expect(failure { try connection.execute(sql: "SELECT nothing") }?.systemErrno == nil)
  }
}
