/**
 * A server in front of another RTMP server that asks for a user (schemes adobe and llnw, as FMLE speaks them) or sends publishers elsewhere.
 * It closes each connection that it has rejected, as Flash Media Server does; the bytes of one that it lets in go on to the other server.
 */
import { createHash } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { readAmf, writeAmf, type Amf } from '../../../device/media/rtmp/rtmp-amf0.ts';
import { ChunkReader, writeChunks } from '../../../device/media/rtmp/rtmp-chunks.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

export interface GateRules {
  /** It asks for this user. */
  login?: { scheme: 'adobe' | 'llnw'; username: string; password: string };
  /** It sends everybody on to this address. */
  redirect?: string;
  /** Port of the other server. */
  to: number;
}

const GREETING = 1537;
const SALT = 'c2FsdA==';
const OPAQUE = 'b3BhcXVl+/8=';
const NONCE = '5a1f';

/** Resolves with the port. */
export async function rtmpGate(t: TestScope, rules: GateRules): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    let came: Buffer = Buffer.alloc(0);
    let isDecided = false;
    const chunks = new ChunkReader(({ type, body }) => {
      if (type !== 20 || isDecided) return;
      const [, transaction, object] = readAmf(body);
      isDecided = true;
      const app = String((object as { app: Amf }).app);
      const rejection = rejectionOf(app, rules);
      if (rejection !== undefined) return reject(socket, transaction, rejection);
      // The other server's greeting is not passed on: its publisher has one already.
      const other = connect(rules.to, '127.0.0.1').on('error', () => socket.destroy());
      other.write(came);
      sockets.add(other);
      let greeting = 2 * GREETING - 1;
      other.on('data', (bytes) => {
        const skipped = Math.min(greeting, bytes.length);
        greeting -= skipped;
        socket.write(bytes.subarray(skipped));
      });
      socket.removeAllListeners('data').pipe(other);
    });
    socket.on('data', (bytes: Buffer) => {
      const before = came.length;
      came = Buffer.concat([came, bytes]);
      if (before < GREETING && came.length >= GREETING)
        socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(GREETING - 1), came.subarray(1, GREETING)]));
      chunks.push(came.subarray(Math.max(before, 2 * GREETING - 1)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function reject(socket: Socket, transaction: Amf, more: { [key: string]: Amf }): void {
  // Flash Media Server dates its answers.
  const info = { level: 'error', code: 'NetConnection.Connect.Rejected', ...more };
  const body = writeAmf('_error', transaction, null, info);
  const date = Buffer.concat([Buffer.from([0, 2]), Buffer.from('at'), Buffer.from([11]), Buffer.alloc(10)]);
  const dated = Buffer.concat([body.subarray(0, -3), date, body.subarray(-3)]);
  socket.end(writeChunks({ type: 20, stream: 0, body: dated }, 3, 128));
}

function rejectionOf(app: string, { login, redirect }: GateRules): { [key: string]: Amf } | undefined {
  if (redirect !== undefined) return { description: 'Try elsewhere.', ex: { code: 302, redirect } };
  if (login === undefined) return undefined;
  const { scheme, username, password } = login;
  const [place = '', query = ''] = app.split('?');
  // Signs of base64 stand as they are, where a form would have a space for a plus.
  const given = new Map(query.split('&').map((pair) => [pair.split('=', 1)[0]!, pair.slice(pair.indexOf('=') + 1)]));
  const rejection = (words: string): { description: string } => ({
    description: `[ AccessManager.Reject ] : ${words}`,
  });
  if (given.get('authmod') !== scheme) return rejection(`[ code=403 need auth; authmod=${scheme} ] : `);
  if (given.get('user') !== username) return rejection(`[ authmod=${scheme} ] : ?reason=nosuchuser`);
  const [nonce, response] = [given.get(scheme === 'adobe' ? 'challenge' : 'cnonce'), given.get('response')];
  if (response === undefined) {
    const adobe = `salt=${SALT}&challenge=${OPAQUE}&opaque=${OPAQUE}`;
    return rejection(
      `[ authmod=${scheme} ] : ?reason=needauth&user=${username}&${scheme === 'adobe' ? adobe : `nonce=${NONCE}`}`,
    );
  }
  const md5 = (text: string, form: 'base64' | 'hex'): string => createHash('md5').update(text).digest(form);
  const expected =
    scheme === 'adobe'
      ? md5(md5(username + SALT + password, 'base64') + OPAQUE + nonce, 'base64')
      : md5(
          `${md5(`${username}:live:${password}`, 'hex')}:${NONCE}:00000001:${nonce}:auth:${md5(`publish:/${place}/_definst_`, 'hex')}`,
          'hex',
        );
  return response === expected ? undefined : rejection(`[ authmod=${scheme} ] : ?reason=authfailed&opaque=${OPAQUE}`);
}
