// Bundles the modules by esbuild, and writes the page as one file:
//     node build.mjs MODULE.wasm NODE_MODULES OUT.html
// The background jobs are a script of their own, which jobs.js has as the text WORKER.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const [wasm, packages, out] = process.argv.slice(2);
const { buildSync } = createRequire(resolve(packages, 'x'))('esbuild');
const here = import.meta.dirname ?? new URL('.', import.meta.url).pathname;

// The files that esbuild makes of a module: { '.js': its text, '.css': .. }
function bundle(module, options) {
    const { outputFiles } = buildSync({
        entryPoints: [join(here, module)], outdir: 'build', write: false, bundle: true,
        minify: true, target: 'es2022', nodePaths: [packages], loader: { '.wasm': 'binary' },
        alias: { 'page.wasm': resolve(wasm) }, ...options });
    return Object.fromEntries(outputFiles.map(({ path, text }) =>
        [path.slice(path.lastIndexOf('.')), text]));
}

const worker = bundle('worker.js', { format: 'iife' })['.js'];
const made = bundle('main.js', { format: 'esm', define: { WORKER: JSON.stringify(worker) } });
const page = readFileSync(join(here, 'index.html'), 'utf8')
    .replace(/\/\* inline: main(.*?) \*\//g, (all, type) => made[type]);
writeFileSync(`${out}.new`, page);
renameSync(`${out}.new`, out);
console.log(`${out}: ${Buffer.byteLength(page)} bytes; its module: `
    + `${readFileSync(wasm).length}`);
