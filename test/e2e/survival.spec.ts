/** The service goes on while its processes are killed, and comes to speak TLS, on air. The evidence is from outside: the playlist, /proc and the status. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { mediaPlaylist, statusOf } from '../helpers/broadcast.ts';
import { selfSigned } from '../helpers/servers/certificate.ts';
import { agentPid, pidsOf } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { follow, one, type One } from './one.ts';

describe('the survival of a broadcast', () => {
  let shared: One;
  before(async () => {
    shared = await one();
    await shared.onAir();
  });
  after(() => shared.offAir());

  const pids = (): number[][] =>
    [/onair\S* runner/u, /^\S*ffmpeg.* -i pipe:3 /u].map((pattern) => pidsOf(shared.service.scratch, pattern));
  const isOnAir = async (): Promise<boolean> => (await statusOf(shared.service, shared.show.livestreamId)).status === 2;
  const adoptions = async (): Promise<{ message: string }[]> => {
    const { body } = await shared.service.rest('GET', `/livestreams/${shared.show.livestreamId}/events?pageSize=500`);
    return body.rows.filter((event: { kind: string }) => event.kind === 'adopted');
  };

  it('a broadcast survives SIGKILL of control plane and agent: no sequence number is missing, and the same processes are adopted', async () => {
    const { service, show } = shared;
    const former = { pids: pids(), agent: agentPid(service), adoptions: (await adoptions()).length };
    assert.deepEqual(
      former.pids.map(({ length }) => length),
      [1, 1],
    );
    const first = await follow(show.playlist, 1);
    await service.kill('SIGKILL');
    await service.restart();
    await until('status 2', isOnAir);
    assert.deepEqual(pids(), former.pids);
    const second = await follow(show.playlist, 1, first);
    assert.equal((await service.rest('GET', '/system/restore')).body.data.restore, null, 'a crash is no restore');
    process.kill(former.agent, 'SIGKILL');
    await until('a new agent', () => agentPid(service) !== former.agent);
    const adopted = await until('adopted', async () => {
      const all = await adoptions();
      return all.length > former.adoptions && all[0]!;
    });
    assert.match(adopted.message, /^The Device agent was away for \d+\.\d s; a restarted one has taken/u);
    assert.deepEqual(pids(), former.pids);
    await until('status 2', isOnAir);
    assert.equal((await follow(show.playlist, 1, second)).discontinuities, 0);
  });

  it('a server on air that gets a certificate speaks TLS after its restart, on its port and on that of its Device, and the broadcast goes on', async () => {
    const { service, show } = shared;
    const former = pids();
    const { certificate, key } = selfSigned(service.scratch);
    const own = readFileSync(certificate, 'utf8');
    Object.assign(service.env, { ONAIR_TLS_CERT: certificate, ONAIR_TLS_KEY: key });
    // The calls of this process are no matter of trust.
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      await service.restart();
      assert.match(service.url, /^https:/u);
      await until('status 2', isOnAir);
      assert.deepEqual(pids(), former);
      const port = Number(new URL(service.url).port);
      for (const each of [port, port + 1]) assert.equal(await presented(each), own);
      const { url, segments, discontinuities } = await mediaPlaylist(await show.playlist());
      assert.equal(discontinuities, 0);
      const segment = await fetch(new URL(segments.at(-1)!, url));
      assert.deepEqual([segment.status, Buffer.from(await segment.arrayBuffer())[0]], [200, 0x47]);
      await assert.rejects(fetch(`http://127.0.0.1:${port}/healthz`), 'nobody answers plain HTTP there');
    } finally {
      delete service.env['ONAIR_TLS_CERT'];
      delete service.env['ONAIR_TLS_KEY'];
      await service.restart();
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });
});

/** The certificate that a port of this machine presents. */
async function presented(port: number): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  return certificate?.toString();
}
