import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { acquireLock } from '../../device/agent/lock.ts';
import { SCHEMA_VERSION } from '../../domain/ports/store.ts';
import { openStore } from '../../store/open.ts';
import { itLong } from '../helpers/counts.ts';
import type { HolderSaid } from './fixtures/holder.ts';
import { auditIds } from './filling.ts';
import { Program } from './program.ts';
import { auditRow, isAppError, mountedFolder, openedStore, temporaryFolder } from './support.ts';

/** A holder in a container of its own, and the pid that it has here. */
async function holderElsewhere(
  t: TestContext,
  dir: string,
): Promise<{ program: Program<HolderSaid>; node: number } | undefined> {
  const unshare = ['unshare', '--net', '--pid', '--fork', '--kill-child'];
  const probe = spawnSync(unshare[0]!, [...unshare.slice(1), 'true'], { encoding: 'utf8' });
  if (probe.status !== 0) {
    t.skip(`no namespaces can be made: ${probe.error?.message ?? probe.stderr.trim()}`);
    return undefined;
  }
  const program = new Program<HolderSaid>(t, 'holder', [dir], unshare);
  assert.deepEqual(await program.expect(), { opened: 1 });
  const node = Number(await readFile(`/proc/${program.pid}/task/${program.pid}/children`, 'utf8'));
  return { program, node };
}

/** Takes names in the abstract socket namespace, as any user of the machine can; says so once it has them. */
const SQUATTER = `
  const names = process.argv.slice(1);
  let left = names.length;
  for (const name of names)
    require('node:net').createServer().listen('\\0' + name, () => --left || process.stdout.write('taken'));
`;

async function fillUp(path: string): Promise<void> {
  for (;;) {
    try {
      await appendFile(path, Buffer.alloc(4096));
    } catch (error) {
      return assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    }
  }
}

describe('the data folder', () => {
  it('the data folder has one holder, by whatever path it is reached, until that one closes', async (t) => {
    const parent = await temporaryFolder(t);
    const dir = join(parent, 'data');
    await mkdir(dir);
    await symlink(dir, join(parent, 'link'));
    const store = await openedStore({ dir });
    for (const path of [dir, join(parent, 'link')]) {
      await assert.rejects(
        openStore({ kind: 'lowdb', dir: path }),
        isAppError('unavailable', new RegExp(`in use by process ${process.pid} `, 'u')),
      );
    }
    await store.tx((tx) => tx.insert('audit', auditRow('a')));
    await store.close();
    assert.ok(!(await readdir(dir)).includes('lock.json'));
    const again = await openedStore({ dir: join(parent, 'link') });
    assert.deepEqual(await auditIds(again), [1]);
  });

  itLong(
    'the data folder is taken on a full disk too, after a holder that let go and after one that was killed',
    async (t) => {
      const dir = await mountedFolder(t, '-t', 'tmpfs', '-o', 'size=48m', 'none');
      if (dir === undefined) return;
      await (await openedStore({ dir })).close();
      for (let round = 0; round < 2; round += 1) {
        await fillUp(join(dir, 'filler'));
        const holder: Program<HolderSaid> = new Program<HolderSaid>(t, 'holder', [dir]);
        assert.deepEqual(await holder.expect(), { opened: holder.pid });
        holder.tell('a');
        assert.ok('wrote' in (await holder.expect()));
        await holder.kill();
      }
    },
  );

  it('the data folder is free again when a start fails', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir, schemaVersion: SCHEMA_VERSION + 1 });
    await store.close();
    await assert.rejects(
      openStore({ kind: 'lowdb', dir }),
      isAppError('unavailable', new RegExp(`version ${SCHEMA_VERSION};? `, 'u')),
    );
    await openedStore({ dir, schemaVersion: SCHEMA_VERSION + 1 });
  });

  it('the data folder is kept by a process that is stopped, and free at once when it is killed', async (t) => {
    const dir = await temporaryFolder(t);
    const holder = new Program<HolderSaid>(t, 'holder', [dir]);
    assert.deepEqual(await holder.expect(), { opened: holder.pid });
    holder.tell('a');
    assert.deepEqual(await holder.expect(), { wrote: 1 });
    holder.signal('SIGSTOP');
    await assert.rejects(
      openStore({ kind: 'lowdb', dir }),
      isAppError('unavailable', new RegExp(`in use by process ${holder.pid} `, 'u')),
    );
    await holder.kill();
    const store = await openedStore({ dir });
    assert.deepEqual(await auditIds(store), [1]);
  });

  itLong('the data folder is kept from other containers, by a holder that is stopped as well', async (t) => {
    const dir = await temporaryFolder(t);
    const elsewhere = await holderElsewhere(t, dir);
    if (elsewhere === undefined) return;
    for (const signal of ['SIGSTOP', 'SIGCONT'] as const) {
      process.kill(elsewhere.node, signal);
      await assert.rejects(openStore({ kind: 'lowdb', dir }), isAppError('unavailable', /in use by process 1 /u));
    }
    elsewhere.program.tell('still here');
    assert.deepEqual(await elsewhere.program.expect(), { wrote: 1 });
  });

  it('where kernel locks do not work a file guards the data folder: a live holder keeps it, a silent one writes no more', async (t) => {
    const dir = await temporaryFolder(t);
    const elsewhere = await holderElsewhere(t, dir);
    if (elsewhere === undefined) return;
    const { program, node } = elsewhere;
    // A new file is as free as one whose lock another machine holds on a volume that does not pass locks on.
    await rm(join(dir, 'lock'));
    await assert.rejects(openStore({ kind: 'lowdb', dir }), isAppError('unavailable', /in use by process 1 /u));
    process.kill(node, 'SIGSTOP');
    const store = await openedStore({ dir });
    await store.tx((tx) => tx.insert('audit', auditRow('new holder')));
    process.kill(node, 'SIGCONT');
    program.tell('old holder');
    const message = await program.expect();
    assert.match('refused' in message ? message.refused : '', new RegExp(`process ${process.pid} .* took over`, 'u'));
    assert.deepEqual(await auditIds(store), [1]);
  });

  itLong('the data folder cannot be kept from its owner by another user, nor can a Device directory', async (t) => {
    const dir = await temporaryFolder(t);
    const { dev, ino } = statSync(dir, { bigint: true });
    const hash = createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 32);
    await (await openedStore({ dir })).close();
    (await acquireLock(dir, 0))!();
    const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=nobody', '--clear-groups'] : [];
    const [command, ...args] = [
      ...asNobody,
      process.execPath,
      '-e',
      SQUATTER,
      `onair-store-${hash}`,
      `onair-agent-${hash}`,
    ];
    const squatter = spawn(command!, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => squatter.kill('SIGKILL'));
    assert.equal(String((await once(squatter.stdout, 'data'))[0]), 'taken');
    if (asNobody.length > 0) {
      for (const file of ['lock', 'agent.lock']) {
        const tried = spawnSync(asNobody[0]!, [...asNobody.slice(1), 'flock', '-n', join(dir, file), 'true']);
        assert.notEqual(tried.status, 0, `${file} can be locked by anybody`);
        // That the folder is closed to others is not all that keeps them off.
        assert.equal(statSync(join(dir, file)).mode & 0o777, 0o600);
      }
    }
    const store = await openedStore({ dir });
    await store.tx((tx) => tx.insert('audit', auditRow('a')));
    const release = await acquireLock(dir, 0);
    assert.ok(release, 'the agent has its lock');
    release();
  });

  it('the store says what is missing where there is no flock', async (t) => {
    const dir = await temporaryFolder(t);
    const { PATH } = process.env;
    process.env['PATH'] = dir;
    t.after(() => (process.env['PATH'] = PATH));
    await assert.rejects(openStore({ kind: 'lowdb', dir }), isAppError('unavailable', /no program flock.*util-linux/u));
  });
});
