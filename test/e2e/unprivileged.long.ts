/** A server that root runs, whose media work another user does. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { goOnAir, mediaPlaylist, smallBroadcast, statusOf } from '../helpers/broadcast.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { processesOf, startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { testFolder } from '../helpers/test-folder.ts';

const USER = 'nobody';
const isRoot = process.getuid?.() === 0;

test(
  'with ONAIR_DEVICE_USER the agent, the runner and every ffmpeg are that user’s',
  { skip: !isRoot && 'needs root' },
  async (t) => {
    const open = testFolder(t, 'open');
    chmodSync(open, 0o711);
    const service = await startService({ ONAIR_DATA: join(open, 'data'), ONAIR_DEVICE_USER: USER });
    cleanUp(t, () => service.dispose());
    const record = { name: 'kept', type: 'Record' };
    const show = await smallBroadcast(service, [record]);
    await goOnAir(service, show.livestreamId);
    await until('segments', async () => (await mediaPlaylist(await show.playlist())).segments.length > 1);
    await until('a runner in waiting', () => processesOf(open).some(({ command }) => / spare /u.test(command)));

    const nobody = Number(/^nobody:[^:]*:(\d+):/mu.exec(readFileSync('/etc/passwd', 'utf8'))![1]);
    const owners = processesOf(open).flatMap(({ pid, command }) => {
      const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
      const ids = /^Uid:\s+(\d+)\s+(\d+)\s+(\d+)/mu.exec(status)?.slice(1).map(Number);
      const groups = /^Groups:\s*(.*)$/mu.exec(status)?.[1] ?? '';
      return ids === undefined ? [] : [{ command, ids, groups }];
    });
    const media = owners.filter(({ command }) => !/ serve$/u.test(command));
    assert.ok(
      media.some(({ command }) => /ffmpeg/u.test(command)) && media.some(({ command }) => / runner /u.test(command)),
    );
    for (const { command, ids, groups } of media) {
      assert.deepEqual(ids, [nobody, nobody, nobody], command);
      assert.ok(!groups.split(' ').includes('0'), command);
    }
    const asset = join(open, 'data/assets/files/clip.mp4');
    assert.equal(statSync(asset).uid, 0, 'the control plane keeps its own');
    assert.equal(statSync(asset).mode & 0o007, 0, 'nobody else reads it');
    assert.ok(readdirSync(join(open, 'data/store')).length > 0);
    assert.equal(statSync(join(open, 'data/store')).mode & 0o077, 0, 'the rows are out of reach');

    await service.kill('SIGKILL');
    await service.restart();
    assert.equal((await statusOf(service, show.livestreamId)).status, 2, 'adopted');
    await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(service, show.livestreamId)).status === 0);
  },
);
