/** Faults out of events: which end belongs to which beginning, and who knows of which. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StreamEvent } from '../../../web/live/feed.ts';
import type { Trouble } from '../../../web/live/health.ts';
import { knowerOf, noteFaults } from '../../../web/live/faults/known-faults.ts';
import { eventOf, incidentsOf, type Incident } from '../../../web/pages/events/pairs.ts';
import { filterFrom, isWanted, paramsOf } from '../../../web/pages/events/filter.ts';

const START = Date.parse('2026-11-29T20:00:00Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();
let ids = 0;
const event = (kind: string, seconds: number, more: Partial<StreamEvent> = {}): StreamEvent => ({
  id: (ids += 1),
  at: at(seconds),
  livestreamId: 1,
  kind,
  severity: kind.endsWith('_ended') || kind.endsWith('_up') || kind.endsWith('_restored') ? 'info' : 'warning',
  message: kind,
  data: {},
  ...more,
});
/** Kind, and the seconds at which it began and ended. */
const spans = (incidents: readonly Incident[]): unknown[] =>
  incidents.map(({ kind, setAt, clearedAt }) => [
    kind,
    (setAt - START) / 1000,
    clearedAt === undefined ? undefined : (clearedAt - START) / 1000,
  ]);

describe('the events of a station as faults', () => {
  it('a fault is set when it began, not when it was told, and cleared by its own end; one without an end goes on', () => {
    const events = [
      event('black', 25, { data: { channelId: 3, seconds: 5 } }),
      event('silence', 30, { data: { channelId: 3, seconds: 10 } }),
      event('source_lost', 31, { livestreamId: 2, data: { channelId: 3, since: at(30.5) } }),
      event('black_ended', 60, { data: { channelId: 3, seconds: 40 } }),
      event('source_restored', 70, { livestreamId: 2, data: { channelId: 3, seconds: 39.5 } }),
    ];
    const expected = [
      ['source_lost', 30.5, 70],
      ['black', 20, 60],
      ['silence', 20, undefined],
    ];
    const found = spans(incidentsOf(events));
    assert.deepEqual(found.sort(), [...expected].sort());
    assert.deepEqual(spans(incidentsOf([...events].reverse())).sort(), [...expected].sort(), 'in any order');
  });

  it('each Destination and path has an end of its own, and further reasons of one outage are the same outage', () => {
    const main = { publishingId: 7, path: 'primary' };
    const spare = { publishingId: 7, path: 'backup' };
    const incidents = incidentsOf([
      event('destination_down', 0, { data: main }),
      event('destination_retrying', 2, { data: main }),
      event('destination_down', 3, { data: spare }),
      event('destination_failed', 9, { data: main, severity: 'error', message: 'the last reason' }),
      event('destination_up', 20, { data: spare }),
    ]);
    assert.deepEqual(spans(incidents), [
      ['destination', 3, 20],
      ['destination', 0, undefined],
    ]);
    assert.deepEqual([incidents[1]?.severity, incidents[1]?.message], ['error', 'the last reason']);
  });

  it('a stop ends all of a Live stream and nothing of another, another source ends what the source had, and what has no end is over at once', () => {
    const incidents = incidentsOf([
      event('silence', 0, { data: { channelId: 3 } }),
      event('silence', 0, { livestreamId: 2, data: { channelId: 3 } }),
      event('frozen', 1, { livestreamId: 3, data: { channelId: 4 } }),
      event('source_switched', 5, { livestreamId: 3, severity: 'info', data: { channelId: 9 } }),
      event('action_failed', 6, { severity: 'error' }),
      event('started', 7, { severity: 'info' }),
      event('stopped', 8, { severity: 'info' }),
    ]);
    assert.deepEqual(spans(incidents).map(String).sort(), [
      'action_failed,6,6',
      'frozen,1,5',
      'silence,0,',
      'silence,0,8',
    ]);
  });

  it('who has acknowledged it stands there until it is told anew', () => {
    const down = event('destination_down', 0, { data: { publishingId: 7 } });
    const known = event('acknowledged', 1, { severity: 'info', data: { eventId: down.id, by: 'ana', note: 'on it' } });
    const [incident] = incidentsOf([down, known]);
    assert.deepEqual(incident?.knownBy, { by: 'ana', note: 'on it' });
    const anew = event('destination_retrying', 2, { data: { publishingId: 7 } });
    const [changed] = incidentsOf([down, known, anew]);
    assert.deepEqual([changed?.knownBy, eventOf(changed!)], [undefined, anew.id]);
  });

  it('they are filtered by stream, kind, severity, and whether they go on', () => {
    const [open] = incidentsOf([event('black', 0)]);
    const wanted = (query: Record<string, string>): boolean => isWanted(filterFrom(query), open!, 'UTC');
    for (const [name, value] of Object.entries({ livestream: '1', kind: 'black', severity: 'warning', state: 'open' }))
      assert.equal(wanted({ [name]: value }), true, name);
    for (const [name, value] of Object.entries({
      livestream: '2',
      kind: 'silence',
      severity: 'error',
      state: 'closed',
    }))
      assert.equal(wanted({ [name]: value }), false, name);
    assert.equal(wanted({ kind: 'nonsense', state: 'nonsense' }), true);
  });

  it('a time has what begins in it, goes on in it, or ends in it', () => {
    const [black] = incidentsOf([event('black', 0), event('black_ended', 600)]);
    const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString().slice(0, 19);
    const wanted = (from: string, to: string): boolean => isWanted(filterFrom({ from, to }), black!, 'UTC');
    assert.deepEqual(
      [
        wanted(at(-60), at(60)),
        wanted(at(60), at(120)),
        wanted(at(540), ''),
        wanted('', at(-60)),
        wanted(at(660), at(720)),
      ],
      [true, true, true, false, false],
    );
    const params = paramsOf(filterFrom({ from: at(0), to: at(60) }), 'UTC');
    assert.ok(Date.parse(params.from!) < START && Date.parse(params.to!) > START + 60_000);
  });
});

describe('who knows of a fault', () => {
  const trouble = (reason: Trouble['reason'], since: number | undefined, publishingId?: number): Trouble => ({
    reason,
    severity: 'fault',
    since: since === undefined ? undefined : START + since * 1000,
    about: '',
    cause: undefined,
    ...(publishingId !== undefined && { publishingId }),
  });
  const acknowledged = (id: number, of: StreamEvent, subject: string): StreamEvent =>
    event('acknowledged', 100, {
      livestreamId: id,
      severity: 'info',
      data: { eventId: of.id, kind: of.kind, of: subject, event_at: of.at, by: 'ana' },
    });

  it('it is known from the event on that it began with, until it begins again or has another reason', () => {
    const lost = event('source_lost', 11, { livestreamId: 11 });
    noteFaults([lost]);
    assert.equal(knowerOf(11, trouble('source_lost', 10)), undefined);
    noteFaults([acknowledged(11, lost, 'channelId 3')]);
    assert.deepEqual(knowerOf(11, trouble('source_lost', 10)), { by: 'ana', note: undefined });
    assert.equal(knowerOf(11, trouble('source_lost', 40)), undefined, 'lost again');
    assert.equal(knowerOf(12, trouble('source_lost', 10)), undefined, 'of another Live stream');
    assert.equal(knowerOf(11, trouble('black', 10)), undefined, 'another fault');
    assert.equal(knowerOf(11, trouble('source_lost', undefined)), undefined);
    noteFaults([event('source_lost', 30, { livestreamId: 11 })]);
    assert.equal(knowerOf(11, trouble('source_lost', 10)), undefined, 'told anew since');
  });

  it('a Destination is known by its own', () => {
    const down = event('destination_retrying', 5, { livestreamId: 21, data: { publishingId: 7, path: 'primary' } });
    noteFaults([down, acknowledged(21, down, 'publishingId 7, path primary')]);
    assert.deepEqual(knowerOf(21, trouble('no_path', 5, 7))?.by, 'ana');
    assert.equal(knowerOf(21, trouble('no_path', 5, 8)), undefined);
  });

  it('an acknowledgement of a server of before, which does not say of what, is passed over', () => {
    const lost = event('source_lost', 1, { livestreamId: 31 });
    noteFaults([lost, event('acknowledged', 2, { livestreamId: 31, data: { eventId: lost.id, by: 'ana' } })]);
    assert.equal(knowerOf(31, trouble('source_lost', 1)), undefined);
  });
});
