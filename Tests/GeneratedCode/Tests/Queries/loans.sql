-- @query addBranch: one
INSERT INTO branch(name, opened) VALUES (:name, :opened) RETURNING id;

-- @query branches
SELECT id, name, opened FROM branch ORDER BY name COLLATE by_number;

-- @query addCopy: one
INSERT INTO copy(book, branch, shelf, acquired, cover)
VALUES (:book, :branch, :shelf, :acquired, :cover) RETURNING id;

-- @query shelved
SELECT title, branch, shelf FROM shelved WHERE id = :id;

-- @query lend: one
INSERT INTO loan(copy, member, lent, due) VALUES (:copy, :member, :lent, :due)
RETURNING id, lent, due, returned;

-- @query giveBack
UPDATE loan SET returned = :returned WHERE copy = :copy AND returned IS NULL;

-- @query openLoans: many, live
SELECT loan.id, member.name AS member, book.title, loan.due
FROM loan
  JOIN copy ON copy.id = loan.copy
  JOIN book ON book.id = copy.book
  JOIN member ON member.id = loan.member
WHERE loan.returned IS NULL
ORDER BY loan.due;

-- @query overdue
SELECT id, due FROM loan WHERE returned IS NULL AND due < :now ORDER BY due;

-- @query reserve
INSERT INTO reservation(book, member, made) VALUES (:book, :member, :made) ON CONFLICT DO NOTHING;

-- @query addFine: one
INSERT INTO fine(loan, cents) VALUES (:loan, :cents) RETURNING *;

-- @query debts
SELECT member.id, member.name, sum(fine.cents) AS cents, total(fine.cents) AS total
FROM member JOIN loan ON loan.member = member.id JOIN fine ON fine.loan = loan.id
WHERE fine.paid = 0
GROUP BY member.id
HAVING sum(fine.cents) > :least
ORDER BY member.id;

-- @query cover: optional
SELECT cover FROM copy WHERE id = :id;
