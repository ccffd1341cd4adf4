import SluiceCore

let connection = try Connection(path: CommandLine.arguments[1])
let title = try connection.first(.column(.string), "SELECT title FROM book WHERE id = \(1)")
guard title == "Middlemarch" else { fatalError() }
