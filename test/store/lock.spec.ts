import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openStore } from '../../store/open.ts';
import type { HolderSaid } from './fixtures/holder.ts';
import { auditIds } from './filling.ts';
import { bundledProgram, Program } from './program.ts';
import { auditRow, isAppError, openedStore, temporaryFolder } from './support.ts';

describe('the data folder', () => {
  it('has one holder, by whatever path it is reached, until that one closes', async (t) => {
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

  it('is free again when a start fails', async (t) => {
    const dir = await temporaryFolder(t);
    const store = await openedStore({ dir, schemaVersion: 2 });
    await store.close();
    await assert.rejects(openStore({ kind: 'lowdb', dir }), isAppError('unavailable', /version 2/u));
    await openedStore({ dir, schemaVersion: 2 });
  });

  it('is kept by a process that is stopped, and free at once when it is killed', async (t) => {
    const dir = await temporaryFolder(t);
    const holder = new Program<HolderSaid>(t, await bundledProgram(t, 'holder'), [dir]);
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

  it('is shared with other containers by a file: a live holder keeps it, a silent one loses it and writes no more', async (t) => {
    const unshare = ['unshare', '--net', '--pid', '--fork', '--kill-child'];
    const probe = spawnSync(unshare[0]!, [...unshare.slice(1), 'true'], { encoding: 'utf8' });
    if (probe.status !== 0) {
      t.skip(`no namespaces can be made: ${probe.error?.message ?? probe.stderr.trim()}`);
      return;
    }
    const dir = await temporaryFolder(t);
    const elsewhere = new Program<HolderSaid>(t, await bundledProgram(t, 'holder'), [dir], unshare);
    assert.deepEqual(await elsewhere.expect(), { opened: 1 });
    await assert.rejects(openStore({ kind: 'lowdb', dir }), isAppError('unavailable', /in use by process 1 /u));
    const node = Number(await readFile(`/proc/${elsewhere.pid}/task/${elsewhere.pid}/children`, 'utf8'));
    process.kill(node, 'SIGSTOP');
    const store = await openedStore({ dir });
    await store.tx((tx) => tx.insert('audit', auditRow('new holder')));
    process.kill(node, 'SIGCONT');
    elsewhere.tell('old holder');
    const said = await elsewhere.expect();
    assert.match('refused' in said ? said.refused : '', new RegExp(`process ${process.pid} .* took over`, 'u'));
    assert.deepEqual(await auditIds(store), [1]);
  });
});
