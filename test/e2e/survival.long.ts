/** The service goes on while its processes are killed. Each drill reads the evidence from outside: the playlist, /proc and the status. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { goOnAir, smallBroadcast, statusOf, type Playlist, type SmallBroadcast } from '../helpers/broadcast.ts';
import { pidsOf, PROGRAM, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { follow, keepSegments } from './one.ts';

describe('the survival of a broadcast', () => {
  let service: Service;
  let show: SmallBroadcast;

  before(async () => {
    service = await startService();
    show = await smallBroadcast(service);
    await keepSegments(service, show);
    await goOnAir(service, show.livestreamId);
  });
  after(() => service.dispose());

  const pids = (pattern: RegExp): number[] => pidsOf(service.scratch, pattern);
  const runner = (): number[] => pids(/onair\S* runner/u);
  const encoder = (): number[] => pids(/^\S*ffmpeg.* -i pipe:3 /u);

  const next = (): Promise<Playlist> => follow(show.playlist, 2);

  it('a broadcast survives SIGKILL of the encoder: another one, no sequence number missing', async () => {
    const [old] = encoder();
    assert.ok(old);
    process.kill(old, 'SIGKILL');
    await until('another encoder', () => encoder().some((pid) => pid !== old));
    await next();
    assert.equal(encoder().length, 1);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
  });

  it('a broadcast survives SIGKILL of the runner: the playlist goes on, nothing of the old one is left', async () => {
    const old = [...runner(), ...encoder()];
    process.kill(runner()[0] ?? 0, 'SIGKILL');
    await until('another runner', () => runner().some((pid) => !old.includes(pid)));
    await until('the old processes to end', () => old.every((pid) => !existsSync(`/proc/${pid}`)));
    const now = await next();
    assert.ok(now.text.includes('#EXTINF'));
    assert.deepEqual([runner().length, encoder().length], [1, 1]);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
  });

  it('onair device stop leaves nothing of the Device', async () => {
    execFileSync(process.execPath, [PROGRAM, 'device', 'stop'], { env: service.env, stdio: 'pipe' });
    await until('no process of the Device', () => pids(/onair\S* (?:device|runner|spare)|ffmpeg/u).length === 0);
    await until('status 3 or 0', async () => [0, 3].includes((await statusOf(service, show.livestreamId)).status));
  });
});
