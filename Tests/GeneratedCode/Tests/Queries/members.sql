-- @query addMember: one
INSERT INTO member(uuid, name, email, joined, referrer)
VALUES (:uuid, :name, :email, :joined, :referrer)
RETURNING id;

-- @query member: optional
-- @row Member
SELECT id, uuid, name, email, joined FROM member WHERE uuid = :uuid;

-- @query members: many, stream
-- @row Member
SELECT id, uuid, name, email, joined FROM member ORDER BY name;

-- @query referrers
SELECT member.name, other.name AS referrer
FROM member LEFT JOIN member other ON other.id = member.referrer ORDER BY member.id;

-- @query setEmail
UPDATE member SET email = :email WHERE id = :id;

-- @query lastJoined: one
SELECT max(joined) FROM member;

-- @query removeMembers
DELETE FROM member WHERE joined < :before AND id NOT IN (SELECT member FROM loan);

-- @query domainCounts
SELECT lower(substr(email, instr(email, '@') + 1)) AS domain, count(*) AS members
FROM member WHERE email IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1;

-- @query mergeMember: optional
UPDATE member SET name = :name, email = coalesce(:email, email) WHERE uuid = :uuid
RETURNING id, name, email, joined;
