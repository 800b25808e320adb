-- A demonstration of examples/sqlite/sqlite.c. It prints the time and the pages
-- read for one join, without a filter and with one. It makes a new file of 300
-- MB and takes about a minute:
--     cc -O2 -shared -fPIC -I. examples/sqlite/sqlite.c -o bloom.sqlite.so
--     sqlite3 demo.db <examples/sqlite/sqlite.sql
.load ./bloom.sqlite

PRAGMA journal_mode = off;

-- A join of 10^7 events with 10^6 blocked users. Only 1000 of these events are
-- of a blocked user. Without a filter, each event is looked up in the table.
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
.print a filter as a BLOB, and a virtual table that a trigger keeps up to date
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
.print with the virtual table
SELECT count(*) FROM event CROSS JOIN filter ON filter.key = event.user
    CROSS JOIN blocked USING (user);
.print with the BLOB, which was made before the user of today was blocked
.parameter set :f "(SELECT f FROM filters WHERE name = 'blocked')"
SELECT count(*) FROM event CROSS JOIN blocked USING (user)
    WHERE bloom_may_contain(:f, event.user);
