/* The picture of part 1: the cells of the filter, and the probes of one word. */

import { still } from './elements.js';
import { LAYOUTS } from './engine.js';
import { onTheme, style } from './theme.js';

const MARK = { own: 'own', shared: 'shared', unset: 'unset' };

export class Cells {
    /* model has m, k, layout, value(cell), setters(cell), probes and isIn; see
       class Words. */
    constructor(canvas, model) {
        this.canvas = canvas;
        this.model = model;
        this.cursor = -1;
        this.shown = Infinity;          /* how many probes are drawn */
        this.onCursor = () => {};
        new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
        canvas.addEventListener('pointermove', (e) => this.point(e));
        canvas.addEventListener('pointerdown', (e) => this.point(e));
        canvas.addEventListener('pointerleave', (e) => {
            if (e.pointerType !== 'touch')      /* a tapped cell stays selected */
                this.moveTo(-1);
        });
        canvas.addEventListener('keydown', (e) => this.walkBy(e));
        canvas.addEventListener('focus', () => {
            if (this.cursor < 0 && canvas.matches(':focus-visible'))
                this.moveTo(this.model.probes[0] ?? 0);
        });
        canvas.addEventListener('blur', () => this.moveTo(-1));
        onTheme(() => this.draw());
    }

    columns() {
        const { m, layout } = this.model;
        if (LAYOUTS[layout] === 'blocked')
            return m <= 1024 ? 32 : 64;
        return m <= 256 ? 16 : m <= 1024 ? 32 : 64;
    }

    /* ---- The cursor ----------------------------------------------------- */

    point(event) {
        const at = this.canvas.getBoundingClientRect();
        const column = Math.floor((event.clientX - at.left) / this.size);
        const row = Math.floor((event.clientY - at.top) / this.size);
        const inside = column >= 0 && column < this.columns();
        this.moveTo(inside ? row * this.columns() + column : -1);
    }

    walkBy(event) {
        const { m } = this.model, row = this.columns();
        const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row,
                       ArrowUp: -row, PageDown: row, PageUp: -row,
                       Home: -m, End: m }[event.key];
        if (!step)
            return;
        event.preventDefault();
        this.moveTo(Math.max(0, Math.min(m - 1, this.cursor + step)));
    }

    moveTo(cell) {
        if (cell === this.cursor)
            return;
        this.cursor = cell < this.model.m ? cell : -1;
        this.onCursor(this.cursor);
        this.draw();
    }

    /* ---- Drawing -------------------------------------------------------- */

    /* Draws the probes one after another, within 0.65 s in all. */
    walk() {
        const { probes } = this.model, each = 650 / (probes.length + 1);
        cancelAnimationFrame(this.frame);
        if (still.matches || probes.length === 0) {
            this.shown = Infinity;
            this.draw();
            return;
        }
        const start = performance.now();
        const next = (now) => {
            this.shown = Math.floor((now - start) / each);
            this.draw();
            if (this.shown <= probes.length)
                this.frame = requestAnimationFrame(next);
        };
        this.frame = requestAnimationFrame(next);
    }

    drawAll() {
        cancelAnimationFrame(this.frame);
        this.shown = Infinity;
        this.draw();
    }

    draw() {
        const { m } = this.model, columns = this.columns();
        const rows = m / columns, scale = devicePixelRatio || 1;
        const room = this.canvas.parentElement.clientWidth;
        if (!m || !room)
            return;
        const high = Math.max(300, 0.62 * innerHeight) / rows;
        this.size = Math.floor(Math.min(room / columns, high) * scale) / scale;
        const width = this.size * columns, height = this.size * rows;
        if (this.canvas.width !== Math.round(width * scale)
            || this.canvas.height !== Math.round(height * scale)) {
            this.canvas.width = Math.round(width * scale);
            this.canvas.height = Math.round(height * scale);
            this.canvas.style.width = `${width}px`;
            this.canvas.style.height = `${height}px`;
        }
        const g = this.canvas.getContext('2d');
        g.setTransform(scale, 0, 0, scale, 0, 0);
        g.clearRect(0, 0, width, height);
        this.drawCells(g);
        if (LAYOUTS[this.model.layout] === 'blocked')
            this.drawBlocks(g, width, height);
        this.drawProbes(g);
        if (this.cursor >= 0)
            this.drawCursor(g);
    }

    place(cell) {
        const columns = this.columns();
        return [cell % columns * this.size,
                Math.floor(cell / columns) * this.size];
    }

    drawCells(g) {
        const { model, size } = this, gap = size > 14 ? 2 : size > 7 ? 1 : 0.5;
        const round = size > 14 ? 4 : size > 7 ? 2 : 0;
        const empty = style('--cell-empty'), shades = shadesOf();
        const numbers = LAYOUTS[model.layout] === 'counting' && size >= 15;
        g.font = `${Math.round(size * 0.45)}px system-ui, sans-serif`;
        g.textAlign = 'center';
        g.textBaseline = 'middle';
        for (let cell = 0; cell < model.m; cell++) {
            const [x, y] = this.place(cell), value = model.value(cell);
            const many = Math.max(model.setters(cell).length, 1);
            const shade = Math.min(many, shades.length) - 1;
            g.fillStyle = value ? shades[shade] : empty;
            g.beginPath();
            g.roundRect(x + gap / 2, y + gap / 2, size - gap, size - gap, round);
            g.fill();
            if (value && numbers) {
                g.fillStyle = style(shade < 2 ? '--ink' : '--paper');
                g.fillText(value, x + size / 2, y + size / 2);
            }
        }
    }

    drawBlocks(g, width, height) {
        const rows = 256 / this.columns(), step = rows * this.size;
        g.strokeStyle = style('--line-strong');
        g.lineWidth = 1;
        for (let y = step; y < height - 1; y += step) {
            g.beginPath();
            g.moveTo(0, Math.round(y) + 0.5);
            g.lineTo(width, Math.round(y) + 0.5);
            g.stroke();
        }
    }

    drawProbes(g) {
        const { probes } = this.model, half = this.size / 2;
        const seen = probes.slice(0, this.shown);
        if (seen.length === 0)
            return;
        g.strokeStyle = style('--path');
        g.lineWidth = 1.5;
        g.lineJoin = 'round';
        g.beginPath();
        seen.forEach((cell) => {
            const [x, y] = this.place(cell);
            g.lineTo(x + half, y + half);
        });
        g.stroke();
        const labels = new Map();
        seen.forEach((cell, i) => labels.set(cell,
            [...(labels.get(cell) ?? []), i + 1]));
        labels.forEach((label, cell) =>
            this.drawMark(g, cell, label.join(' ')));
    }

    /* Own: a disc. Shared: a square. Not set: a ring. The shapes differ so that
       nobody depends on the colours. */
    drawMark(g, cell, label) {
        const kind = markOf(this.model, cell), [left, top] = this.place(cell);
        const r = Math.max(8.5, Math.min(this.size * 0.42, 17));
        g.font = `600 ${Math.round(r * 1.1)}px system-ui, sans-serif`;
        const wide = Math.max(r, g.measureText(label).width / 2 + 4);
        const { clientWidth, clientHeight } = this.canvas, half = this.size / 2;
        const x = Math.max(wide, Math.min(clientWidth - wide, left + half));
        const y = Math.max(r, Math.min(clientHeight - r, top + half));
        g.beginPath();
        g.roundRect(x - wide, y - r, 2 * wide, 2 * r,
                    kind === MARK.shared ? r * 0.3 : r);
        g.fillStyle = style(kind === MARK.unset ? '--paper' : `--${kind}`);
        g.fill();
        g.lineWidth = 2;
        g.strokeStyle = style(kind === MARK.unset ? '--unset' : '--paper');
        g.stroke();
        g.fillStyle = style(kind === MARK.unset ? '--unset' : '--paper');
        g.textAlign = 'center';
        g.textBaseline = 'middle';
        g.fillText(label, x, y + 0.5);
    }

    drawCursor(g) {
        const [x, y] = this.place(this.cursor);
        g.strokeStyle = style('--ink');
        g.lineWidth = 2;
        g.strokeRect(x - 1, y - 1, this.size + 2, this.size + 2);
    }
}

/* What a probe of the selected word finds in a cell: a mark of MARK */
export function markOf(model, cell) {
    if (!model.value(cell))
        return MARK.unset;
    return model.isIn && model.setters(cell).length < 2 ? MARK.own
                                                        : MARK.shared;
}

/* Eight shades of a set cell: for one word, two .. seven, and eight or more */
let shades = null;
onTheme(() => { shades = null; });

function shadesOf() {
    const number = (name) => style(name).match(/\w\w/g)
        .map((part) => parseInt(part, 16));
    if (!shades) {
        const few = number('--cell-few'), many = number('--cell-many');
        shades = Array.from({ length: 8 }, (_, i) => {
            const share = (1 - 0.68 ** i) / (1 - 0.68 ** 7);
            return `rgb(${few.map((c, j) =>
                Math.round(c + (many[j] - c) * share)).join(' ')})`;
        });
    }
    return shades;
}
