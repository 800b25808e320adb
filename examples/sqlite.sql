-- A demonstration of examples/sqlite.c; the times and pages read are printed.
--     cc -O2 -shared -fPIC -I. examples/sqlite.c -o bloom.sqlite.so
--     sqlite3 demo.db <examples/sqlite.sql   (a new file, 300 MB; minutes)
.load ./bloom.sqlite

PRAGMA journal_mode = off;

-- A join of 10^7 events against 10^6 blocked users, of which they meet few:
-- 1000 events are of one. Without the filter each event asks the table.
.print making 10^7 events and 10^6 blocked users
CREATE TABLE blocked(user TEXT PRIMARY KEY, why TEXT) WITHOUT ROWID;
INSERT INTO blocked
    SELECT printf('user-%08x', value * 2654435761 & 0xffffffff), 'spam'
    FROM generate_series(0, 999999) ORDER BY 1;
CREATE TABLE event(user TEXT);
INSERT INTO event
    SELECT printf('user-%08x', iif(value % 10000, value + 1000000, value / 10)
                               * 2654435761 & 0xffffffff)
    FROM generate_series(0, 9999999);
CREATE TABLE filters(name TEXT PRIMARY KEY, f BLOB);
.print the filter as a BLOB, and as a table that triggers keep up to date
.timer on
INSERT INTO filters SELECT 'blocked', bloom(user, 1e6, 0.01) FROM blocked;
CREATE VIRTUAL TABLE filter USING bloom(1e6, 0.01);
CREATE TRIGGER block AFTER INSERT ON blocked BEGIN
    INSERT INTO filter VALUES (new.user);
END;
INSERT INTO filter SELECT user FROM blocked;
INSERT INTO blocked VALUES ('user-of-today', 'fraud');
INSERT INTO event VALUES ('user-of-today');
.stats on
.print without a filter
SELECT count(*) FROM event CROSS JOIN blocked USING (user);
.print with the table
SELECT count(*) FROM event CROSS JOIN filter ON filter.key = event.user
    CROSS JOIN blocked USING (user);
.print with the BLOB, which knows nothing of today
.parameter set :f "(SELECT f FROM filters WHERE name = 'blocked')"
SELECT count(*) FROM event CROSS JOIN blocked USING (user)
    WHERE bloom_may_contain(:f, event.user);
