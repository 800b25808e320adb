/* The elements of the page, and what the reader's device prefers. */

export const $ = (selector, from = document) => from.querySelector(selector);
export const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

/* element('li.name', 'text', child, ...) */
export function element(name, ...children) {
    const [tag, ...classes] = name.split('.');
    const made = document.createElement(tag);
    if (classes.length)
        made.className = classes.join(' ');
    made.append(...children);
    return made;
}

export const say = (selector, text) => {
    const at = $(selector);
    if (at.textContent !== text)
        at.textContent = text;
};

export function download(name, image) {
    const url = URL.createObjectURL(
        new Blob([image], { type: 'application/octet-stream' }));
    const link = element('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const still = matchMedia('(prefers-reduced-motion: reduce)');
export const touchOnly = matchMedia('(hover: none)');
