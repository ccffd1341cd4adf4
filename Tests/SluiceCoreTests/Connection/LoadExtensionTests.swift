import Foundation
import SluiceCore
import TestSupport
import Testing

@Suite struct `builds without loadable extensions` {
  @Test(.enabled(if: !SQLiteLibrary.has(.loadableExtensions)))
  func `loadExtension throws notFound if SQLite is built without loadable extensions`() throws {
    #expect(failure { try Connection().loadExtension(path: "x") }?.code == .notFound)
  }
}

@Suite(.enabled(if: SQLiteLibrary.has(.loadableExtensions)))
struct `loadable extensions` {
  let folder: TestFolder
  let db: Connection

  init() throws {
    folder = try TestFolder()
    db = try Connection()
    try folder.write(Array(Self.source.utf8), to: "half.c")
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = [
      "clang", "-shared", "-fPIC", "-o", folder.file("half.so"), folder.file("half.c"),
    ]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
  }

  private static let source = """
    #include <sqlite3ext.h>
    SQLITE_EXTENSION_INIT1
    static void half(sqlite3_context *context, int count, sqlite3_value **values) {
      sqlite3_result_double(context, sqlite3_value_double(values[0]) / 2);
    }
    int sqlite3_half_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      return sqlite3_create_function(db, "half", 1, SQLITE_UTF8, 0, half, 0, 0);
    }
    int broken(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
      SQLITE_EXTENSION_INIT2(api);
      *message = sqlite3_mprintf("half of it is missing");
      return SQLITE_ERROR;
    }
    """

  @Test(arguments: [("half.so", nil), ("half", nil), ("half.so", "sqlite3_half_init")])
  func `a loaded extension adds its functions only to the connection that loaded the extension`(
    name: String, entryPoint: String?
  ) throws {
    #expect(failure { try db.column("SELECT half(3)") } != nil)
    try db.loadExtension(path: folder.file(name), entryPoint: entryPoint)
    #expect(try db.column("SELECT half(3)") == [1.5])
    #expect(failure { try Connection().column("SELECT half(3)") }?.code == .error)
  }

  @Test(arguments: [true, false])
  func `loadExtension restores the loadableExtensions option, and SQL cannot load an extension`(
    wasOn: Bool
  ) throws {
    let file = folder.file("half.so")
    func loadBySQL() throws { try db.execute("SELECT load_extension(\(file))") }
    try db.setOption(.loadableExtensions, wasOn)
    #expect(failure { try loadBySQL() }?.message == "not authorized")
    try db.loadExtension(path: file)
    #expect(try db.option(.loadableExtensions) == wasOn)
    #expect(failure { try loadBySQL() }?.message == "not authorized")
    #expect(failure { try db.loadExtension(path: folder.file("none")) } != nil)
    #expect(try db.option(.loadableExtensions) == wasOn)
  }

  @Test func `a failed load reports the message of the loader or of the extension`() throws {
    let missing = failure { try db.loadExtension(path: folder.file("none")) }
    #expect(missing?.code == .error)
    #expect(missing?.message.contains("none") == true)
    let file = folder.file("half.so")
    let entry = failure { try db.loadExtension(path: file, entryPoint: "nowhere") }
    #expect(entry?.message.contains("nowhere") == true)
    let broken = failure { try db.loadExtension(path: file, entryPoint: "broken") }
    #expect(broken?.message.contains("half of it is missing") == true)
    let source = failure { try db.loadExtension(path: folder.file("half.c")) }
    #expect(source?.message.contains("half.c") == true)
  }

  @Test func `loading an extension throws for an empty path, a NUL or a closed connection`() throws
  {
    #expect(failure { try db.loadExtension(path: "") }?.code == .cantOpen)
    #expect(failure { try db.loadExtension(path: folder.file("half.so\0")) }?.code == .misuse)
    #expect(
      failure { try db.loadExtension(path: folder.file("half.so"), entryPoint: "a\0") }?.code
        == .misuse)
    try db.close()
    #expect(failure { try db.loadExtension(path: folder.file("half.so")) }?.code == .misuse)
  }
}
