/**
 * s3rver with the buckets `clips` and `readonly`. s3rver checks no signature of version 4 and knows no policy, so both are checked in
 * front of it, as the S3 API reference says: SignatureDoesNotMatch, AccessDenied.
 */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import S3rver from 's3rver';
import account from 's3rver/lib/models/account.js';
import { removeFolder, scratchFolder, type Running } from './program.ts';
import { isSigned } from './signature-v4.ts';

export async function startS3(accessKey: string, secretKey: string): Promise<Running> {
  const dir = scratchFolder('s3');
  account.DUMMY_ACCOUNT.createKeyPair(accessKey, secretKey);
  const store = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: dir,
    configureBuckets: [{ name: 'clips' }, { name: 'readonly' }],
  });
  const { port: behind } = (await store.run()) as AddressInfo;
  const gate = createServer((incoming, outgoing) => {
    const keyId = /Credential=([^/]+)\//u.exec(incoming.headers.authorization ?? '')?.[1];
    // A key that it does not know is s3rver's to refuse.
    if (keyId === accessKey && !isSigned(incoming, secretKey)) deny(outgoing, 'SignatureDoesNotMatch');
    else if (incoming.method === 'PUT' && incoming.url?.startsWith('/readonly/')) deny(outgoing, 'AccessDenied');
    else forward(incoming, outgoing, behind);
  }).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  return {
    port: (gate.address() as AddressInfo).port,
    async stop() {
      gate.closeAllConnections();
      gate.close();
      await once(gate, 'close');
      await store.close();
      account.DUMMY_ACCOUNT.revokeAccessKey(accessKey);
      removeFolder(dir);
    },
  };
}

function deny(outgoing: ServerResponse, code: string): void {
  outgoing.writeHead(403, { 'Content-Type': 'application/xml', Connection: 'close' });
  outgoing.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>refused</Message></Error>`);
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming;
  const inner = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  inner.on('error', () => outgoing.destroy());
  // A client that is gone in the middle of a body sends no end of it.
  incoming.once('close', () => !incoming.complete && inner.destroy());
  incoming.pipe(inner);
}
