/** Receivers of a copied STREAM across the death of its runner: they get every unit once, and in its order. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { PACKET_BYTES } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import type { PacketRun } from '../../../device/runner/stream/fan-out.ts';
import { readSent, SentUnits, type SentPlace } from '../../../device/runner/stream/sent-units.ts';
import { UnsentUnits } from '../../../device/runner/stream/unsent-units.ts';

const [VIDEO, AUDIO] = [0x100, 0x101];
const UNIT_BYTES = 2 * PACKET_BYTES;
/** The byte of flags of the first packet's adaptation field, and its discontinuity_indicator. */
const [FLAGS, DISCONTINUITY] = [5, 0x80];

/** A unit in two packets, whose media is its name; times and counters are of its runner. `k…` is a keyframe, `a…` sound. */
function unit(name: string, runner: number): PacketRun {
  const pid = name.startsWith('a') ? AUDIO : VIDEO;
  const bytes = Buffer.alloc(UNIT_BYTES, 0xff);
  bytes.set([0x47, 0x40 | (pid >> 8), pid & 0xff, 0x30 | runner, 1, 0], 0);
  bytes.set([0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5, 0x21, runner, 1, runner, 1], 6);
  bytes.set([0x47, pid >> 8, pid & 0xff, 0x10 | runner], PACKET_BYTES);
  bytes.write(name, PACKET_BYTES + 4);
  return { pid, bytes, starts: true, key: pid === AUDIO || name.startsWith('k'), pts: runner };
}

const nameOf = ({ bytes }: PacketRun): string => bytes.toString('latin1', PACKET_BYTES + 4).replace(/\u00ff+$/u, '');

describe('the successor of a runner that copies', () => {
  const dir = mkdtempSync(join(tmpdir(), 'onair-sent-'));
  after(() => rmSync(dir, { recursive: true }));
  let files = 0;

  /** A runner is given these units, and is killed while the last `queued` wait to leave. */
  function run(given: readonly string[], queued: number, number: number, sent?: SentPlace) {
    const file = join(dir, `${(files += 1)}.sent`);
    const units = new SentUnits(file, VIDEO);
    const unsent = sent === undefined ? undefined : new UnsentUnits(sent, VIDEO);
    const out: PacketRun[] = [];
    for (const name of given) {
      const all = unit(name, number);
      const rest = unsent === undefined ? all : unsent.take(all);
      units.add(all, rest?.bytes.length ?? 0);
      if (rest === undefined) continue;
      out.push(rest);
      units.grown(rest.bytes.length);
    }
    const left = out.slice(0, Math.max(0, out.length - queued));
    units.left((out.length - left.length) * UNIT_BYTES);
    units.close();
    return { left, file };
  }

  /** Reads as a runner in another process does. */
  function kept(file: string): SentPlace | undefined {
    assert.equal(readSent(file), undefined, 'another attempt of the same process begins with the present');
    const text = readFileSync(file, 'utf8');
    if (text === '') return undefined;
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(text) as SentPlace), by: 1 }));
    return readSent(file);
  }

  it('sends what that has not sent, wherever it was killed, and no unit again', () => {
    const group = fc.array(fc.constantFrom('v', 'a'), { maxLength: 6 });
    const groups = fc.array(group, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(groups, fc.nat(), fc.nat(4), fc.nat(2), (shape, at, queued, back) => {
        const names = shape.flatMap((kinds, n) => [`k${n}`, ...kinds.map((kind, i) => `${kind}${n}.${i}`)]);
        const dies = 1 + (at % names.length);
        const { left, file } = run(names.slice(0, dies), queued, 1);
        // The source gives again from its newest keyframe, or one of those before.
        const keys = names.flatMap((name, place) => (name.startsWith('k') && place < dies ? [place] : []));
        const from = keys.at(-1 - Math.min(back, keys.length - 1))!;
        const second = run(names.slice(from), 0, 2, kept(file)).left;
        const expected = names.slice(Math.max(from, left.length));
        assert.deepEqual(second.map(nameOf), expected, `${names.join(' ')}; ${left.length} left, given from ${from}`);
      }),
      { numRuns: 500 },
    );
  });

  it('marks where each track goes on in the middle of a group', () => {
    const { file } = run(['k0', 'a0', 'v0', 'a1', 'v1'], 1, 1);
    const { left } = run(['k0', 'a0', 'v0', 'a1', 'v1', 'a2', 'v2', 'k1'], 0, 2, kept(file));
    assert.deepEqual(left.map(nameOf), ['v1', 'a2', 'v2', 'k1']);
    assert.deepEqual(
      left.map(({ bytes }) => bytes[FLAGS]! & DISCONTINUITY),
      [DISCONTINUITY, DISCONTINUITY, 0, 0],
    );
  });

  it('begins with the first keyframe it is given where none is known', () => {
    const { file } = run(['k0', 'v0', 'k1', 'v1'], 0, 1);
    const { left } = run(['v1', 'k2', 'v2'], 0, 2, kept(file));
    assert.deepEqual(left.map(nameOf), ['k2', 'v2']);
  });

  it('leaves nothing out of a picture that stands still, whose keyframes are all the same', () => {
    const still = ['k1', 'a0', 'k2', 'a1', 'k1', 'a2', 'k2', 'a3', 'k1', 'a4'];
    const { file } = run(still, 0, 1);
    assert.equal(kept(file), undefined);
  });
});
