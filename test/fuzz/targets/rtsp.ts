/** What an RTSP server sends: answers with descriptions and challenges, interleaved frames. */
import assert from 'node:assert/strict';
import { Authorizer, chooseChallenge } from '../../../device/media/rtsp/rtsp-auth.ts';
import { RtspAddresses } from '../../../device/media/rtsp/rtsp-addresses.ts';
import {
  headerOf,
  headerValues,
  RtspReader,
  writeFrame,
  writeMessage,
} from '../../../device/media/rtsp/rtsp-message.ts';
import { parseTransport } from '../../../device/media/rtsp/rtsp-transport.ts';
import { pieces, refusing, type FuzzTarget } from '../target.ts';

const ALIAS = 'rtsp://127.0.0.1:5000/token';
const answer = (headers: [string, string][], body = ''): Buffer =>
  writeMessage({ start: 'RTSP/1.0 200 OK', headers: [['CSeq', '1'], ...headers], body: Buffer.from(body) });
const SDP =
  'v=0\r\na=control:*\r\nm=video 0 RTP/AVP 96\r\na=control:trackID=1\r\nm=audio 0 RTP/AVP 97\r\na=control:/2\r\n';

export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([
      Buffer.from([0]),
      answer([['WWW-Authenticate', 'Digest realm="cam", nonce="1", qop="auth", algorithm=SHA-256, Basic realm="x"']]),
      answer(
        [
          ['Content-Base', 'rtsp://user@cam/live/'],
          ['Content-Type', 'application/sdp'],
        ],
        SDP,
      ),
      answer([['Transport', 'RTP/AVP;unicast;client_port=5000-5001;server_port=6000-6001;ssrc=1']]),
      answer([['RTP-Info', 'url=rtsp://cam/live/trackID=1;seq=1;rtptime=2,url=trackID=2;seq=1']]),
      writeFrame(0, Buffer.alloc(20)),
    ]),
    Buffer.concat([
      Buffer.from([1]),
      Buffer.from('RTSP/1.0 200 OK\nCSeq: 1\n folded\n\nSET_PARAMETER * RTSP/1.0\r\n\r\n'),
    ]),
  ],
  run(bytes) {
    const addresses = new RtspAddresses(ALIAS, 'rtsp://cam/live');
    let taken = 0;
    const reader = new RtspReader({
      onFrame: (frame) => {
        assert.equal(frame.length, 4 + frame.readUInt16BE(2));
        taken += frame.length;
      },
      onMessage(message) {
        taken += message.body.length;
        const challenge = chooseChallenge(headerValues(message, 'www-authenticate'));
        const own: string[] = message.headers.flat();
        if (challenge !== undefined)
          own.push(new Authorizer({ user: 'u', password: 'p' }, challenge).authorize('PLAY', 'rtsp://cam/live', '1'));
        const description = refusing([RangeError], () => addresses.rewriteDescription(message));
        for (const line of description?.toString('latin1').split('\r\n') ?? [])
          if (line.startsWith('a=control:'))
            assert.ok(line === 'a=control:*' || line.startsWith(`a=control:${ALIAS}/`));
        for (let at = 0; at < 64; at += 1) own.push(addresses.atServer('SETUP', `${ALIAS}/${at}`) ?? '');
        own.push(addresses.atServer('PLAY', ALIAS)!, addresses.rewriteInfo(headerOf(message, 'rtp-info') ?? ''));
        // Nothing of it can begin a line in what is sent on.
        for (const text of own) assert.ok(!/[\r\n]/u.test(text), JSON.stringify(text));
        const { interleaved, serverPorts } = parseTransport(headerOf(message, 'transport') ?? '');
        assert.ok([...(interleaved ?? []), ...(serverPorts ?? [])].every((number) => number <= 65_535));
      },
    });
    refusing([RangeError, TypeError], () => {
      for (const part of pieces(bytes.subarray(1), bytes[0] ?? 0)) reader.push(part);
    });
    assert.ok(taken <= bytes.length);
  },
};
