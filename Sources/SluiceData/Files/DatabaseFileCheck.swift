import SluiceCore

/// Returns whether a file is an SQLite database that is not encrypted.
///
/// - Throws: ``ResultCode/cantOpen`` if the file cannot be opened.
func isDatabase(_ path: String) throws -> Bool {
  let magic = "SQLite format 3\0".utf8
  return try SQLiteLibrary.beginning(ofFile: path, count: magic.count).elementsEqual(magic)
}
