// Runs a WebAssembly program in node:
//     node wasm.mjs MODULE          one that was linked with wasi-libc
//     node wasm.mjs MODULE --bare   one without libc: it exports main and asks
//                                   for nothing but put_character
import { readFileSync } from 'node:fs';

const [file, mode] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(file));

if (mode === '--bare') {
    let text = '';
    const put_character = (code) => { text += String.fromCharCode(code); };
    const instance = new WebAssembly.Instance(module,
        { env: { put_character } });
    process.exitCode = instance.exports.main();
    process.stdout.write(text);
} else {
    const { WASI } = await import('node:wasi');
    const wasi = new WASI({ version: 'preview1', args: [file],
                            preopens: { '.': '.' }, returnOnExit: true });
    globalThis.wasi = wasi;     // else node 20 frees it while the program runs
    const instance = new WebAssembly.Instance(module,
        { wasi_snapshot_preview1: wasi.wasiImport });
    process.exitCode = wasi.start(instance);
}
