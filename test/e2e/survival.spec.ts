/** The service goes on while its processes are killed. Each drill reads the evidence from outside: the playlist, /proc and the status. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import {
  goOnAir,
  mediaPlaylist,
  smallBroadcast,
  statusOf,
  type Playlist,
  type SmallBroadcast,
} from '../helpers/broadcast.ts';
import { agentPid, pidsOf, processesOf, PROGRAM, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

describe('the survival of a broadcast', () => {
  let service: Service;
  let show: SmallBroadcast;

  before(async () => {
    service = await startService();
    show = await smallBroadcast(service);
    await goOnAir(service, show.livestreamId);
  });
  after(() => service.dispose());

  const pids = (pattern: RegExp): number[] => pidsOf(service.scratch, pattern);
  const runner = (): number[] => pids(/onair\S* runner/u);
  const encoder = (): number[] => pids(/^\S*ffmpeg.* -i pipe:3 /u);

  /** Follows the playlist until `count` new segments came; every sequence number must be there. */
  async function follow(count: number, boundMs = 30_000): Promise<Playlist> {
    const first = await mediaPlaylist(await show.playlist());
    let seen = first.mediaSequence + first.segments.length;
    const goal = seen + count;
    return until(
      `${count} more segments`,
      async () => {
        const now = await mediaPlaylist(await show.playlist());
        assert.ok(now.mediaSequence <= seen, `sequence numbers ${seen}…${now.mediaSequence} are missing`);
        seen = now.mediaSequence + now.segments.length;
        return seen >= goal && now;
      },
      { boundMs: boundMs },
    );
  }

  it('a broadcast survives SIGKILL of the control plane: the playlist goes on, the same processes are adopted, status 2', async () => {
    const before = { runner: runner(), encoder: encoder() };
    assert.deepEqual(
      [before.runner.length, before.encoder.length],
      [1, 1],
      JSON.stringify(processesOf(service.scratch)),
    );
    const first = await mediaPlaylist(await show.playlist());
    await service.kill('SIGKILL');
    await service.restart();
    await until('status 2', async () => (await statusOf(service, show.livestreamId)).status === 2);
    assert.deepEqual({ runner: runner(), encoder: encoder() }, before);
    const later = await follow(2);
    assert.equal(later.discontinuities, 0, later.text);
    assert.ok(later.mediaSequence >= first.mediaSequence);
  });

  it('a broadcast survives SIGKILL of the agent: the same processes go on and are adopted', async () => {
    const before = { runner: runner(), encoder: encoder() };
    const old = agentPid(service);
    process.kill(old, 'SIGKILL');
    await until('a new agent', () => agentPid(service) !== old && pids(/onair\S* device/u).length === 1);
    await until('adopted in the event log', async () => {
      const { body } = await service.rest('GET', `/livestreams/${show.livestreamId}/events?pageSize=500`);
      return body.rows.some((event: { kind: string }) => event.kind === 'adopted');
    });
    assert.deepEqual({ runner: runner(), encoder: encoder() }, before);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
    assert.equal((await follow(2)).discontinuities, 0);
  });

  it('a broadcast survives SIGKILL of the encoder: another one, no sequence number missing', async () => {
    const [old] = encoder();
    assert.ok(old);
    process.kill(old, 'SIGKILL');
    await until('another encoder', () => encoder().some((pid) => pid !== old));
    await follow(2);
    assert.equal(encoder().length, 1);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
  });

  it('a broadcast survives SIGKILL of the runner: the playlist goes on, nothing of the old one is left', async () => {
    const old = [...runner(), ...encoder()];
    process.kill(runner()[0] ?? 0, 'SIGKILL');
    await until('another runner', () => runner().some((pid) => !old.includes(pid)));
    await until('the old processes to end', () => old.every((pid) => !existsSync(`/proc/${pid}`)));
    const now = await follow(2);
    assert.ok(now.text.includes('#EXTINF'));
    assert.deepEqual([runner().length, encoder().length], [1, 1]);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
  });

  it('onair device stop leaves nothing of the Device', async () => {
    execFileSync(process.execPath, [PROGRAM, 'device', 'stop'], { env: service.env, stdio: 'pipe', timeout: 30_000 });
    await until('no process of the Device', () => pids(/onair\S* (?:device|runner|spare)|ffmpeg/u).length === 0);
    await until('status 3 or 0', async () => [0, 3].includes((await statusOf(service, show.livestreamId)).status));
  });
});
