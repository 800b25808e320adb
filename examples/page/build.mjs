// Writes the page, one file with everything in it:
//     node build.mjs MODULE.wasm FOLDER-WITH-UPLOT OUT.html
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [wasm, uplot, out] = process.argv.slice(2);
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

// In a <script> no text may end it.
const safe = (text) => text.replaceAll('</script', '<\\/script');

function inlined(name) {
    switch (name) {
    case 'page.wasm':
        return readFileSync(wasm).toString('base64');
    case 'uplot.js':
        return safe(readFileSync(join(uplot, 'uPlot.iife.min.js'), 'utf8'));
    case 'uplot.css':
        return readFileSync(join(uplot, 'uPlot.min.css'), 'utf8');
    default:
        return safe(readFileSync(join(here, name), 'utf8'));
    }
}

const page = readFileSync(join(here, 'index.html'), 'utf8')
    .replace(/\/\* inline: (.*?) \*\//g, (all, names) =>
        names.split(' ').map(inlined).join('\n'));
writeFileSync(`${out}.new`, page);
renameSync(`${out}.new`, out);
console.log(`${out}: ${Buffer.byteLength(page)} bytes, of which the module's `
    + `${readFileSync(wasm).length}`);
