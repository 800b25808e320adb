// Writes the page as one file that includes its styles, scripts and the module:
//     node build.mjs MODULE.wasm FOLDER-WITH-UPLOT OUT.html
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [wasm, uplot, out] = process.argv.slice(2);
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

// A script must not contain the text that ends its <script> element.
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
console.log(`${out}: ${Buffer.byteLength(page)} bytes; its module: `
    + `${readFileSync(wasm).length}`);
