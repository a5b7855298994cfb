/** HTTP/2 on the media port: chosen by TLS where there is a certificate. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { it } from 'node:test';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { systemClock } from '../../../domain/clock.ts';
import { openMediaServer } from '../../../device/agent/media-server.ts';
import { TlsPair } from '../../../device/delivery/tls-pair.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { selfSigned } from '../../helpers/servers/certificate.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { testFolder } from '../../helpers/test-folder.ts';

it('a media port with a certificate speaks HTTP/2 and HTTP/1.1, as the client chooses', async (t) => {
  const deviceDir = testFolder(t, 'http2');
  const live = liveDir(deviceDir, 1, 1);
  mkdirSync(live, { recursive: true });
  const segment = Buffer.alloc(300_000, 'a');
  writeFileSync(join(live, 'segment.ts'), segment);
  const files = selfSigned(deviceDir);
  const tls = TlsPair.open({ files, clock: systemClock, log: silentLog });
  const server = await openMediaServer({ deviceDir, host: '127.0.0.1', port: 0, formerPort: 0, tls, log: silentLog });
  cleanUp(t, async () => {
    tls.close();
    await server.close();
  });
  const session = connect(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  const get = (path: string): Promise<string> => text(session.request({ ':path': path }));
  const answers = await Promise.all([get('/live/1/1/segment.ts'), get('/live/1/1/none.ts')]);
  assert.equal(session.alpnProtocol, 'h2');
  session.close();
  assert.deepEqual(
    answers.map(({ length }) => length),
    [segment.length, 'Not found.'.length],
  );

  const socket = connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.end('GET /live/1/1/none.ts HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  assert.match(await text(socket), /^HTTP\/1\.1 404 /u);
});
