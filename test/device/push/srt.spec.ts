/** SRT listeners of the push process: who is let in, what is said of the others, and what a reader gets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IngestOrder } from '../../../domain/ingest-order.ts';
import { freePort } from '../../helpers/ports.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { until } from '../../helpers/until.ts';
import { clip } from '../runner/runner-fixture.ts';
import { feed } from '../runner/feeder.ts';
import { startPush } from './push-fixture.ts';

const PASSPHRASE = 'canary-phrase-1';

function order(channelId: number, port: number, settings: IngestOrder['settings'] = {}): IngestOrder {
  const known = { mode: 'listener', port, latency_ms: 120 } as const;
  return { channelId, name: `Channel ${channelId}`, type: 'SRT', settings: { ...known, ...settings } };
}

test('callers of SRT listeners', { timeout: 120_000 }, async (t) => {
  const dir = testFolder(t, 'push-srt');
  const [plain, secret, named] = [await freePort(), await freePort(), await freePort()];
  const file = clip(dir);
  const call = (port: number, query = ''): ReturnType<typeof feed> =>
    feed(t, file, '-f', 'mpegts', `srt://127.0.0.1:${port}?mode=caller${query}`);
  const push = await startPush(
    t,
    dir,
    order(1, plain),
    order(2, secret, { passphrase: PASSPHRASE, encryption: 128 }),
    order(3, named, { streamid: 'studio1' }),
  );
  const state = async (channelId: number): Promise<string> => (await push.report(channelId)).state;
  const refusal = async (channelId: number): Promise<string | undefined> =>
    (await push.report(channelId)).last_refusal?.reason;
  assert.equal(await state(1), 'waiting');

  await t.test(
    'a caller is received, a second one is refused as busy, and the next one comes in after it',
    async () => {
      const first = call(plain);
      await until('a picture is known', async () => (await push.report(1)).video?.fps != null, 15_000);
      const { video, audio, from } = await push.report(1);
      assert.deepEqual([video?.codec, audio[0]?.codec, from], ['h264', 'aac', '127.0.0.1']);
      const { media } = await push.read(1, 100_000);
      assert.equal(media[0], 0x47, 'a reader begins with a packet of the transport stream');
      assert.notEqual(await call(plain).ended, 0);
      assert.deepEqual([await state(1), await refusal(1)], ['receiving', 'busy']);
      first.kill();
      await until('it waits again', async () => (await state(1)) !== 'receiving', 10_000);
      call(plain);
      await until('the next one is received', async () => (await state(1)) === 'receiving', 10_000);
    },
  );

  await t.test('none and a wrong passphrase are refused by name, the right one is let in', async () => {
    assert.notEqual(await call(secret).ended, 0);
    assert.deepEqual([await state(2), await refusal(2)], ['refused', 'passphrase']);
    assert.notEqual(await call(secret, '&passphrase=another-phrase').ended, 0);
    assert.equal(await refusal(2), 'passphrase');
    call(secret, `&passphrase=${PASSPHRASE}&pbkeylen=16`);
    await until('it is received', async () => (await state(2)) === 'receiving', 10_000);
  });

  await t.test('a caller with another stream id is refused', async () => {
    assert.notEqual(await call(named, '&streamid=other').ended, 0);
    assert.equal(await refusal(3), 'streamid');
    call(named, '&streamid=studio1');
    await until('it is received', async () => (await state(3)) === 'receiving', 10_000);
  });
  const kinds = new Set(push.events.map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), ['ingest_connected', 'ingest_ended', 'ingest_refused']);
});
