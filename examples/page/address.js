/* The address of the page, which follows what the reader does, so that it can be copied
   and opened again. */

const MOST_OF_LINK = 12000;             /* characters */

let stateOf, lastHash = '', due = 0;

/* state() returns [n, p and memory; the rest], both as texts key=value&... The first goes
   into the query, before the #, so that people can write such a link by hand. Not every
   browser lets a file: page change its query; then it follows #. */
export function keepAddress(state) {
    stateOf = state;
}

/* Returns false if the state is too long for a link. */
export function setAddress(more = '') {
    const [plan, rest] = stateOf();
    if (rest.length > MOST_OF_LINK)
        return false;
    try {
        history.replaceState(null, '', `?${plan}#${rest}${more}`);
    } catch {
        history.replaceState(null, '', `#${rest}${more}&${plan}`);
    }
    lastHash = location.hash;
    return true;
}

/* To be called after each change. Updates the address a moment later. */
export function changed() {
    clearTimeout(due);
    due = setTimeout(setAddress, 250);
}

/* Calls `use` when the reader has entered another address, not when this page has. */
export function onAddress(use) {
    addEventListener('hashchange', () => {
        if (location.hash !== lastHash && /=/.test(location.hash))
            use(location.hash);
    });
}
