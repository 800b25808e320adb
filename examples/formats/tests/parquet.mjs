// Run by parquet.sh. Two independent libraries write Parquet files with Bloom filters,
// or such a file is truncated and corrupted in many ways.
//   node parquet.mjs write         writes *.parquet, their values and bits, and
//                                  the list `filters`
//   node parquet.mjs bend PROGRAM FILE COLUMN STEP     runs PROGRAM with each
//                                  STEP-th of many corrupted FILEs
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const N = 1600;                 // different values in each of two row groups
const ROWS = 8192;              // rows of a row group: each value 5 or 6 times
const SQL = `SELECT 'word ' || k AS word, (k - 1000) * 1000003 AS id,
        (k - 1000)::INTEGER AS number, {'b': 'field ' || k} AS a
    FROM (SELECT i // ${ROWS} * ${N} + i % ${N} AS k
          FROM range(${2 * ROWS}) t(i))`;
const TEXT = {                  // value k of a column, as text
    word: k => 'word ' + k, id: k => '' + (k - 1000) * 1000003,
    number: k => '' + (k - 1000), 'a.b': k => 'field ' + k };

async function duckdb() {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const db = await (await DuckDBInstance.create()).connect();
    await types(db);
    await db.run(`COPY (${SQL}) TO 'duckdb.parquet' (ROW_GROUP_SIZE ${ROWS},
        BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.01)`);
    const found = await db.runAndReadAll(`SELECT row_group_id, path_in_schema,
        type, bloom_filter_offset, bloom_filter_length
        FROM parquet_metadata('duckdb.parquet')`);
    return found.getRows().map(([group, path, type, from, size]) =>
        [Number(group), path.replace(', ', '.'), type, Number(from),
         Number(size)]);
}

// types.parquet has a column of each type. types.COLUMN.in contains its values as
// text, types.COLUMN.out other values. T is a point in time.
const T = "(TIMESTAMP '1969-12-31 23:59:00' + k * INTERVAL '1234.567' SECOND)";
const TYPES = { uuid: "md5(k::VARCHAR)::UUID",
    decimal9: "(k * 1.25 - 500)::DECIMAL(9, 2)",
    decimal18: "(k * 1.125 - 500)::DECIMAL(18, 3)",
    u32: '(4294967295 - k)::UINTEGER', u64: '(18446744073709551615 - k)::UBIGINT',
    i16: '(k - 800)::SMALLINT', float: '(k * 0.1 - 5)::FLOAT',
    double: '(k * 0.1 - 5)::DOUBLE', micros: T, millis: T + '::TIMESTAMP_MS',
    nanos: T + '::TIMESTAMP_NS', time: "(TIME '00:00' + k * INTERVAL '1.013' SECOND)",
    date: "DATE '1969-01-01' + k::INTEGER", bytes: "('b' || k)::BLOB" };

async function types(db) {
    const columns = Object.entries(TYPES).map(([name, sql]) => `${sql} AS ${name}`);
    await db.run(`COPY (SELECT ${columns} FROM (SELECT i % ${N} AS k
        FROM range(${ROWS}) t(i))) TO 'types.parquet'
        (BLOOM_FILTER_FALSE_POSITIVE_RATIO 0.01)`);
    for (const [name, sql] of Object.entries(TYPES))
        for (const [end, from, to] of [['in', 0, N], ['out', N, 15000]]) {
            const found = await db.runAndReadAll(`SELECT (${sql})::VARCHAR
                FROM (SELECT i AS k FROM range(${from}, ${to}) t(i))`);
            writeFileSync(`types.${name}.${end}`,
                found.getRows().map(row => row[0] + '\n').join(''));
        }
    writeFileSync('types', Object.keys(TYPES).join('\n') + '\n');
}

async function hyparquet() {
    const { parquetWriteFile } = await import('hyparquet-writer');
    const { parquetMetadata } = await import('hyparquet');
    const k = Array.from({ length: 2 * ROWS },
                         (_, i) => Math.floor(i / ROWS) * N + i % N);
    const column = (name, type, of) => ({ name, type,
        data: k.map(k => of(TEXT[name](k))), bloomFilter: { fpp: 0.01 } });
    parquetWriteFile({ filename: 'hyparquet.parquet', rowGroupSize: ROWS,
        columnData: [column('word', 'STRING', String),
                     column('id', 'INT64', BigInt),
                     column('number', 'INT32', Number)] });
    const bytes = readFileSync('hyparquet.parquet');
    const { row_groups } = parquetMetadata(bytes.buffer.slice(
        bytes.byteOffset, bytes.byteOffset + bytes.length));
    return row_groups.flatMap(({ columns }, group) =>
        columns.map(({ meta_data: m }) => [group, m.path_in_schema.join('.'),
            m.type, Number(m.bloom_filter_offset), m.bloom_filter_length]));
}

// Writes the list `filters`, a line for each filter: library, column, type, row
// group, bytes. Its bits are in LIBRARY.COLUMN.GROUP.bits, its values in
// COLUMN.GROUP.
async function write() {
    let lines = '';
    for (const library of [duckdb, hyparquet]) {
        const filters = await library(), name = library.name;
        const bytes = readFileSync(name + '.parquet');
        for (const [group, column, type, from, size] of filters) {
            const bits = 2 ** Math.floor(Math.log2(size)); // without its header
            writeFileSync(`${name}.${column}.${group}.bits`,
                          bytes.subarray(from + size - bits, from + size));
            writeFileSync(`${column}.${group}`, Array.from({ length: N },
                (_, i) => TEXT[column](group * N + i) + '\n').join(''));
            lines += [name, column, type, group, bits].join(' ') + '\n';
        }
    }
    writeFileSync('filters', lines);
}

// PROGRAM must refuse a file (exit status 2 and a message of one line), or, if the
// file is not truncated, may also read it (exit status 0).
function bend(program, file, column, step) {
    const good = readFileSync(file), size = good.length;
    const footer = good.readUInt32LE(size - 8), end = size - 8 - footer;
    const verbs = [['info'], ['check', column]];
    let refused = 0, read = 0, wrong = 0, seed = 1;
    const random = n => (seed = seed * 48271 % 2147483647) % n;
    let turn = 0;
    const run = (bytes, must, what) => {
        if (turn++ % step > 0)
            return;
        const [verb, ...words] = verbs[(refused + read) % 2];
        writeFileSync(file + '.bent', bytes);
        const { status, stdout, stderr } = spawnSync(program,
            [verb, file + '.bent', ...words],
            { input: '1\n', encoding: 'utf8' });
        const clear = /^parquet: [^\n]+: [^\n]+\n$/.test(stderr);
        if (status === 2 && clear && stdout === '')
            refused++;
        else if (status === 0 && !must && stderr === '')
            read++;
        else if (wrong++ < 5)
            console.log(`${what}: exit ${status}\n${stdout}${stderr}`);
    };
    const sized = n => { const b = Buffer.alloc(4); b.writeUInt32LE(n);
                         return Buffer.concat([b, Buffer.from('PAR1')]); };
    for (let n = 0; n < size; n++)
        run(good.subarray(0, n), true, `first ${n} bytes`);
    for (let n = 0; n < footer; n++)
        run(Buffer.concat([good.subarray(0, end + n), sized(n)]), true,
            `footer of ${n} bytes`);
    for (let n = 0; n < 2 * (size - 4); n++) {
        const bent = Buffer.from(good), at = 4 + n % (size - 4);
        bent[at] ^= n < size - 4 ? 1 << random(8) : 1 + random(255);
        if (n % 5 === 4)
            bent[end + random(footer)] = random(256);
        run(bent, false, `byte ${at} is ${bent[at]}`);
    }
    console.log(`${file}: truncated and corrupted: ${refused} refused, ` +
        `${read} read, ${wrong} wrong`);
    return wrong > 0 || read === 0 ? 1 : 0;
}

if (process.argv[2] === 'write')
    await write();
else
    process.exit(bend(...process.argv.slice(3)));
