/** Actions that are planned for the first seconds of a Schedule, on the real service: the encoder needs some of them to be on air. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { LivestreamEvent } from '../../domain/event.ts';
import type { PlannedAction } from '../../domain/planned-action.ts';
import { mediaPlaylist, smallBroadcast, type SmallBroadcast } from '../helpers/broadcast.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

let service: Service;
let show: SmallBroadcast;
before(async () => {
  service = await startService();
  show = await smallBroadcast(service);
});
after(() => service.dispose());

it('what is planned for the start is done as soon as the broadcast is on air', async (t) => {
  const { livestreamId } = show;
  const startMs = Date.now() + 3000;
  const at = (seconds: number): string => new Date(startMs + seconds * 1000).toISOString();
  await service.create('/schedules', { name: 'Opening', livestreamId, start: at(0), end: at(60) });
  const planned: [string, object, number][] = [
    ['text', { action: 'show', text: 'Welcome' }, 0],
    ['blackout', { mode: 'Black Frame' }, 0],
    ['metadata', { type: 'DateRange', metadata: { id: 'opening', name: 'com.example.mark' } }, 0.2],
  ];
  for (const [type, payload, seconds] of planned)
    await service.create(`/livestreams/${livestreamId}/actions`, { type, payload, execute_at: at(seconds) });
  const rows = async (path: string): Promise<unknown[]> => (await service.rest('GET', path)).body.rows;
  const actions = await until('all settled', async () => {
    const found = (await rows('/plannedActions')) as PlannedAction[];
    return found.every(({ status }) => status !== 'pending') && found;
  });
  assert.deepEqual(
    actions.map(({ status, error }) => [status, error]),
    planned.map(() => ['executed', null]),
  );
  const { runtime } = (await service.rest('GET', `/livestreams/${livestreamId}/status`)).body.data;
  assert.deepEqual([runtime.text, runtime.blackout], ['Welcome', 'Black Frame']);
  const marks = async (): Promise<boolean> => (await mediaPlaylist(await show.playlist())).text.includes('opening');
  await until('the mark in the playlist', marks);
  const events = (await rows(`/livestreams/${livestreamId}/events?pageSize=500`)) as LivestreamEvent[];
  const onAirMs = Date.parse(events.find(({ kind }) => kind === 'started')!.at);
  const afterMs = events
    .filter(({ kind }) => kind === 'action_executed')
    .map((event) => Date.parse(event.at) - onAirMs);
  t.diagnostic(`on air ${onAirMs - startMs} ms after the start; actions ${afterMs.join(', ')} ms after that`);
  for (const ms of afterMs) assert.ok(ms >= 0 && ms < 6000, `${ms} ms after it was on air`);
});
