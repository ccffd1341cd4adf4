import Foundation
import Sluice
import Testing

@Suite(.enabled(if: SQLiteLibrary.has(.fts5)), .timeLimit(.minutes(10))) struct `Watching` {
  @Test func `watching prints the results again after files change`() throws {
    let folder = try Folder(["a.txt": "apple\n"])
    var steps = 0
    try Program.follow(["--watch", "apple"], in: folder.url) { lines in
      let ends = lines.count { $0.contains("matches.") || $0.contains("lines match") }
      if steps == 0, ends == 1 {
        #expect(lines.contains("a.txt:1: »apple«"))
        try folder.write("b.txt", "one apple\nno pear\n")
        steps = 1
      } else if steps == 1, lines.contains("b.txt:1: one »apple«"), ends == 2 {
        try folder.remove("a.txt")
        try folder.remove("b.txt")
        steps = 2
      } else if steps == 2, lines.last == "No line matches." {
        return false
      }
      return true
    }
    #expect(steps == 2)
  }
}
