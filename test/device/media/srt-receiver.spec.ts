/** A receiver of SRT: what a sender gets answered, and which media come out, in which order and when. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptance, liveRequestOf, readHandshake } from '../../../device/media/srt/srt-handshake.ts';
import { conclusionOf, LATENCY_MS, SrtLink, type LinkOptions } from './srt-link.ts';

const [ACK, NAK, KEEPALIVE] = [2, 3, 1];
const [ACK_ANSWER, SHUTDOWN] = [6, 5];

/** Sends so many packets, ten milliseconds apart, and waits for what is under way. */
function sendMany(link: SrtLink, count: number): string {
  const texts = Array.from({ length: count }, (_none, n) => `packet ${n};`);
  for (const text of texts) {
    link.sendMedia(text);
    link.pass(10);
  }
  link.pass(LATENCY_MS + 100);
  return texts.join('');
}

const acknowledged = (link: SrtLink): number => link.controls.get(ACK)!.at(-1)!.readUInt32BE(16);

describe('a conclusion', () => {
  it('is accepted with the longer latency of both, and the window of libsrt', () => {
    const conclusion = conclusionOf(0x1234, 1000);
    const request = liveRequestOf(conclusion, 80)!;
    assert.deepEqual(request, {
      socketId: 0x2a,
      firstSequence: 0x1234,
      sentAt: 1000,
      latencyMs: 120,
      ownLatencyMs: 120,
    });
    assert.equal(liveRequestOf(conclusion, 300)!.latencyMs, 300);
    const answer = acceptance(conclusion, request, { socketId: 0x77, window: 25_600 });
    const expected =
      '80000000 00000000 00000000 0000002a 00000005 00000001 00001234 000005dc 00006400 ffffffff 00000077 cafe0001';
    assert.equal(
      answer.toString('hex'),
      `${expected} 0100007f ${'0'.repeat(24)} 00020003 00010501 0000003f 00780078`.replaceAll(' ', ''),
    );
    assert.equal(readHandshake(answer)?.kind, 'conclusion');
  });

  it('of a file, of a group, with another congestion control and of version 4 is none of a live stream', () => {
    const others = [
      conclusionOf(1, 0, 0xfe),
      conclusionOf(1, 0, 0xff),
      ...['00080001 00000000', '00060001 656c6966'].map((extension) => conclusionOf(1, 0, 0xbf, extension)),
      conclusionOf(1, 0).subarray(0, 64),
      conclusionOf(1, 0).fill(4, 19, 20),
    ];
    for (const conclusion of others) assert.equal(liveRequestOf(conclusion, 120), undefined);
    for (const known of ['00050001 65766976', '00070001 00000000'])
      assert.ok(liveRequestOf(conclusionOf(1, 0, 0xbf, known), 120));
  });
});

describe('the media of a live stream', () => {
  const lines: Record<string, LinkOptions> = {
    'a good line': {},
    'a line that loses a tenth, both ways': { loss: 0.1 },
    'sequence numbers that wrap': { firstSequence: 0x7fff_ffe0, loss: 0.1 },
    'a clock that wraps': { startedAt: 2 ** 32 - 1_500_000, loss: 0.1 },
    'a reader that may wait': { mayWait: true, loss: 0.1 },
  };
  for (const [name, options] of Object.entries(lines))
    it(`comes whole and in order over ${name}`, () => {
      const link = new SrtLink(options);
      const sent = sendMany(link, 600);
      assert.ok(link.text === sent, `${link.text.length} of ${sent.length} characters`);
      if (options.loss !== undefined) assert.ok(link.requested.length > 50, `${link.requested.length} were asked for`);
      assert.equal(acknowledged(link), ((options.firstSequence ?? 1) + 600) & 0x7fff_ffff);
    });

  it('is given on when the latency is over, and not before', () => {
    const link = new SrtLink();
    link.sendMedia('first;');
    link.pass(LATENCY_MS - 20);
    assert.equal(link.text, '');
    link.pass(40);
    assert.equal(link.text, 'first;');
  });

  it('is waited for as long as what follows is not due, asked for again and again, and left out then', () => {
    const link = new SrtLink();
    const before = sendMany(link, 10);
    link.sendMedia('a;');
    const lost = link.sendMedia('b;', true);
    link.sendMedia('c;');
    link.pass(20);
    // The line takes nothing any more.
    link.lossTo = 1;
    link.pass(LATENCY_MS - 40);
    assert.equal(link.text, before);
    assert.ok(link.requested.filter((sequence) => sequence === lost).length > 1);
    link.pass(100);
    assert.equal(link.text, `${before}a;c;`);
    assert.equal(acknowledged(link), lost + 2);
    const { length } = link.requested;
    link.pass(500);
    assert.equal(link.requested.length, length, 'nobody waits for it any more');
  });

  it('is not asked for once its sender has dropped it, and what follows has its time', () => {
    const link = new SrtLink();
    const lost = link.sendMedia('a;', true);
    link.sendMedia('b;', true);
    link.sendMedia('c;');
    link.pass(10);
    link.drop(lost, lost + 1);
    link.pass(100);
    assert.equal(acknowledged(link), lost + 3);
    assert.equal(link.text, '');
    link.pass(LATENCY_MS);
    assert.equal(link.text, 'c;');
  });

  it('comes at once when its sender says goodbye', () => {
    const link = new SrtLink();
    link.sendMedia('a;');
    link.sendMedia('b;', true);
    link.sendMedia('c;');
    link.pass(30);
    link.lossFrom = 1;
    link.sendControl(SHUTDOWN);
    link.pass(30);
    assert.ok(['a;c;', 'a;b;c;'].includes(link.text), link.text);
  });

  for (const [name, jumpMs] of Object.entries({ ahead: 3_600_000, back: -3_600_000 }))
    it(`goes on when its sender's clock is an hour ${name} all at once`, () => {
      const link = new SrtLink();
      const before = sendMany(link, 20);
      link.jumpMs = jumpMs;
      const after = sendMany(link, 600);
      assert.ok(link.text === before + after, `${link.text.length} characters`);
    });

  it('keeps its delay while the clock of its sender drifts', () => {
    const link = new SrtLink({ driftUs: 1000 });
    for (let second = 0; second < 120; second += 1) sendMany(link, 70);
    link.received.length = 0;
    // By now that clock has gained more than the latency.
    link.sendMedia('first;');
    link.pass(LATENCY_MS - 30);
    assert.equal(link.text, '');
    link.pass(70);
    assert.equal(link.text, 'first;');
  });

  it('goes on behind a sender that stood still, and is farther than a window', () => {
    const link = new SrtLink();
    link.sendMedia('a;');
    link.pass(LATENCY_MS + 50);
    for (let n = 0; n < 30_000; n += 1) link.sendMedia('', true);
    link.sendMedia('b;');
    link.pass(LATENCY_MS + 50);
    assert.equal(link.text, 'a;b;');
  });
});

describe('the answers of a receiver', () => {
  it('acknowledge what is there thirty-three times a second at most, and nothing that the sender knows', () => {
    const link = new SrtLink();
    sendMany(link, 100);
    const acks = link.controls.get(ACK)!.length;
    assert.ok(acks > 20 && acks <= 35, `${acks} acknowledgements in a second`);
    link.pass(2000);
    assert.equal(link.controls.get(ACK)!.length, acks);
    assert.equal(link.controls.get(NAK), undefined);
    assert.ok(link.controls.get(KEEPALIVE)!.length >= 1);
    const ack = link.controls.get(ACK)!.at(-1)!;
    const [roundTrip, , room, packets] = [20, 24, 28, 32].map((at) => ack.readUInt32BE(at));
    assert.ok(roundTrip! >= 30_000 && roundTrip! <= 50_000, `${roundTrip} µs there and back`);
    assert.ok(room! > 25_000 && room! <= 25_600);
    assert.ok(packets === 0 || Math.abs(packets! - 100) < 10, `${packets} packets a second`);
  });

  it('are repeated until the sender has answered them', () => {
    const link = new SrtLink();
    link.lossTo = 0;
    link.sendMedia('a;');
    link.pass(20);
    link.lossTo = 1;
    link.pass(2000);
    const { length } = link.controls.get(ACK)!;
    assert.ok(length >= 3, `${length}`);
    link.lossTo = 0;
    link.pass(2000);
    const answered = link.controls.get(ACK)!.length;
    link.pass(2000);
    assert.equal(link.controls.get(ACK)!.length, answered);
  });

  it('heed no answer to what was not asked', () => {
    const link = new SrtLink();
    for (const number of [0, 7, 0xffff_ffff]) link.sendControl(ACK_ANSWER, number);
    link.pass(50);
    const sent = sendMany(link, 50);
    assert.equal(link.text, sent);
  });
});
