import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `errors of the operating system` {
  @Test func `what cannot be opened says why`() throws {
    let folder = try TestFolder()
    let missing = failure { try Connection(path: folder.file(), create: false) }
    #expect(missing?.code == .cantOpen)
    #expect(missing?.systemErrno == Int(ENOENT))
    #expect(failure { try Connection(path: folder.path) }?.systemErrno == Int(EISDIR))
  }

  @Test func `what is no failure of the system has none`() throws {
    let connection = try Connection()
    #expect(failure { try connection.execute(sql: "SELECT nothing") }?.systemErrno == nil)
    let error = failure { try connection.attach(path: "/no/folder/a.db", as: "b") }
    #expect(error?.systemErrno == Int(ENOENT))
    // The connection still knows of the last one.
    #expect(failure { try connection.execute(sql: "SELECT nothing") }?.systemErrno == nil)
  }
}
