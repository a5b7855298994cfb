/** The pure parts of the page Live streams and of the wizard. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secondsLeft, startSteps } from '../../web/live/start-steps.ts';
import type { LivestreamStatus, Path } from '../../web/live/status.ts';
import { shownRows, tagsOf, withChosen, type Show } from '../../web/pages/live-streams/list/filter.ts';
import {
  goesOut,
  hasQuality,
  isPreset,
  reasonsAgainst,
  targetKey,
  targetOf,
  withQuality,
  type Target,
} from '../../web/pages/live-streams/start/choices.ts';
import { stopEffect } from '../../web/stop/stop-effect.ts';
import { OPERATIONS, stepsOfRefusal, stepsUnderWay } from '../../web/wizard/steps.ts';

const path = (state: Path['state'], enabled = true): Path => ({
  enabled,
  state,
  since: '2026-11-25T19:00:00Z',
  down_since: null,
  attempts: 0,
  next_retry_at: null,
  last_error: null,
  refused: false,
});
const outlet = (primary: Path, backup: Path | null = null): LivestreamStatus['publishings'][number] => ({
  publishingId: 1,
  name: 'Web',
  type: 'HLS / TS',
  primary,
  backup,
  notes: [],
});

describe('what is chosen in the list', () => {
  it('is one more or less, or all from the last one to this, as the last one became', () => {
    const ids = [5, 3, 8, 1, 9];
    const chosen = withChosen(new Set(), 3, { ids, from: undefined });
    assert.deepEqual([...chosen], [3]);
    const range = withChosen(chosen, 9, { ids, from: 3 });
    assert.deepEqual([...range], [3, 8, 1, 9]);
    const fewer = withChosen(range, 8, { ids, from: undefined });
    assert.deepEqual([...withChosen(fewer, 9, { ids, from: 8 })], [3]);
    // The last one is filtered away meanwhile.
    assert.deepEqual([...withChosen(chosen, 8, { ids, from: 77 })], [3, 8]);
  });
});

describe('the list of Live streams', () => {
  const rows = [
    { id: 1, name: 'Évening news', tags: ['Studio 1', 'news'], status: 0 },
    { id: 2, name: 'Show 10', tags: [], status: 1 },
    { id: 3, name: 'Show 9', tags: ['studio 1'], status: 2 },
    { id: 4, name: 'Arena', tags: [], status: 3 },
  ];
  const names = (search: string, show: Show): string[] =>
    shownRows(rows, { search, show }, ({ status }) => status).map(({ name }) => name);

  it('Live is every status over 0, Off is 0, Failed is 3', () => {
    assert.deepEqual(names('', 'live'), ['Arena', 'Show 9', 'Show 10']);
    assert.deepEqual(names('', 'off'), ['Évening news']);
    assert.deepEqual(names('', 'failed'), ['Arena']);
  });

  it('a filter matches any part of the name whatever its accents and case, and numbers sort by value', () => {
    assert.deepEqual(names(' EVEN', 'all'), ['Évening news']);
    assert.deepEqual(names('show', 'all'), ['Show 9', 'Show 10']);
  });

  it('a filter finds tags as well, and a chosen tag leaves those that have it, whatever its case', () => {
    assert.deepEqual(names('stud', 'all'), ['Évening news', 'Show 9']);
    assert.deepEqual(tagsOf(rows), ['news', 'Studio 1']);
    const tagged = shownRows(rows, { search: '', show: 'live', tag: 'Studio 1' }, ({ status }) => status);
    assert.deepEqual(
      tagged.map(({ name }) => name),
      ['Show 9'],
    );
  });
});

describe('the steps of a start', () => {
  const nothing = { deviceId: null, source: null, encodings: [], publishings: [] };
  const states = (status: Parameters<typeof startSteps>[0]): string[] => startSteps(status).map(({ state }) => state);

  it('the first that is not done is under way, and the others wait', () => {
    assert.deepEqual(states(nothing), ['now', 'waiting', 'waiting', 'waiting']);
    assert.deepEqual(states({ ...nothing, deviceId: 1 }), ['done', 'now', 'waiting', 'waiting']);
  });

  it('a Destination that is up has needed all steps before it', () => {
    assert.deepEqual(states({ ...nothing, publishings: [outlet(path('failed'), path('up'))] }), [
      'done',
      'done',
      'done',
      'done',
    ]);
  });

  it('the bound counts down from 30 s and ends at 0', () => {
    const since = '2026-11-25T19:00:00Z';
    assert.equal(secondsLeft(since, Date.parse(since) + 4_200), 26);
    assert.equal(secondsLeft(since, Date.parse(since) + 60_000), 0);
    assert.equal(secondsLeft(null, 0), undefined);
  });
});

describe('the effect of a stop', () => {
  it('counts Destinations with a path that is switched on, as the server does, and tells whether a Recording closes', () => {
    const publishings = [
      outlet(path('up')),
      outlet(path('failed'), path('retrying')),
      outlet(path('failed')),
      outlet(path('up', false)),
    ];
    assert.deepEqual(stopEffect({ status: 2, publishings, recordingId: 7 }), {
      status: 2,
      destinations: 3,
      endsRecording: true,
    });
  });
});

describe('the choices of a start', () => {
  const target = (deviceId: number, more: Partial<Target> = {}): Target => ({
    kind: 'device',
    name: `enc${deviceId}`,
    recommended: false,
    available: true,
    reason: null,
    start: { deviceId },
    free_cores: null,
    needed_cores: null,
    load: null,
    slots: null,
    ...more,
  });

  it('the recommended place is taken until another is chosen, and again when that one is gone', () => {
    const targets = [target(1, { recommended: true }), target(2), target(3, { available: false })];
    const taken = (key?: string): string | undefined => targetOf(targets, key)?.name;
    assert.equal(taken(), 'enc1');
    assert.equal(taken(targetKey(targets[1]!)), 'enc2');
    assert.equal(taken(targetKey(targets[2]!)), 'enc1');
    assert.equal(targetOf([target(3, { available: false, recommended: true })], undefined), undefined);
  });

  it('Destinations that are all off are in the way until one is switched on in the dialog', () => {
    const reasons = [{ code: 'unbound' as const, message: 'Every Destination is switched off; switch one on.' }];
    const off = [{ publishingId: 1, primary: false, backup: false }];
    const on = [{ publishingId: 1, primary: true, backup: false }];
    assert.deepEqual([goesOut(off), reasonsAgainst(reasons, off).length], [false, 1]);
    assert.deepEqual([goesOut(on), reasonsAgainst(reasons, on).length], [true, 0]);
  });

  it('no list of qualities is all of them, and choosing all takes the list away', () => {
    const all = [1, 2, 3];
    const whole = { publishingId: 1, primary: true, backup: false };
    const two = withQuality(whole, 2, false, all);
    assert.deepEqual(two.qualities, [1, 3]);
    assert.deepEqual([hasQuality(two, 1), hasQuality(two, 2)], [true, false]);
    assert.deepEqual(withQuality(two, 2, true, all), whole);
    assert.equal(isPreset([whole], [{ ...whole }]), true);
    assert.equal(isPreset([two], [whole]), false);
  });
});

describe('the steps of a first broadcast', () => {
  it('nothing is shown as done before the server has answered', () => {
    for (const progress of [undefined, 0.4, 1])
      assert.ok(stepsUnderWay(progress, {}).every(({ state }) => state !== 'done'));
    assert.equal(stepsUnderWay(undefined, {})[0]?.state, 'skipped');
    const named = (wanted: object): string[] => stepsUnderWay(0.4, { ...wanted }).map(({ operationId }) => operationId);
    assert.deepEqual(
      named({}),
      OPERATIONS.filter((name) => name !== 'addPublishingGroup' && name !== 'addSchedule'),
    );
    assert.deepEqual(
      named({ record: true, start_at: '2099-01-01T10:00:00' }),
      OPERATIONS.filter((name) => name !== 'start_livestream'),
    );
  });

  it('a refusal may name its steps', () => {
    const steps = [{ operationId: 'addChannel', state: 'failed', id: null, name: null, detail: 'No.' }];
    assert.deepEqual(stepsOfRefusal({ detail: 'x', steps }), steps);
    assert.equal(stepsOfRefusal({ detail: 'x' }), undefined);
  });
});
