/** Callers of other programs, over a line that loses datagrams both ways: a reader gets what they have sent, byte by byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { someOf } from '../../helpers/counts.ts';
import { lossyRelay } from '../../helpers/lossy-relay.ts';
import { freePort } from '../../helpers/ports.ts';
import { testFolder } from '../../helpers/test-folder.ts';
import { wordsOf } from '../../helpers/words.ts';
import { clip } from '../runner/runner-fixture.ts';
import { startPush } from './push-fixture.ts';
import { assertOwnBytes, encoder, srtOrder, transportStreamOf } from './srt-callers.ts';

const PASSPHRASE = 'canary-phrase-1';
const LINE = { lossPercent: 5, delayMs: 20 };
/** On a busy machine what is lost needs time to be sent again. */
const LATENCY_MS = 4000;

interface Caller {
  name: string;
  program: string;
  args: (url: string) => string;
  query?: string;
  isSecret?: boolean;
}

const TRANSMIT = { program: 'srt-live-transmit', args: (url: string) => `-q -chunk:1316 file://con ${url}` };
const CALLERS: Caller[] = [
  { name: 'srt-live-transmit', ...TRANSMIT },
  {
    name: 'ffmpeg',
    program: 'ffmpeg',
    args: (url) => `-v error -probesize 32 -f data -i pipe:0 -map 0 -c copy -f data ${url}`,
  },
  {
    name: 'GStreamer',
    program: 'gst-launch-1.0',
    args: (url) => `-q fdsrc fd=0 blocksize=1316 do-timestamp=true ! srtsink sync=false uri=${url}`,
  },
  {
    name: 'srt-live-transmit with a passphrase',
    ...TRANSMIT,
    query: `&passphrase=${PASSPHRASE}&pbkeylen=32`,
    isSecret: true,
  },
  { name: 'srt-live-transmit with a packet filter', ...TRANSMIT, query: '&packetfilter=fec,cols:10,rows:5' },
];

for (const { name, program, args, query = '', isSecret = false } of someOf(CALLERS, 2))
  test(`${name} is received without a gap over a line that loses 5 % both ways`, async (t) => {
    const dir = testFolder(t, 'srt-peers');
    const port = await freePort();
    const secrecy = isSecret ? ({ passphrase: PASSPHRASE, encryption: 128 } as const) : {};
    const push = await startPush(t, dir, srtOrder(1, port, { latency_ms: LATENCY_MS, ...secrecy }));
    const line = await lossyRelay(t, port, LINE);
    const url = `srt://127.0.0.1:${line.port}?mode=caller&latency=${LATENCY_MS}${query}`;
    await assertOwnBytes(push, 1, encoder(t, program, wordsOf(args(url))), transportStreamOf(clip(dir)));
    t.diagnostic(`${line.lost()} datagrams lost`);
    assert.ok(line.lost() > 20);
  });
