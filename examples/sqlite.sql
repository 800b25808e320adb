-- Two demonstrations of examples/sqlite.c; the times and pages are printed.
--     cc -O2 -shared -fPIC -I. examples/sqlite.c -o bloom.so
--     sqlite3 demo.db <examples/sqlite.sql        (a new file; 1 GB, a minute)
.load ./bloom

PRAGMA journal_mode = off;

-- 1. A join of 10^7 events against the 10^6 blocked users, of which they meet
-- few: 1 event in 1000 is of one. Without the filter each event asks the index.
.print 1. making 10^7 events and 10^6 blocked users
CREATE TABLE blocked(user TEXT PRIMARY KEY, why TEXT) WITHOUT ROWID;
INSERT INTO blocked
    SELECT printf('user-%08x', value * 2654435761 & 0xffffffff), 'spam'
    FROM generate_series(0, 999999) ORDER BY 1;
CREATE TABLE event(user TEXT);
INSERT INTO event
    SELECT printf('user-%08x', (value + iif(value % 1000, 1000000, 0))
                               * 2654435761 & 0xffffffff)
    FROM generate_series(0, 9999999);
CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB);
.timer on
.print making the filter
INSERT INTO filters SELECT 'blocked', bloom(user, 1e6, 0.01) FROM blocked;
.stats on
.print without the filter
SELECT count(*) FROM event CROSS JOIN blocked USING (user);
.print with it
SELECT count(*) FROM event CROSS JOIN blocked USING (user)
    WHERE bloom_may_contain((SELECT f FROM filters WHERE name = 'blocked'),
                            user);
