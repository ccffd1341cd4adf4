import SluiceCore

extension CallbackKind {
  /// The callbacks of sessions, of applied changesets and of backups.
  static let changes = (SQLiteLibrary.has(.sessions) ? sessions + applications : []) + copies

  private static let keyed = "CREATE TABLE k(id INTEGER PRIMARY KEY, v)"

  private static let sessions = [
    CallbackKind(
      name: "filter of a session", canThrow: false, ending: .misuse, setUp: keyed,
      sql: "INSERT INTO k VALUES (9, 'z')"
    ) { db, act in
      let session = try db.session { _ in
        // The filter cannot throw; the fixture records the outcome of `act`.
        try? act()
        return true
      }
      return { try session.close() }
    },
    CallbackKind(
      name: "stream of a session", replacing: nil, setUp: keyed, isCalledBySQL: false,
      run: { db, _, act in
        let session = try db.session()
        try db.execute(sql: "INSERT INTO k VALUES (9, 'z')")
        try session.changeset { _ in try act() }
      }, register: nothingToRegister),
  ]

  private static let applications = [
    application("filter of changes") { db, changeset, act in
      try db.apply(changeset) { _ in
        .replace
      } filter: { _ in
        try act()
        return true
      }
    },
    application("conflict") { db, changeset, act in
      try db.apply(changeset) { _ in
        try act()
        return .replace
      }
    },
    application("stream of changes") { db, changeset, act in
      var pieces = chunks(changeset.bytes, of: 10)
      let stream = Changeset.Stream {
        try act()
        return pieces.isEmpty ? nil : pieces.removeFirst()
      }
      try db.apply(stream) { _ in .replace }
    },
  ]

  private static func application(
    _ name: String,
    _ apply: @escaping @Sendable (Connection, Changeset, @escaping () throws -> Void) throws -> Void
  ) -> CallbackKind {
    CallbackKind(
      name: name, isMidway: false, replacing: nil, setUp: keyed, isCalledBySQL: false,
      run: { db, _, act in
        let recording = try Recording(keyed + "; INSERT INTO k VALUES (1, 'a')")
        let changeset = try recording.changeset("UPDATE k SET v = 'b'")
        try db.execute(sql: "INSERT INTO k VALUES (1, 'c')")
        try apply(db, changeset, act)
      }, register: nothingToRegister)
  }

  private static let copies = [
    CallbackKind(
      name: "progress of a backup", isInCall: false, isMidway: false, replacing: nil,
      isCalledBySQL: false,
      run: { db, _, act in
        try db.backup(to: Connection(), pagesPerStep: 1) { _, _ in try act() }
      }, register: nothingToRegister)
  ]
}
