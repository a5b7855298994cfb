/** The mirror by itself: a folder that this test writes, an origin that this test rules. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pushTarget } from '../../../device/media/manifests/push-target.ts';
import { writeAtomic } from '../../../device/atomic-file.ts';
import { builtInReach } from '../../../device/network-rules.ts';
import { PushClient } from '../../../device/runner/outputs/origins/push-client.ts';
import { PushMirror } from '../../../device/runner/outputs/origins/push-mirror.ts';
import { systemClock } from '../../../domain/time/clock.ts';
import { freePort } from '../../helpers/ports.ts';
import { selfSigned } from '../../helpers/servers/certificate.ts';
import { folder } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { loggingOrigin } from './push-origins.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

interface Bench {
  mirror: PushMirror;
  published: number;
  failed: string[];
  refused: boolean[];
  /** Writes segment `n`, lists the last three, tells the mirror. */
  add(n: number): void;
}

function bench(t: TestScope, url: string, listed = 4, dir = join(folder(t), 'out')): Bench {
  mkdirSync(join(dir, '11'), { recursive: true });
  writeAtomic(join(dir, '.journal.json'), '{}');
  writeAtomic(join(dir, '11/init-0.mp4'), 'init');
  const client = new PushClient(pushTarget(url, null, null), () => [], builtInReach(), systemClock);
  const state: Omit<Bench, 'mirror' | 'add'> = { published: 0, failed: [], refused: [] };
  const mirror = new PushMirror(
    {
      dir,
      listed,
      lease: { isHeld: true },
      former: { before: (_, text) => Promise.resolve(text) },
      onPublished: () => (state.published += 1),
      onFailed(reason, refused) {
        state.failed.push(reason);
        state.refused.push(refused);
      },
    },
    client,
  );
  cleanUp(t, () => mirror.stop());
  const add = (n: number): void => {
    writeAtomic(join(dir, `11/${n}-run.m4s`), `segment ${n}`);
    writeAtomic(join(dir, '11/index.m3u8'), `lists ${[n - 2, n - 1, n].filter((one) => one >= 0).join()}`);
    writeAtomic(join(dir, 'index.m3u8'), 'main');
    rmSync(join(dir, `11/${n - 7}-run.m4s`), { force: true });
    mirror.sync();
  };
  return Object.assign(state, { mirror, add });
}

test('media is pushed before the manifest that names it, the main manifest last, and what is gone is deleted', async (t) => {
  const origin = await loggingOrigin(t);
  const own = bench(t, `http://127.0.0.1:${origin.port}/a/b`);
  own.add(0);
  await until('the first is published', () => own.published > 0);
  assert.deepEqual(origin.log, [
    'PUT /a/b/11/init-0.mp4',
    'PUT /a/b/11/0-run.m4s',
    'PUT /a/b/11/index.m3u8',
    'PUT /a/b/index.m3u8',
  ]);
  for (let n = 1; n < 10; n += 1) {
    own.add(n);
    await until(`${n} is published`, () => origin.files.get('/a/b/11/index.m3u8')?.toString().endsWith(`${n}`));
  }
  await until('the old are deleted', () => !origin.files.has('/a/b/11/2-run.m4s'));
  assert.ok(origin.files.has('/a/b/11/3-run.m4s'));
  assert.equal(
    origin.log.filter((line) => line === 'PUT /a/b/index.m3u8').length,
    1,
    'what has not changed is not sent',
  );
  assert.equal(
    origin.log.some((line) => line.includes('journal')),
    false,
  );
  for (const [i, line] of origin.log.entries()) {
    if (line !== 'PUT /a/b/11/index.m3u8') continue;
    assert.equal(origin.log.slice(0, i).filter((one) => /PUT .*m4s/u.test(one)).length > 0, true);
  }
  assert.ok(origin.connections <= 4, `${origin.connections} connections`);
  assert.deepEqual(own.failed, []);
});

test('what an earlier attempt or a killed runner has sent is deleted in its time, although it is not sent again', async (t) => {
  const origin = await loggingOrigin(t);
  const url = `http://127.0.0.1:${origin.port}/a`;
  const dir = join(folder(t), 'out');
  const killed = bench(t, url, 4, dir);
  for (let n = 0; n < 7; n += 1) {
    killed.add(n);
    await until(`${n} is published`, () => origin.files.get('/a/11/index.m3u8')?.toString().endsWith(`${n}`));
  }
  killed.mirror.stop();
  // It goes from the disk before the next mirror looks there.
  rmSync(join(dir, '11/0-run.m4s'));
  const next = bench(t, url, 2, dir);
  for (let n = 7; n < 14; n += 1) {
    next.add(n);
    await until(`${n} is published`, () => origin.files.get('/a/11/index.m3u8')?.toString().endsWith(`${n}`));
  }
  const segments = (): string[] => [...origin.files.keys()].filter((name) => /\d-run/u.test(name));
  await until('no older ones are left', () => segments().length === 7);
  assert.ok(origin.files.has('/a/11/init-0.mp4'));
  assert.equal(origin.log.filter((line) => line === 'PUT /a/11/3-run.m4s').length, 1, 'old ones are not sent again');
});

test('a slow origin gets the newest segments, and its manifest never names a segment that it lacks', async (t) => {
  const origin = await loggingOrigin(t);
  const own = bench(t, `http://127.0.0.1:${origin.port}/slow`);
  origin.behave({ delayMs: 300 });
  for (let n = 0; n < 40; n += 1) {
    own.add(n);
    await until('a moment', () => new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 40)));
    const listed = /lists (.+)/u.exec(origin.files.get('/slow/11/index.m3u8')?.toString() ?? '')?.[1];
    for (const one of listed?.split(',') ?? [])
      assert.ok(origin.log.includes(`PUT /slow/11/${one}-run.m4s`), `${one} is listed and was never sent`);
  }
  origin.behave({});
  await until('the newest is there', () => origin.files.get('/slow/11/index.m3u8')?.toString() === 'lists 37,38,39');
  const sent = origin.log.filter((line) => /PUT .*\/\d+-run\.m4s$/u.test(line)).length;
  assert.ok(sent < 30, `${sent} of 40 were sent`);
  assert.ok(own.mirror.skipped > 0, `${own.mirror.skipped} skipped`);
  assert.deepEqual(own.failed, []);
});

test('the answer of an origin is put into words, and a passing fault is got over', async (t) => {
  for (const [how, expected, isRefusal] of [
    [{ status: 403 }, /answers 11\/init-0\.mp4 with 403 Forbidden; check user name, password/u, true],
    [{ status: 401 }, /with 401 Unauthorized; check user name and password/u, true],
    [{ status: 404 }, /with 404 Not Found; check the folder in the URL/u, true],
    [{ status: 507 }, /no storage left/u, false],
    [
      { status: 307, location: 'http://169.254.169.254/x' },
      /redirects to 169\.254\.169\.254, which is not followed/u,
      false,
    ],
  ] as const) {
    const origin = await loggingOrigin(t);
    origin.behave(how);
    const own = bench(t, `http://127.0.0.1:${origin.port}/x?token=canary`);
    own.add(0);
    const reason = await until('it fails', () => own.failed[0]);
    assert.match(reason, expected);
    assert.ok(!reason.includes('canary'));
    assert.equal(own.published, 0);
    assert.deepEqual(own.refused, [isRefusal], `${how.status}: whether another attempt could help`);
  }
  const restarting = await loggingOrigin(t);
  restarting.behave({ status: 503 });
  const own = bench(t, `http://127.0.0.1:${restarting.port}/x`);
  own.add(0);
  await until('it is refused once', () => restarting.headers.length > 0);
  restarting.behave({});
  await until('it is published all the same', () => own.published > 0);
  assert.deepEqual(own.failed, []);
  const nobody = bench(t, `http://127.0.0.1:${await freePort()}/x`);
  nobody.add(0);
  assert.match(await until('nobody is there', () => nobody.failed[0]), /it refuses connections/u);
});

test('a certificate that nobody vouches for is refused by a push', async (t) => {
  const { key, certificate } = selfSigned(folder(t));
  const { readFileSync } = await import('node:fs');
  const pem = { key: readFileSync(key, 'utf8'), cert: readFileSync(certificate, 'utf8') };
  const origin = await loggingOrigin(t, pem);
  const own = bench(t, `https://localhost:${origin.port}/x`);
  own.add(0);
  assert.match(
    await until('it fails', () => own.failed[0]),
    /certificate of localhost:\d+ is not signed by an authority/u,
  );
  assert.equal(origin.headers.length, 0);
});
