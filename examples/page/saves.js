/* Part 2: what the planned filter saves, for a share of hits and for the time of a lookup
   in what lies behind the filter. */

const LOOKUPS = 1e6;
const saving = { hits: 0.1, behind: 1e5, own: 0 };  /* ns; own: of the filter, 0: not measured */

/* Every lookup asks the filter, and the hits and the false positives go on. */
function timesOf({ hits, behind, own }, falseRate) {
    const on = LOOKUPS * (hits + (1 - hits) * falseRate);
    return { on, without: LOOKUPS * behind, with: LOOKUPS * own + on * behind };
}

function showSaves() {
    if (!planned?.bytes) {
        say('#saves-note', '');
        return;
    }
    planEngine.planSet(planned.cells, planned.hashes, planned.layout);
    const times = timesOf(saving, planEngine.c.rate(planning.n));
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

function startSaves() {
    $('#hits').addEventListener('input', ({ target }) => {
        saving.hits = target.value / 100;
        showSaves();
    });
    $('#behind').addEventListener('input', ({ target }) => {
        saving.behind = twoDigits(10 ** (target.value / 10));
        showSaves();
    });
}
