/** Whether a peer takes what is sent to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Acknowledged } from '../../../device/runner/outputs/acknowledged.ts';
import { Suspicion } from '../../../device/runner/outputs/suspicion.ts';
import { queueIn } from '../../../device/runner/outputs/tcp-queue.ts';

test('a peer that acknowledges some bytes does not count as stalled, however late those are counted', () => {
  const acknowledged = new Acknowledged();
  // ffmpeg counts every 250 ms: the kernel may hold more than it has told so far.
  assert.equal(acknowledged.standsForMs(1000, 12_453, 90_000), 0);
  assert.equal(acknowledged.standsForMs(9000, 14_547, 90_250), 0);
  assert.equal(acknowledged.standsForMs(40_000, 20_000, 90_500), 0);
});

test('a peer that acknowledges nothing counts as stalled from its last byte on, until all is acknowledged or the connection is gone', () => {
  const acknowledged = new Acknowledged();
  acknowledged.standsForMs(100_000, 10_000, 5000);
  assert.equal(acknowledged.standsForMs(120_000, 30_000, 6000), 1000);
  assert.equal(acknowledged.standsForMs(150_000, 60_000, 9000), 4000);
  assert.equal(acknowledged.standsForMs(150_000, 0, 9250), 0);
  assert.equal(acknowledged.standsForMs(150_000, undefined, 20_000), 0);
});

test('the kernel is asked only about a server that acknowledges less than it used to, and seldom about one that never does', () => {
  const looksFor = (acknowledgedAt: (sent: number) => number): number[] => {
    const suspicion = new Suspicion();
    const times: number[] = [];
    // 100 kB a second.
    for (let now = 0; now < 60_000; now += 250) {
      const sent = now * 100;
      if (suspicion.mustAsk(sent, acknowledgedAt(sent), now)) times.push(now);
    }
    return times;
  };
  const inSteps = (step: number) => (sent: number) => Math.floor(sent / step) * step;
  assert.deepEqual(looksFor(inSteps(131_072)), []);
  const rare = looksFor(inSteps(2_500_000));
  assert.ok(Math.max(...rare) <= 26_000 && rare.length < 60, 'until it has acknowledged once, or twice');
  const never = looksFor(() => 0);
  assert.ok(never[0]! < 4000 && never.length > 40 && never.length < 60, `${never.length} times`);
  const stopped = looksFor((sent) => inSteps(131_072)(Math.min(sent, 3_000_000)));
  assert.ok(stopped[0]! < 33_500, `${stopped[0]} ms, of which the server took bytes for 30000`);
});

test('the bytes that a peer has not acknowledged are read for its connection alone', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 5
   1: 0100007F:B1E2 0100007F:1F90 01 00000010:00000000 00:00000000 00000000     0        0 6
   2: 0100000A:B1E2 0100630A:1F90 01 0000A000:00000000 00:00000000 00000000     0        0 7`;
  assert.equal(queueIn(table, { localPort: 0xb1e2, remotePort: 8080, remoteAddress: '10.99.0.1' }), 0xa000);
  assert.equal(queueIn(table, { localPort: 0xb1e2, remotePort: 8080, remoteAddress: '127.0.0.1' }), 16);
  assert.equal(queueIn(table, { localPort: 0xb1e2, remotePort: 8081, remoteAddress: '127.0.0.1' }), undefined);
});
