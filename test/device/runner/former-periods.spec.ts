/** A manifest that is sent to an origin has the Periods of the run before, for as long as players may be in them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormerPeriods, type FormerOptions } from '../../../device/runner/outputs/origins/former-periods.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const SINCE = '2026-01-01T00:00:00.000Z';
const LISTS = { since: SINCE, firstNumber: 300 };

const period = (id: number): string => `  <Period id="${id}" start="PT${id}S">\n    <AdaptationSet/>\n  </Period>\n`;
const manifest = (since: string, ...ids: number[]): string =>
  `<MPD availabilityStartTime="${since}">\n${ids.map(period).join('')}</MPD>\n`;

function former(there: string | undefined, more: Partial<FormerOptions> = {}): FormerPeriods {
  return new FormerPeriods({
    lists: LISTS,
    keptMs: 10_000,
    read: () => Promise.resolve(there),
    clock: new FakeClock(),
    ...more,
  });
}

test('the Periods of the run before come first until players are through them, and those of this run come once', async () => {
  const clock = new FakeClock();
  let reads = 0;
  const read = (): Promise<string> => {
    reads += 1;
    return Promise.resolve(manifest(SINCE, 0, 7, 300));
  };
  const kept = former(undefined, { clock, read });
  assert.equal(await kept.before('11/index.m3u8', '#EXTM3U'), '#EXTM3U');
  assert.equal(await kept.before('manifest.mpd', manifest(SINCE, 300)), manifest(SINCE, 0, 7, 300));
  clock.advance(9000);
  assert.equal(await kept.before('manifest.mpd', manifest(SINCE, 300, 305)), manifest(SINCE, 0, 7, 300, 305));
  clock.advance(2000);
  assert.equal(await kept.before('manifest.mpd', manifest(SINCE, 305)), manifest(SINCE, 305));
  assert.equal(reads, 1);
});

test('a manifest stays as it is without a run before it, of another broadcast, and where the origin shows none', async () => {
  const own = manifest(SINCE, 300);
  const others = [
    former(manifest(SINCE, 0), { lists: undefined }),
    former(manifest(SINCE, 0), { lists: { since: SINCE, firstNumber: 0 } }),
    former(manifest('2025-01-01T00:00:00.000Z', 0)),
    former(undefined),
    former(undefined, { read: () => Promise.reject(new Error('away')) }),
    former('<html>$& no manifest</html>'),
  ];
  for (const each of others) assert.equal(await each.before('manifest.mpd', own), own);
});
