/** A start in a folder whose store has gone: refused with what is there and what is not, and nothing is begun. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { bootstrap } from '../../auth/bootstrap.ts';
import { openStoreIn } from '../../bin/store/former-installation.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { freePort } from '../helpers/ports.ts';
import { PROGRAM } from '../helpers/service.ts';
import { isAppError, temporaryFolder } from '../store/support.ts';

/** A data folder with an administrator, and, where it is given, a file besides. */
async function installation(t: TestContext, file?: string): Promise<string> {
  const data = await temporaryFolder(t);
  const store = await openStoreIn(data);
  await bootstrap({ store, clock: systemClock, password: null });
  await store.close();
  if (file === undefined) return data;
  mkdirSync(join(data, file, '..'), { recursive: true });
  writeFileSync(join(data, file), 'x');
  return data;
}

const FILES = ['assets/files/talk.mp4', 'link.key'];

describe('a data folder that lost its store', () => {
  for (const file of FILES) {
    it(`a data folder that lost its store is known by ${file}, whatever of the store is left`, async (t) => {
      const data = await installation(t, file);
      const dir = join(data, 'store');
      for (const name of readdirSync(dir).filter((each) => /^(?:format|journal-|snapshot-)/u.test(each)))
        rmSync(join(dir, name));
      const missing = isAppError('unavailable', /holds (?:assets|link\.key).*no journal and no snapshot/u);
      await assert.rejects(openStoreIn(data), missing);
      rmSync(dir, { recursive: true });
      await assert.rejects(openStoreIn(data), missing);
      assert.ok(!existsSync(dir));
    });
  }

  it('a data folder that lost its store ends the program before anything is made', async (t) => {
    const data = await installation(t, FILES[0]);
    rmSync(join(data, 'store'), { recursive: true });
    mkdirSync(join(data, 'device'));
    const env = {
      ...process.env,
      ONAIR_DATA: data,
      ONAIR_PORT: String(await freePort()),
      XDG_CONFIG_HOME: join(data, 'c'),
    };
    const before = readdirSync(data);
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'serve'], { env, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /holds assets, device of an installation/u);
    assert.match(stderr, /Put the store folder back.*onair import/u);
    assert.deepEqual(readdirSync(data), before);
  });

  it('a data folder that has its store is not one that lost it, nor is a new one', async (t) => {
    const data = await installation(t, FILES[0]);
    await (await openStoreIn(data)).close();
    const fresh = await temporaryFolder(t);
    // What a first start that was cut short has made, and a Device that was here before.
    for (const made of ['assets/files/.incoming', 'device/runs', 'store'])
      mkdirSync(join(fresh, made), { recursive: true });
    await (await openStoreIn(fresh)).close();
  });

  it('a data folder that lost its store is not taken for one that was begun and is empty', async (t) => {
    const data = await temporaryFolder(t);
    await (await openStoreIn(data)).close();
    writeFileSync(join(data, 'link.key'), 'x');
    await assert.rejects(openStoreIn(data), isAppError('unavailable', /the store in .* is empty/u));
  });
});
