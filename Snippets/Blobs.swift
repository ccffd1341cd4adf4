// Incremental blob I/O, for a blob that does not fit in memory.

// snippet.hide
import Sluice

let connection = try Connection()
try connection.execute(sql: "CREATE TABLE film(id INTEGER PRIMARY KEY, pictures BLOB)")
let header: [UInt8] = [1, 2, 3, 4]
let size = 100_000
func pictures() -> [[UInt8]] { Array(repeating: Array(repeating: 7, count: 1000), count: 99) }
// snippet.show
// SQL reserves the space with zeroblob, and the blob fills it.
try connection.execute("INSERT INTO film VALUES (1, zeroblob(\(size)))")
let blob = try connection.openBlob(
  table: "film", column: "pictures", rowid: 1, readOnly: false)
try blob.write(header)
try blob.write(chunks: pictures(), at: header.count)
try blob.close()  // commits, and throws if the commit fails

// Reading works the same way, and keeps only one chunk in memory.
let film = try connection.openBlob(table: "film", column: "pictures", rowid: 1)
let start = try film.read(at: 0, count: 4)
var sum = 0
try film.forEachChunk(of: 4096) { bytes in
  for index in bytes.indices { sum += Int(bytes[index]) }
}
// snippet.hide
guard start == header, sum == 10 + 7 * 99_000 else { fatalError("\(start), \(sum)") }
