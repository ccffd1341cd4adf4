import Foundation
import Sluice
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5))) struct `Invalid folders and databases` {
  @Test func `a missing folder is reported in one line`() throws {
    let folder = try Folder()
    let run = try folder.codesearch("--folder", "nowhere", "word")
    #expect(run.status == 2)
    #expect(run.messages == "codesearch: There is no folder nowhere\n")
  }

  @Test func `a file given as the folder is reported in one line`() throws {
    let folder = try Folder(["a.txt": "apple\n"])
    let run = try folder.codesearch("-C", "a.txt", "apple")
    #expect(run.status == 2)
    #expect(run.messages == "codesearch: a.txt is not a folder\n")
  }

  @Test func `a file that is not a database is rejected and left unchanged`() throws {
    let text = String(repeating: "This is not a database.\n", count: 100)
    let folder = try Folder(["a.txt": text])
    for arguments in [["--database", "a.txt", "word"], ["--database=a.txt", "--reindex"]] {
      let run = try Program(arguments, in: folder.url)
      #expect(run.status == 2)
      #expect(
        run.messages
          == "codesearch: \(folder.url.appending(path: "a.txt").path) is not an SQLite database\n")
    }
    let file = folder.url.appending(path: "a.txt")
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test func `the database of another program is rejected and left unchanged`() throws {
    let folder = try Folder()
    let file = folder.url.appending(path: "other.db")
    let connection = try Connection(url: file)
    try connection.execute(sql: "CREATE TABLE file(name); INSERT INTO file VALUES ('mine')")
    try connection.close()
    let before = try Data(contentsOf: file)
    let run = try folder.codesearch("--database", "other.db", "--reindex")
    #expect(run.status == 2)
    #expect(run.messages == "codesearch: \(file.path) is another program's database\n")
    #expect(try Data(contentsOf: file) == before)
  }

  @Test func `a folder given as the database is rejected`() throws {
    let folder = try Folder(["sub/a.txt": "apple\n"])
    let run = try folder.codesearch("--database", "sub", "apple")
    #expect(run.status == 2)
    #expect(run.messages.hasSuffix("is a folder, not a database file\n"))
  }

  @Test func `a damaged index is reported with a way to repair it`() throws {
    let folder = try Folder()
    for number in 1...50 { try folder.write("\(number).txt", "needle \(number)\n") }
    _ = try folder.codesearch()
    let file = URL(fileURLWithPath: folder.index)
    var data = try Data(contentsOf: file)
    data.replaceSubrange(4096..., with: Data(repeating: 0xA5, count: data.count - 4096))
    try data.write(to: file)
    let run = try folder.codesearch("needle")
    #expect(run.status == 2)
    #expect(run.messages.contains("is damaged; delete it, and it will be created again\n"))
  }
}
