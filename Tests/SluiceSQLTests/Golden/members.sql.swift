// Generated from members.sql, where changes belong.

import Foundation
import Sluice

/// A row of `member` and `members`.
struct Member: Sendable, Hashable, Codable {
  var id: Int
  var uuid: UUID
  var name: String
  var email: String?
  var joined: Date
}

extension Member {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        id: row.get(.int, at: 0),
        uuid: row.get(.uuidString, at: 1),
        name: row.get(.string, at: 2),
        email: row.optional(.string, at: 3),
        joined: row.get(.timeIntervalSince1970, at: 4))
    }
  }
}

/// A row of `referrers`.
struct ReferrersRow: Sendable, Hashable, Codable {
  var name: String
  var referrer: String?
}

extension ReferrersRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(name: row.get(.string, at: 0), referrer: row.optional(.string, at: 1))
    }
  }
}

/// A row of `domainCounts`.
struct DomainCountsRow: Sendable, Hashable, Codable {
  var domain: String?
  var members: Int
}

extension DomainCountsRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(domain: row.optional(.string, at: 0), members: row.get(.int, at: 1))
    }
  }
}

/// A row of `mergeMember`.
struct MergeMemberRow: Sendable, Hashable, Codable {
  var id: Int
  var name: String
  var email: String?
  var joined: Date
}

extension MergeMemberRow {
  /// Reads the columns by their places.
  static var converter: RowConverter<Self> {
    RowConverter { row in
      try Self(
        id: row.get(.int, at: 0),
        name: row.get(.string, at: 1),
        email: row.optional(.string, at: 2),
        joined: row.get(.timeIntervalSince1970, at: 3))
    }
  }
}

private enum Statements {
  static let addMember = """
    INSERT INTO member(uuid, name, email, joined, referrer)
    VALUES (:uuid, :name, :email, :joined, :referrer)
    RETURNING id
    """

  static let member = """
    SELECT id, uuid, name, email, joined FROM member WHERE uuid = :uuid
    """

  static let members = """
    SELECT id, uuid, name, email, joined FROM member ORDER BY name
    """

  static let referrers = """
    SELECT member.name, other.name AS referrer
    FROM member LEFT JOIN member other ON other.id = member.referrer ORDER BY member.id
    """

  static let setEmail = """
    UPDATE member SET email = :email WHERE id = :id
    """

  static let lastJoined = """
    SELECT max(joined) FROM member
    """

  static let removeMembers = """
    DELETE FROM member WHERE joined < :before AND id NOT IN (SELECT member FROM loan)
    """

  static let domainCounts = """
    SELECT lower(substr(email, instr(email, '@') + 1)) AS domain, count(*) AS members
    FROM member WHERE email IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1
    """

  static let mergeMember = """
    UPDATE member SET name = :name, email = coalesce(:email, email) WHERE uuid = :uuid
    RETURNING id, name, email, joined
    """
}

extension Connection {
  /// The first row of the query `addMember`.
  ///
  /// ```sql
  /// INSERT INTO member(uuid, name, email, joined, referrer)
  /// VALUES (:uuid, :name, :email, :joined, :referrer)
  /// RETURNING id
  /// ```
  func addMember(
    uuid: UUID, name: String, email: String?, joined: Date, referrer: Int?
  ) throws -> Int {
    let row = try self.first(
      .column(.int),
      sql: Statements.addMember,
      parameters: .uuidString(uuid),
      .string(name),
      .optional(email, SQLParameter.string),
      .timeIntervalSince1970(joined),
      .optional(referrer, SQLParameter.int))
    guard let row else {
      throw SQLiteError(.notFound, "addMember has found no row", sql: Statements.addMember)
    }
    return row
  }

  /// The first row of the query `member`, or nil if there is none.
  ///
  /// ```sql
  /// SELECT id, uuid, name, email, joined FROM member WHERE uuid = :uuid
  /// ```
  func member(uuid: UUID) throws -> Member? {
    try self.first(Member.converter, sql: Statements.member, parameters: .uuidString(uuid))
  }

  /// All rows of the query `members`.
  ///
  /// ```sql
  /// SELECT id, uuid, name, email, joined FROM member ORDER BY name
  /// ```
  func members() throws -> [Member] {
    try self.query(Member.converter, sql: Statements.members)
  }

  /// All rows of the query `referrers`.
  ///
  /// ```sql
  /// SELECT member.name, other.name AS referrer
  /// FROM member LEFT JOIN member other ON other.id = member.referrer ORDER BY member.id
  /// ```
  func referrers() throws -> [ReferrersRow] {
    try self.query(ReferrersRow.converter, sql: Statements.referrers)
  }

  /// Runs the statement `setEmail`, and returns how many rows it has changed.
  ///
  /// ```sql
  /// UPDATE member SET email = :email WHERE id = :id
  /// ```
  @discardableResult
  func setEmail(email: String?, id: Int) throws -> Int {
    try self.execute(
      sql: Statements.setEmail, parameters: .optional(email, SQLParameter.string), .int(id))
    return self.changes
  }

  /// The first row of the query `lastJoined`.
  ///
  /// ```sql
  /// SELECT max(joined) FROM member
  /// ```
  func lastJoined() throws -> Date? {
    let row = try self.first(.column(.optional(.timeIntervalSince1970)), sql: Statements.lastJoined)
    guard let row else {
      throw SQLiteError(.notFound, "lastJoined has found no row", sql: Statements.lastJoined)
    }
    return row
  }

  /// Runs the statement `removeMembers`, and returns how many rows it has changed.
  ///
  /// ```sql
  /// DELETE FROM member WHERE joined < :before AND id NOT IN (SELECT member FROM loan)
  /// ```
  @discardableResult
  func removeMembers(before: Date) throws -> Int {
    try self.execute(sql: Statements.removeMembers, parameters: .timeIntervalSince1970(before))
    return self.changes
  }

  /// All rows of the query `domainCounts`.
  ///
  /// ```sql
  /// SELECT lower(substr(email, instr(email, '@') + 1)) AS domain, count(*) AS members
  /// FROM member WHERE email IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1
  /// ```
  func domainCounts() throws -> [DomainCountsRow] {
    try self.query(DomainCountsRow.converter, sql: Statements.domainCounts)
  }

  /// The first row of the query `mergeMember`, or nil if there is none.
  ///
  /// ```sql
  /// UPDATE member SET name = :name, email = coalesce(:email, email) WHERE uuid = :uuid
  /// RETURNING id, name, email, joined
  /// ```
  func mergeMember(name: String, email: String?, uuid: UUID) throws -> MergeMemberRow? {
    try self.first(
      MergeMemberRow.converter,
      sql: Statements.mergeMember,
      parameters: .string(name),
      .optional(email, SQLParameter.string),
      .uuidString(uuid))
  }
}

extension QueryReader {
  /// See `Connection.member(uuid:)`; the task waits, no thread does.
  func member(uuid: UUID) async throws -> Member? {
    try await performReading { try $0.member(uuid: uuid) }
  }

  /// See `Connection.member(uuid:)`; the calling thread waits.
  @available(*, noasync, message: "Use member, which does not block the thread")
  func syncMember(uuid: UUID) throws -> Member? {
    try syncReading { try $0.member(uuid: uuid) }
  }

  /// See `Connection.members()`; the task waits, no thread does.
  func members() async throws -> [Member] {
    try await performReading { try $0.members() }
  }

  /// See `Connection.members()`; the calling thread waits.
  @available(*, noasync, message: "Use members, which does not block the thread")
  func syncMembers() throws -> [Member] {
    try syncReading { try $0.members() }
  }

  /// See `Connection.referrers()`; the task waits, no thread does.
  func referrers() async throws -> [ReferrersRow] {
    try await performReading { try $0.referrers() }
  }

  /// See `Connection.referrers()`; the calling thread waits.
  @available(*, noasync, message: "Use referrers, which does not block the thread")
  func syncReferrers() throws -> [ReferrersRow] {
    try syncReading { try $0.referrers() }
  }

  /// See `Connection.lastJoined()`; the task waits, no thread does.
  func lastJoined() async throws -> Date? {
    try await performReading { try $0.lastJoined() }
  }

  /// See `Connection.lastJoined()`; the calling thread waits.
  @available(*, noasync, message: "Use lastJoined, which does not block the thread")
  func syncLastJoined() throws -> Date? {
    try syncReading { try $0.lastJoined() }
  }

  /// See `Connection.domainCounts()`; the task waits, no thread does.
  func domainCounts() async throws -> [DomainCountsRow] {
    try await performReading { try $0.domainCounts() }
  }

  /// See `Connection.domainCounts()`; the calling thread waits.
  @available(*, noasync, message: "Use domainCounts, which does not block the thread")
  func syncDomainCounts() throws -> [DomainCountsRow] {
    try syncReading { try $0.domainCounts() }
  }
}

extension QueryWriter {
  /// See `Connection.addMember(uuid:name:email:joined:referrer:)`; the task waits, no thread does.
  func addMember(
    uuid: UUID, name: String, email: String?, joined: Date, referrer: Int?
  ) async throws -> Int {
    try await performWriting { try $0.addMember(uuid: uuid, name: name, email: email, joined: joined, referrer: referrer) }
  }

  /// See `Connection.addMember(uuid:name:email:joined:referrer:)`; the calling thread waits.
  @available(*, noasync, message: "Use addMember, which does not block the thread")
  func syncAddMember(
    uuid: UUID, name: String, email: String?, joined: Date, referrer: Int?
  ) throws -> Int {
    try syncWriting { try $0.addMember(uuid: uuid, name: name, email: email, joined: joined, referrer: referrer) }
  }

  /// See `Connection.setEmail(email:id:)`; the task waits, no thread does.
  @discardableResult
  func setEmail(email: String?, id: Int) async throws -> Int {
    try await performWriting { try $0.setEmail(email: email, id: id) }
  }

  /// See `Connection.setEmail(email:id:)`; the calling thread waits.
  @available(*, noasync, message: "Use setEmail, which does not block the thread")
  @discardableResult
  func syncSetEmail(email: String?, id: Int) throws -> Int {
    try syncWriting { try $0.setEmail(email: email, id: id) }
  }

  /// See `Connection.removeMembers(before:)`; the task waits, no thread does.
  @discardableResult
  func removeMembers(before: Date) async throws -> Int {
    try await performWriting { try $0.removeMembers(before: before) }
  }

  /// See `Connection.removeMembers(before:)`; the calling thread waits.
  @available(*, noasync, message: "Use removeMembers, which does not block the thread")
  @discardableResult
  func syncRemoveMembers(before: Date) throws -> Int {
    try syncWriting { try $0.removeMembers(before: before) }
  }

  /// See `Connection.mergeMember(name:email:uuid:)`; the task waits, no thread does.
  func mergeMember(name: String, email: String?, uuid: UUID) async throws -> MergeMemberRow? {
    try await performWriting { try $0.mergeMember(name: name, email: email, uuid: uuid) }
  }

  /// See `Connection.mergeMember(name:email:uuid:)`; the calling thread waits.
  @available(*, noasync, message: "Use mergeMember, which does not block the thread")
  func syncMergeMember(name: String, email: String?, uuid: UUID) throws -> MergeMemberRow? {
    try syncWriting { try $0.mergeMember(name: name, email: email, uuid: uuid) }
  }
}

extension DatabaseReader {
  /// The rows of `Connection.members()`, as they are asked for.
  func streamMembers() -> RowStream<Member> {
    self.rows(Member.converter, sql: Statements.members)
  }
}
