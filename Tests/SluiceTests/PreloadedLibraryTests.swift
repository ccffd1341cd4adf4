#if os(Linux)
  import Foundation
  import Sluice
  import TestSupport
  import Testing

  /// On Linux, a preloaded library takes precedence, so a test can add functions to the SQLite that a program
  /// links, or replace its functions.
  @Suite(.tags(.library), .enabled(if: Preloaded.isPossible))
  struct `preloaded libraries` {
    private func output(with code: String) throws -> String {
      let (status, output) = try Preloaded(code).runCapabilities()
      #expect(status == 0)
      return output
    }

    @Test func `a program uses the functions of a preloaded library without a rebuild`() throws {
      let output = try output(
        with: """
          const char *sqlite3_normalized_sql(void *statement) { return "SELECT ?"; }
          const char *sqlite3_column_database_name(void *statement, int index) { return "d"; }
          const char *sqlite3_column_table_name(void *statement, int index) { return "t"; }
          const char *sqlite3_column_origin_name(void *statement, int index) { return "c"; }
          int sqlite3_snapshot_get(void *connection, const char *schema, void **snapshot) { return 1; }
          """)
      for line in [
        "normalizedSQL: yes", "columnMetadata: yes", "snapshots: yes", "runs: SELECT ?",
        #"origins: ["c"]"#,
      ] {
        #expect(output.contains("\n\(line)\n"))
      }
    }

    @Test
    func `each property of ScanStatus has SQLite's number, and a reset calls SQLite's function`()
      throws
    {
      let output = try output(
        with: """
          int sqlite3_stmt_scanstatus(void *statement, int index, int operation, void *result) {
            if (index > 1) return 1;
            switch (operation) {
            case 0: *(long long *)result = 3 + index; return 0;
            case 1: *(long long *)result = 40 + index; return 0;
            case 2: *(double *)result = 2.5; return 0;
            case 3: *(const char **)result = index ? 0 : "person"; return 0;
            case 4: *(const char **)result = index ? 0 : "SCAN person"; return 0;
            case 7: *(long long *)result = index ? -1 : 900; return 0;
            default: return 1;
            }
          }
          #include <stdio.h>
          void sqlite3_stmt_scanstatus_reset(void *statement) { fputs("\\nto zero\\n", stderr); }
          """)
      let cycles = SQLiteVersion.countsCycles ? "Optional(900)" : "nil"
      let scan =
        #"(loops: 3, visits: 40, estimatedRows: 2.5, name: Optional("person"), explanation: Optional("SCAN person"), cycles: \#(cycles))"#
      let other =
        "(loops: 4, visits: 41, estimatedRows: 2.5, name: nil, explanation: nil, cycles: nil)"
      #expect(
        output.contains("\nscan: [SluiceCore.ScanStatus\(scan), SluiceCore.ScanStatus\(other)]\n"))
      #expect(output.contains("\nto zero\n"))
    }

    /// A function with which the library says that it was built with a cipher.
    private static let cipher = """
      #include <string.h>
      int sqlite3_compileoption_used(const char *name) { return strcmp(name, "HAS_CODEC") == 0; }

      """

    @Test func `encryption keys are passed to the library and not printed`() throws {
      let output = try output(
        with: Self.cipher + """
          #include <stdio.h>
          int sqlite3_key(void *connection, const char *key, int count) {
            return fprintf(stderr, "\\ngot %.*s\\n", count, key) < 0;
          }
          int sqlite3_rekey(void *connection, const char *key, int count) {
            return fprintf(stderr, "\\nchanged to %.*s\\n", count, key) < 0;
          }
          """)
      let raw = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
      #expect(output.contains("\ngot secret\n"))
      #expect(output.contains("\nchanged to x'\(raw)'\n"))
      let shown = try #require(output.split(separator: "\n").first { $0.hasPrefix("key:") })
      #expect(shown.contains("encryptionKey: Optional(EncryptionKey)"))
      #expect(!shown.contains("secret") && !shown.contains(raw))
    }

    @Test func `opening throws if the library rejects the encryption key`() throws {
      let output = try output(
        with: Self.cipher
          + "int sqlite3_key(void *connection, const void *key, int count) { return 1; }")
      #expect(output.contains("\nkey throws: SQL logic error [SQLITE_ERROR (1)]\n"))
    }

    @Test func `a key throws if the library accepts it but has no cipher, as Apple's`() throws {
      let output = try output(
        with: """
          void sqlite3_activate_see(const char *phrase) {}
          int sqlite3_key(void *connection, const void *key, int count) { return 0; }
          """)
      #expect(output.contains("\nencryption: no\n"))
      #expect(output.contains("\nkey throws: The linked SQLite \(SQLiteLibrary.version) lacks"))
    }

    @Test func `opening throws if the library rejects a connection option`() throws {
      let output = try output(
        with: """
          int sqlite3_db_config(void *connection, int operation, int value, int *now) {
            *now = operation == 1010 ? 0 : value;
            return 0;
          }
          """)
      let version = SQLiteLibrary.version
      #expect(output.contains("\noption throws: SQLite \(version) refuses to turn defensive on ["))
    }

    @Test func `opening throws if the library cannot be initialized`() throws {
      let library = try Preloaded("int sqlite3_initialize(void) { return 7; }")
      let (status, output) = try library.runCapabilities()
      #expect(status != 0)
      #expect(output.contains("SQLite cannot be initialized [SQLITE_NOMEM (7)]"))
    }
  }

  /// A library that the test compiles, and preloads before the library that a program links.
  private struct Preloaded {
    private let folder: TestFolder
    private let path: String

    /// Whether SQLite is a separate library rather than part of the program.
    static var isPossible: Bool {
      guard let maps = try? FileHandle(forReadingFrom: URL(filePath: "/proc/self/maps")).readToEnd()
      else { return false }
      return String(decoding: maps, as: UTF8.self).contains(/lib(sqlite|sqlcipher)/)
    }

    init(_ code: String) throws {
      folder = try TestFolder()
      path = folder.url.appending(path: "library.so").path
      let source = folder.url.appending(path: "library.c")
      try Data(code.utf8).write(to: source)
      let compiler = Process()
      compiler.executableURL = URL(filePath: "/usr/bin/env")
      compiler.arguments = ["clang", "-shared", "-fPIC", "-o", path, source.path]
      try compiler.run()
      compiler.waitUntilExit()
      try #require(compiler.terminationStatus == 0)
    }

    /// Runs the program `Capabilities` with the library preloaded, and returns its exit status and output.
    func runCapabilities() throws -> (status: Int32, output: String) {
      try withExtendedLifetime(folder) {
        try Program.run("Capabilities", environment: ["LD_PRELOAD": path])
      }
    }
  }
#endif
