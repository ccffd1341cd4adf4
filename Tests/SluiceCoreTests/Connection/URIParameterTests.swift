import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.settings)) struct `URI parameters` {
  @Test func `a connection reports its URI parameters in order, with their values`() throws {
    let folder = try TestFolder()
    let connection = try Connection(
      uri: "file:\(folder.file())?tenant=7&name=%C3%A4%26b&none=&flag=yes&off=no&odd=x")
    #expect(
      try connection.uriParameterNames() == ["tenant", "name", "none", "flag", "off", "odd"])
    #expect(try connection.uriParameter("name") == "ä&b")
    #expect(try connection.uriParameter("none") == "")
    #expect(try connection.uriParameter("other") == nil)
    #expect(try connection.uriInteger("tenant") == 7)
    #expect(try connection.uriInteger("name", default: 3) == 3)
    #expect(try connection.uriInteger("other", default: .min) == .min)
    #expect(try connection.uriBoolean("flag"))
    #expect(try !connection.uriBoolean("off", default: true))
    #expect(try connection.uriBoolean("odd", default: true))
    #expect(try !connection.uriBoolean("odd", default: false))
    #expect(try connection.uriBoolean("other", default: true))
  }

  @Test func `each database has its own URI parameters`() throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file())
    try connection.attach(uri: "file:\(folder.file("b.db"))?a=1", as: "b")
    #expect(try connection.uriParameterNames() == [])
    #expect(try connection.uriParameterNames(database: "b") == ["a"])
    #expect(try connection.uriParameter("a", database: "b") == "1")
    #expect(try connection.uriInteger("a", database: "b") == 1)
    #expect(try connection.uriBoolean("a", database: "b"))
  }

  @Test(arguments: ["main", "temp"]) func `a database without a file has no URI parameters`(
    database: String
  ) throws {
    let connection = try Connection()
    for _ in 1...2 {
      #expect(try connection.uriParameterNames(database: database) == [])
      #expect(try connection.uriParameter("a", database: database) == nil)
      #expect(try connection.uriInteger("a", default: 5, database: database) == 5)
      #expect(try connection.uriBoolean("a", default: true, database: database))
      try connection.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS t(a)")
    }
  }

  @Test
  func
    `reading URI parameters throws for invalid UTF-8, a NUL, an unknown database or after closing`()
    throws
  {
    let folder = try TestFolder()
    let connection = try Connection(uri: "file:\(folder.file())?a=%FF&%FE=b")
    #expect(failure { try connection.uriParameter("a") }?.code == .mismatch)
    #expect(failure { try connection.uriParameterNames() }?.code == .mismatch)
    #expect(failure { try connection.uriParameter("a\0") }?.code == .misuse)
    #expect(failure { try connection.uriParameter("a", database: "x") }?.code == .range)
    #expect(failure { try connection.uriParameterNames(database: "main\0") }?.code == .misuse)
    try connection.close()
    #expect(failure { try connection.uriParameterNames() }?.code == .misuse)
    #expect(failure { try connection.uriBoolean("a") }?.code == .misuse)
  }
}
