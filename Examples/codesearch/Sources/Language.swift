/// The language of a file, which is determined by the file name's extension.
struct Language {
  let name: String

  init(path: String) {
    let file = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    let parts = file.split(separator: UInt8(ascii: "."))
    guard parts.count > 1, let last = parts.last, let ending = String(last) else {
      name = "no extension"
      return
    }
    name = Self.names[ending.lowercased()] ?? "." + ending
  }

  private static let names = [
    "c": "C", "h": "C", "cc": "C++", "cpp": "C++", "cxx": "C++", "hpp": "C++", "hxx": "C++",
    "css": "CSS", "go": "Go", "html": "HTML", "java": "Java", "js": "JavaScript",
    "json": "JSON", "kt": "Kotlin", "md": "Markdown", "modulemap": "Module map",
    "py": "Python", "rb": "Ruby", "rs": "Rust", "sh": "Shell", "sql": "SQL", "swift": "Swift",
    "toml": "TOML", "ts": "TypeScript", "txt": "Text", "xml": "XML", "yaml": "YAML",
    "yml": "YAML",
  ]
}
