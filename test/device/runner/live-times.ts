/** How long viewers wait for a live source: a switch to it, its death and its return. */
import assert from 'node:assert/strict';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import type { LiveOrigin } from './live-origin.ts';
import { source } from './specs.ts';

export type Kind = 'http' | 'udp';

/** In seconds; `behind`: after the first keyframe that began to be sent when the runner listened. */
export interface LiveTimes {
  switched: number;
  switchedBehind: number;
  lost: number;
  back: number;
}

export function liveSource(url: string, channelId: number): SourceSpec {
  return { ...source('Stream', { url }), name: 'Live', channelId };
}

/** Switches to it, lets it die, lets it return. */
export async function liveTimes(
  runner: TestRunner,
  origin: LiveOrigin,
  kind: Kind,
  channelId: number,
  query = '',
): Promise<LiveTimes> {
  const begunAt = performance.now();
  const answer = await change(runner, { type: 'source', source: liveSource(origin.urls[kind] + query, channelId) });
  assert.equal(answer.status, 200, answer.detail);
  const shownAt = performance.now();
  const switched = (shownAt - begunAt) / 1000;
  const switchedBehind = behind(origin, kind, begunAt, shownAt);
  const instant = (eventKind: string, after: number): Promise<number> =>
    until(eventKind, () => {
      const event = runner.events().findLast((one) => one.kind === eventKind);
      const at = event === undefined ? 0 : Date.parse(event.at);
      return at >= after && at;
    });
  const cutAt = Date.now();
  origin.isDown = true;
  const lostAt = await instant('source_lost', cutAt);
  const upAt = Date.now();
  origin.isDown = false;
  const backAt = await instant('source_restored', upAt);
  return { switched, switchedBehind, lost: (lostAt - cutAt) / 1000, back: (backAt - upAt) / 1000 };
}

/** `begunAt` and `shownAt` by performance.now(). */
export function behind(origin: LiveOrigin, kind: Kind, begunAt: number, shownAt: number): number {
  const joinedAt = origin.joinedAfter(kind, begunAt) ?? begunAt;
  return (shownAt - (origin.keyframeAfter(joinedAt) ?? joinedAt)) / 1000;
}
