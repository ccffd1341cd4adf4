/// People with pets, and queries with conditions and orders on expressions.
enum People {
  static let schema = """
    CREATE TABLE person(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER, born TEXT, data TEXT,
      "full name" TEXT);
    CREATE TABLE pet(
      id INTEGER PRIMARY KEY, owner, name TEXT, price REAL, quantity INTEGER, payload TEXT);
    CREATE VIEW place AS SELECT id, upper(city) AS city FROM person;
    ATTACH ':memory:' AS archive;
    CREATE TABLE archive.letter(id INTEGER PRIMARY KEY, subject TEXT);
    """

  /// Queries with the statements that create the indexes that they lack.
  static let lacking: [(sql: String, indexes: [String])] = [
    (
      "SELECT id FROM person WHERE lower(name) = :name",
      ["CREATE INDEX person_lower_name ON person(lower(name))"]
    ),
    (
      "SELECT p.id FROM person AS p WHERE :name = LOWER(p.\"full name\")",
      ["CREATE INDEX person_lower_full_name ON person(LOWER(\"full name\"))"]
    ),
    (
      "SELECT id FROM main.person WHERE length( /* all */ main.person.name -- of it\n) > :count",
      ["CREATE INDEX person_length_name ON person(length(name))"]
    ),
    (
      "-- @param mail: String\nSELECT id FROM person WHERE data ->> '$.mail' = :mail",
      ["CREATE INDEX person_data_mail ON person(data ->> '$.mail')"]
    ),
    (
      "-- @param one: String\n-- @param two: String\n"
        + "SELECT id FROM person WHERE json_extract(data, '$.mail') IN (:one, :two)",
      ["CREATE INDEX person_json_extract_data_mail ON person(json_extract(data, '$.mail'))"]
    ),
    (
      "SELECT id FROM pet WHERE price * quantity > :total",
      ["CREATE INDEX pet_price_quantity ON pet(price * quantity)"]
    ),
    (
      "SELECT id FROM person WHERE lower(city) = :city AND age > :age",
      ["CREATE INDEX person_lower_city_age ON person(lower(city), age)"]
    ),
    (
      "SELECT id FROM person WHERE city = :city ORDER BY lower(name)",
      ["CREATE INDEX person_city_lower_name ON person(city, lower(name))"]
    ),
    (
      "SELECT id, name FROM person ORDER BY lower(name), age DESC LIMIT 10",
      ["CREATE INDEX person_lower_name_age ON person(lower(name), age DESC)"]
    ),
    (
      "SELECT id FROM person ORDER BY born IS NULL, born LIMIT 10",
      ["CREATE INDEX person_born_is_null_born ON person(born IS NULL, born)"]
    ),
    (
      "SELECT substr(born, 1, 4) AS year, count(*) AS count FROM person GROUP BY substr(born, 1, 4)",
      ["CREATE INDEX person_substr_born_1_4 ON person(substr(born, 1, 4))"]
    ),
    (
      "SELECT count(*) AS count FROM person GROUP BY lower(city), age",
      ["CREATE INDEX person_lower_city_age ON person(lower(city), age)"]
    ),
    (
      "SELECT id FROM person WHERE (age + 1) % 10 = :digit",
      ["CREATE INDEX person_age_1_10 ON person((age + 1) % 10)"]
    ),
    (
      "SELECT id FROM pet WHERE CAST(payload AS INTEGER) = :number",
      ["CREATE INDEX pet_cast_payload_as_integer ON pet(CAST(payload AS INTEGER))"]
    ),
    (
      "SELECT id FROM person WHERE name || city = :both COLLATE NOCASE",
      ["CREATE INDEX person_name_city ON person((name || city) COLLATE NOCASE)"]
    ),
    (
      "SELECT id FROM person WHERE CASE WHEN age < 18 THEN 'minor' ELSE city END = :group",
      [
        "CREATE INDEX person_case_when_age_18_then_minor"
          + " ON person(CASE WHEN age < 18 THEN 'minor' ELSE city END)"
      ]
    ),
    (
      "UPDATE person SET age = 0 WHERE lower(name) = :name",
      ["CREATE INDEX person_lower_name ON person(lower(name))"]
    ),
    (
      "DELETE FROM person WHERE date(born) < :day",
      ["CREATE INDEX person_date_born ON person(date(born))"]
    ),
    (
      "SELECT person.id FROM pet AS animal JOIN person ON lower(person.name) = animal.owner"
        + " WHERE animal.id = :id",
      ["CREATE INDEX person_lower_name ON person(lower(name))"]
    ),
    (
      "-- @param city: String\nSELECT id FROM place WHERE city = :city",
      ["CREATE INDEX person_upper_city ON person(upper(city))"]
    ),
    (
      "SELECT id FROM archive.letter WHERE trim(subject) = :subject",
      ["CREATE INDEX archive.letter_trim_subject ON letter(trim(subject))"]
    ),
  ]

  /// Queries on expressions that no index can have, and queries that no index on an expression helps.
  static let satisfied = [
    "SELECT id FROM person WHERE random() % age > 5",
    "SELECT id FROM person WHERE abs(random() % age) = :number",
    "SELECT id FROM person WHERE date(born, 'localtime') = :day",
    "SELECT id FROM person WHERE julianday('now') - julianday(born) > :days",
    "-- @param seconds: Int\nSELECT id FROM person WHERE strftime('%s') - age > :seconds",
    "SELECT id FROM person WHERE iif(age > 3, strftime('%s'), name) = 'x'",
    "SELECT id FROM person WHERE substr(name, 1, :count) = 'A'",
    "SELECT id FROM person WHERE age + :more > 10",
    "SELECT id FROM person WHERE coalesce(city, (SELECT name FROM pet WHERE id = 1)) = :city",
    "SELECT lower(name) AS name, age + 1 AS age FROM person",
    "SELECT upper(name) || max(age) OVER () AS name FROM person",
    "SELECT id FROM person WHERE lower(name) LIKE '%x'",
    "SELECT id FROM person WHERE lower(name) <> :name",
  ]
}
