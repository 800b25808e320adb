// Runs the tests of the page, all or only the named ones: node page.mjs [TEST...]
import { ending, browser, check, complaints, NO_COMMAND } from './lib.mjs';
import * as words from './words.mjs';
import * as plans from './plans.mjs';
import * as files from './files.mjs';
import * as looks from './looks.mjs';

const parts = { ...words, ...plans, ...files, ...looks };
const wanted = process.argv.slice(2);
for (const [name, part] of Object.entries(parts)) {
    if (wanted.length && !wanted.includes(name))
        continue;
    const start = Date.now();
    try {
        await part();
    } catch (error) {
        if (error === NO_COMMAND)
            console.log(`skipped: the rest of ${name} (${error.message})`);
        else
            check(name, false, String(error.stack).slice(0, 1500));
    }
    console.log(`${name}: ${((Date.now() - start) / 1000).toFixed(1)} s`);
}
check('no message on the console, no network request',
      complaints.length === 0, complaints.slice(0, 5));
await browser.close();
process.exitCode = ending();
