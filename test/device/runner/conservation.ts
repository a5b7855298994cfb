/** Conservation of numbered pictures and packets: missing is what somebody has counted as lost, and nothing else. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../helpers/until.ts';
import type { TestRunner } from './runner-fixture.ts';
import { continuityErrors, decoded, lostAt, type capture } from './receivers.ts';

type Captured = Awaited<ReturnType<typeof capture>>;
type Numbers = readonly (number | undefined)[];

/** Places at which an older picture follows a newer one, in a clip of `length` pictures that begins again. */
export function stepsBack(numbers: Numbers, length: number): string[] {
  const readable = numbers.filter((n) => n !== undefined);
  return readable.flatMap((n, at) => {
    const before = readable[at - 1];
    return before !== undefined && (n - before + length) % length > length / 2 ? [`${before} → ${n}`] : [];
  });
}

/** Pictures that the encoder has left out up to now: a report counts them once a second. */
export async function droppedSoFar(runner: TestRunner): Promise<number> {
  const before = JSON.stringify((await runner.report()).encodings);
  return until('the next count', async () => {
    const { encodings } = await runner.report();
    return JSON.stringify(encodings) !== before && encodings;
  }).then(([first]) => first!.dropped);
}

/** One is a stretch of the other, picture by picture. */
export function assertLossless(part: Numbers, whole: Numbers, what: string): void {
  const text = (numbers: Numbers): string => numbers.map((n) => n ?? '-').join(',');
  const [a, b] = [part, whole].toSorted((x, y) => x.length - y.length) as [Numbers, Numbers];
  assert.ok(a.length > 30, `${what}: ${a.length} pictures`);
  // They begin and end within a segment of each other.
  const middle = a.slice(20, -20);
  assert.ok(text(b).includes(text(middle)), `${what}: ${text(part)} and ${text(whole)}`);
}

/** Transport streams by UDP and by RTP: each packet once and in order, but those that the kernel of the receiver has thrown away. */
export async function assertDatagrams(dir: string, udp: Captured, rtp: Captured): Promise<void> {
  const [plain, packets] = [udp.datagrams.map(({ data }) => data), rtp.datagrams.map(({ data }) => data)];
  assert.ok(plain.every((data) => data.length === 1316));
  const [first] = packets;
  assert.deepEqual([first!.length, first![0], first![1]], [1328, 0x80, 33]);
  let missing = 0;
  for (const [i, data] of packets.entries()) {
    assert.equal(data.readUInt32BE(8), first!.readUInt32BE(8), 'one source');
    if (i === 0) continue;
    const step = (data.readUInt16BE(2) - packets[i - 1]!.readUInt16BE(2) + 0x1_0000) % 0x1_0000;
    assert.ok(step > 0 && step < 0x8000, 'each sequence number once, in order');
    missing += step - 1;
  }
  assert.ok(missing <= lostAt(rtp.port), `${missing} are missing, ${lostAt(rtp.port)} were thrown away`);
  if (missing === 0) assert.equal(continuityErrors(Buffer.concat(packets.map((data) => data.subarray(12)))), 0);
  if (lostAt(udp.port) > 0) return;
  assert.equal(continuityErrors(Buffer.concat(plain)), 0);
  writeFileSync(join(dir, 'raw.ts'), Buffer.concat(plain));
  assert.ok((await decoded(join(dir, 'raw.ts'))).video > 10);
}
