-- A demonstration of examples/sqlite/sqlite.c. It prints the time and the pages
-- read for one join, without a filter and with one. It makes a new file of 300
-- MB and takes about a minute:
--     make sqlite
--     sqlite3 demo.db <examples/sqlite/sqlite.sql
.load build/bloom.sqlite

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
.print a filter that triggers keep up to date
.timer on
CREATE TABLE guard(part INTEGER PRIMARY KEY, keys BLOB);
INSERT INTO guard SELECT bloom_part(user, 4000), bloom(user, 320) FROM blocked
    GROUP BY 1;
CREATE TRIGGER guard_insert AFTER INSERT ON blocked BEGIN
    INSERT INTO guard SELECT bloom_part(new.user, 4000), bloom(new.user, 320)
        WHERE true ON CONFLICT DO UPDATE SET keys = bloom_add(keys, new.user);
END;
INSERT INTO blocked VALUES ('user-of-today', 'fraud');
INSERT INTO event VALUES ('user-of-today');
.stats on
.eqp on
.print without a filter
SELECT count(*) FROM event CROSS JOIN blocked USING (user);
.print with the filter
SELECT count(*) FROM event CROSS JOIN guard ON part = bloom_part(event.user, 4000)
    AND bloom_may_contain(keys, event.user) CROSS JOIN blocked USING (user);
.print with one filter of all, as a BLOB
.parameter set :guard "(SELECT bloom(user, 1e6) FROM blocked)"
SELECT count(*) FROM event CROSS JOIN blocked USING (user)
    WHERE bloom_may_contain(:guard, event.user);
.eqp off
.stats off
SELECT bloom_info(keys) FROM guard WHERE part = 0;
