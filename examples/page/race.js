/* Part 5: ten million keys in filters, and in a Set for comparison. */

import { $, element, say } from './elements.js';
import { Jobs } from './jobs.js';
import { bytes, rate, significant, whole } from './numbers.js';

const RACE_KEYS = 1e7, RACE_RATE = 0.01;
const RACERS = { classic: 'bloom.h, classic', blocked: 'bloom.h, blocked',
                 set: 'JavaScript’s Set' };

let racing = null;

function raceRow({ name, bytes: size, add, absent, present }) {
    const ns = ({ ns: each }) => significant(each, 2);
    const heading = element('th', RACERS[name]);
    heading.scope = 'row';
    return element('tr', heading,
        element('td', size ? bytes(size) : `more than ${bytes(8 * RACE_KEYS)}`),
        element('td', size ? significant(size / RACE_KEYS) : 'more than 8'),
        element('td', ns(add)), element('td', ns(absent)), element('td', ns(present)),
        element('td', absent.yes ? rate(absent.yes / RACE_KEYS) : whole(0)),
        element('td', whole(RACE_KEYS - present.yes)));
}

async function race() {
    racing?.stop();
    const mine = racing = new Jobs(), body = $('#race-table tbody');
    const order = Object.keys(RACERS);
    body.replaceChildren();
    say('#race', 'Run again');
    const { why } = await mine.start({ job: 'race', n: RACE_KEYS, p: RACE_RATE },
        ({ result, what, progress }) => {
            if (mine !== racing)
                return;
            if (result) {
                body.append(raceRow(result));
                $('#race-progress').value = body.rows.length / order.length;
            } else {
                say('#race-note', `${RACERS[what]} …`);
                $('#race-progress').value = (order.indexOf(what) + progress)
                    / order.length;
            }
        });
    if (mine !== racing)
        return;
    mine.stop();
    racing = null;
    $('#race-progress').value = 1;
    say('#race-note', why ? `${why}.` : 'Done.');
    say('#race-foot', 'Browsers do not report the memory of a Set; its numbers alone take 8 '
        + 'bytes each. The times were measured on your machine just now, and do not include '
        + 'making the keys.');
}

export function startRace() {
    $('#race').addEventListener('click', race);
}
