/* Part 2: what the planned filter saves, for a share of hits and for the time of a lookup
   in what lies behind the filter. */

import { $, say } from './elements.js';
import { duration, percent, twoDigits, whole } from './numbers.js';

const LOOKUPS = 1e6;
/* Times in ns. own: a lookup in the filter itself, 0: not measured. falseRate: the rate of
   the plan, NaN: there is none. */
const saving = { hits: 0.1, behind: 1e5, own: 0, falseRate: NaN };

/* Every lookup asks the filter, and the hits and the false positives go on. */
function timesOf({ hits, behind, own, falseRate }) {
    const on = LOOKUPS * (hits + (1 - hits) * falseRate);
    return { on, without: LOOKUPS * behind, with: LOOKUPS * own + on * behind };
}

export function showSaved(changes) {
    Object.assign(saving, changes);
    if (isNaN(saving.falseRate)) {
        say('#saves-note', '');
        return;
    }
    const times = timesOf(saving);
    const longest = Math.max(times.without, times.with), slower = times.with > times.without;
    for (const which of ['without', 'with']) {
        say(`#time-${which}`, duration(times[which]));
        $(`#bar-${which}`).style.width = `${100 * times[which] / longest}%`;
    }
    $('#bars').classList.toggle('slower', slower);
    say('#hits-shown', percent(saving.hits).replace(/[.,]00/, ''));
    say('#behind-shown', duration(saving.behind));
    $('#behind').setAttribute('aria-valuetext', duration(saving.behind));
    say('#saves-note', `Of ${whole(LOOKUPS)} lookups, ${whole(times.on)} go on to what lies behind `
        + `the filter. ${saving.own ? 'A lookup in the filter itself takes '
            + `${duration(saving.own)}, measured in this browser.`
            : 'Measure the filter above to include its own time.'}${slower
            ? ' Here the filter costs more than it saves.' : ''}`);
}

export function startSaved() {
    $('#hits').addEventListener('input', ({ target }) => {
        showSaved({ hits: target.value / 100 });
    });
    $('#behind').addEventListener('input', ({ target }) => {
        showSaved({ behind: twoDigits(10 ** (target.value / 10)) });
    });
}
