/* Long jobs, in workers. */

import wasm from 'page.wasm';

/* WORKER is the text of worker.js, with all that it imports; see build.mjs. */
/* A worker that runs jobs. start({ job, ... }, onProgress) returns a promise of
   the job's result. The promise of a job that was stopped never resolves. */
export class Jobs {
    constructor() {
        this.url = URL.createObjectURL(
            new Blob([WORKER], { type: 'text/javascript' }));
        this.worker = new Worker(this.url);
    }

    start(job, onProgress = () => {}) {
        return new Promise((resolve) => {
            this.worker.onmessage = ({ data }) =>
                data.done ? resolve(data) : onProgress(data);
            this.worker.onerror = (event) =>
                resolve({ done: job.job, why: event.message });
            this.worker.postMessage({ wasm, ...job });
        });
    }

    stop() {
        this.worker.terminate();
        URL.revokeObjectURL(this.url);
    }
}
