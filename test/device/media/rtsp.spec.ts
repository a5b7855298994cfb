import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { Authorizer, chooseChallenge, credentialsOf } from '../../../device/media/rtsp/rtsp-auth.ts';
import { RtspAddresses } from '../../../device/media/rtsp/rtsp-addresses.ts';
import { RtspReader, writeFrame, writeMessage, type RtspMessage } from '../../../device/media/rtsp/rtsp-message.ts';
import { parseTransport } from '../../../device/media/rtsp/rtsp-transport.ts';
import { RtpOrder } from '../../../device/media/rtsp/rtp-order.ts';

const ALIAS = 'rtsp://127.0.0.1:5000/token';
const message = (headers: [string, string][], body = ''): RtspMessage => ({
  start: 'RTSP/1.0 200 OK',
  headers,
  body: Buffer.from(body),
});

describe('a connection of RTSP', () => {
  it('is the same messages and frames in whatever pieces it comes', () => {
    const bytes = Buffer.concat([
      writeMessage(message([['CSeq', '1']], 'v=0\r\n')),
      writeFrame(0, Buffer.from('$RTSP/1.0 200')),
      Buffer.from('\r\n'),
      writeMessage({ start: 'OPTIONS * RTSP/1.0', headers: [['CSeq', '2']], body: Buffer.alloc(0) }),
      writeFrame(1, Buffer.alloc(0)),
    ]);
    for (const size of [1, 5, 64, bytes.length]) {
      const found: string[] = [];
      const reader = new RtspReader({
        onMessage: ({ start, body }) => found.push(`${start} ${body.length}`),
        onFrame: (frame) => found.push(`frame ${frame[1]} ${frame.length}`),
      });
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      assert.deepEqual(found, ['RTSP/1.0 200 OK 5', 'frame 0 17', 'OPTIONS * RTSP/1.0 0', 'frame 1 4']);
    }
  });

  it('is over with what is no RTSP, or longer than anything of it', () => {
    const push = (text: string): void => new RtspReader({ onMessage() {}, onFrame() {} }).push(Buffer.from(text));
    assert.throws(() => push('HTTP/1.1 200 OK\r\n\r\n'), TypeError);
    assert.throws(() => push(`RTSP/1.0 200 OK\r\nX: ${'x'.repeat(20_000)}`), RangeError);
    assert.throws(() => push('RTSP/1.0 200 OK\r\nContent-Length: 99999999\r\n\r\n'), RangeError);
    assert.throws(() => push('RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n'), RangeError);
  });
});

describe('answers to challenges', () => {
  const credentials = { user: 'Mufasa', password: 'Circle of Life' };

  it('are those of RFC 7616 §3.9.1, by SHA-256 before MD5 before Basic', () => {
    const common =
      'realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"';
    const challenges = ['Basic realm="x"', `Digest ${common}, algorithm=MD5`, `Digest ${common}, algorithm=SHA-256`];
    const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
    const answer = (values: string[]): string =>
      new Authorizer(credentials, chooseChallenge(values)!).authorize('GET', '/dir/index.html', cnonce);
    assert.match(answer(challenges), /response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"/u);
    assert.match(answer([challenges.join(', ')]), /algorithm=SHA-256/u);
    assert.match(answer(challenges.slice(0, 2)), /response="8ca523f5e9506fed4657c9700eebdbec"/u);
    assert.equal(answer(challenges.slice(0, 1)), `Basic ${Buffer.from('Mufasa:Circle of Life').toString('base64')}`);
  });

  it('are as in RFC 2069 for servers that name no quality, which most cameras are', () => {
    const challenge = chooseChallenge(['Digest realm="cam", nonce="1"'])!;
    const hash = (text: string): string => createHash('md5').update(text).digest('hex');
    const response = hash(`${hash('Mufasa:cam:Circle of Life')}:1:${hash('SETUP:rtsp://h/1')}`);
    assert.equal(
      new Authorizer(credentials, challenge).authorize('SETUP', 'rtsp://h/1'),
      `Digest username="Mufasa", realm="cam", nonce="1", uri="rtsp://h/1", response="${response}"`,
    );
    assert.equal(chooseChallenge(['Negotiate', 'Digest realm="x", nonce="1", algorithm=SHA-512-256']), undefined);
  });

  it('come from the address, decoded, and never with a line break', () => {
    assert.deepEqual(credentialsOf(new URL('rtsp://a%40b:p%2Fs@h/')), { user: 'a@b', password: 'p/s' });
    assert.equal(credentialsOf(new URL('rtsp://a%0d%0aX:1@h/')), undefined);
    assert.equal(credentialsOf(new URL('rtsp://h/')), undefined);
  });
});

describe('the addresses of a server', () => {
  const sdp = (...controls: string[]): string =>
    ['v=0', 'a=control:*', ...controls.flatMap((control) => ['m=video 0 RTP/AVP 96', `a=control:${control}`])].join(
      '\r\n',
    );

  it('are named by those of the relay, whichever way a server writes them', () => {
    const CASES: [base: string | undefined, control: string, track: string, whole: string][] = [
      [undefined, 'trackID=1', 'rtsp://cam/live?x=1/trackID=1', 'rtsp://cam/live?x=1'],
      ['rtsp://10.0.0.9/live/', 'streamid=0', 'rtsp://10.0.0.9/live/streamid=0', 'rtsp://10.0.0.9/live/'],
      ['rtsp://cam/live/', 'rtsp://user:pass@cam/one', 'rtsp://cam/one', 'rtsp://cam/live/'],
      ['rtsp://cam/a/b', '/c d', 'rtsp://cam/c%20d', 'rtsp://cam/a/b'],
    ];
    for (const [base, control, track, whole] of CASES) {
      const addresses = new RtspAddresses(ALIAS, 'rtsp://cam/live?x=1');
      const answer = message(base === undefined ? [] : [['Content-Base', base]], sdp(control));
      const text = addresses.rewriteDescription(answer).toString();
      assert.equal(text, sdp(`${ALIAS}/0`));
      assert.equal(addresses.atServer('SETUP', `${ALIAS}/0`), track);
      assert.equal(addresses.atServer('PLAY', ALIAS), whole);
      assert.equal(addresses.atServer('DESCRIBE', ALIAS), 'rtsp://cam/live?x=1');
      assert.equal(
        addresses.rewriteInfo(`url=${track};seq=1;rtptime=2,url=rtsp://other/none;seq=3`),
        `url=${ALIAS}/0;seq=1;rtptime=2`,
      );
    }
  });

  it('are not made of what the relay has not named', () => {
    const addresses = new RtspAddresses(ALIAS, 'rtsp://cam/live');
    for (const address of ['rtsp://other/', `${ALIAS}/0`, `${ALIAS}x`, `${ALIAS}/../x`, '*'])
      assert.equal(addresses.atServer('SETUP', address), undefined);
    assert.throws(() => addresses.rewriteDescription(message([], sdp(...new Array<string>(65).fill('x')))), RangeError);
  });
});

it('a transport is read with its channels or ports', () => {
  assert.deepEqual(parseTransport('RTP/AVP/TCP;unicast;interleaved=2-3'), {
    isTcp: true,
    interleaved: [2, 3],
    serverPorts: undefined,
  });
  assert.deepEqual(parseTransport('RTP/AVP/UDP;unicast;client_port=1-2;server_port=6970').serverPorts, [6970, 6971]);
  assert.equal(parseTransport('RTP/AVP;unicast;server_port=70000-70001').serverPorts, undefined);
});

describe('packets that came as datagrams', () => {
  const ordered = (numbers: number[], stepMs = 1): number[] => {
    const found: number[] = [];
    const order = new RtpOrder((packet) => found.push(packet.readUInt16BE(2)));
    numbers.forEach((number, at) => {
      const packet = Buffer.alloc(12);
      packet.writeUInt16BE(number & 0xffff, 2);
      order.push(packet, at * stepMs);
    });
    return found;
  };

  it('are put in order over the wrap of their numbers, and twice is once', () => {
    assert.deepEqual(ordered([65_534, 0, 65_535, 2, 1, 1, 3]), [65_534, 65_535, 0, 1, 2, 3]);
  });

  it('go on behind one that is lost, after a tenth of a second or 64 of them', () => {
    assert.deepEqual(ordered([1, 3, 4, 5], 60), [1, 3, 4, 5]);
    const many = Array.from({ length: 70 }, (_, at) => at + 3);
    assert.deepEqual(ordered([1, ...many]), [1, ...many]);
  });

  it('begin anew where the numbers do', () => {
    assert.deepEqual(ordered([100, 101, 103, 40_000, 40_001]), [100, 101, 103, 40_000, 40_001]);
  });
});
