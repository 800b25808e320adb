// Runs a WebAssembly program in node, for `make cross`:
//     node wasm.mjs MODULE          a program that was linked with wasi-libc
//     node wasm.mjs MODULE --bare   a program without libc: it exports main and
//                                   imports only put_character
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
    globalThis.wasi = wasi;     // node 20 would free it while the program runs
    const instance = new WebAssembly.Instance(module,
        { wasi_snapshot_preview1: wasi.wasiImport });
    process.exitCode = wasi.start(instance);
}
