/** The three sources of the hour: a phone that turns, an encoder that loses its network, and a channel with breaks. They keep what they gave. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { COUNTED_FPS } from '../../test/helpers/counted.ts';
import { rtmpEncoder, type RtmpPlace } from '../../test/helpers/rtmp-encoder.ts';
import { until } from '../../test/helpers/until.ts';
import { CLIP_SECONDS, SEGMENT_SECONDS, type Tags } from './clip.ts';

/** Seconds of media that were given, whole, counted from the first; what is missing here the source lacked. */
export interface Given {
  seconds: number[];
}

/** How long an encoder is away when it loses its network. */
const AWAY_MS = 3000;

interface Show {
  seconds: number;
  /** Seconds at which it happens. */
  events: readonly number[];
}

/** Sends one second after the other at its pace, each message at its time, until `seconds` are over. `onSecond` may change what is sent. */
async function send(
  place: RtmpPlace,
  { seconds }: Show,
  tagsAt: (second: number) => Tags,
  losesAt: (second: number) => boolean,
): Promise<Given> {
  const given: Given = { seconds: [] };
  let { publishing, socket } = await rtmpEncoder(place);
  let former: Tags | undefined;
  const from = performance.now();
  for (let second = 0; second < seconds; second += 1) {
    if (losesAt(second)) {
      // All that was written has arrived by then: what it did not give is known.
      await until('its bytes are gone', () => socket.writableLength === 0);
      await sleep(300);
      socket.resetAndDestroy();
      await sleep(AWAY_MS);
      ({ publishing, socket } = await rtmpEncoder(place));
      former = undefined;
      second = Math.ceil((performance.now() - from) / 1000);
    }
    const tags = tagsAt(second);
    const startMs = second * 1000;
    if (tags !== former) for (const header of tags.headers) publishing.media({ ...header, time: startMs });
    former = tags;
    const at = second % CLIP_SECONDS;
    for (const message of tags.seconds[at]!) {
      const time = startMs - at * 1000 + message.time;
      const waitMs = from + time - performance.now();
      if (waitMs > 1) await sleep(waitMs);
      publishing.media({ ...message, time });
    }
    given.seconds.push(second);
  }
  publishing.finish();
  socket.end();
  return given;
}

export function phone(place: RtmpPlace, show: Show, wide: Tags, tall: Tags): Promise<Given> {
  const turns = (second: number): number => show.events.filter((at) => at <= second).length;
  return send(
    place,
    show,
    (second) => (turns(second) % 2 === 0 ? wide : tall),
    () => false,
  );
}

export function encoderOnABadNetwork(place: RtmpPlace, show: Show, tags: Tags): Promise<Given> {
  const left = [...show.events];
  const loses = (second: number): boolean => second >= (left[0] ?? Infinity) && left.shift() !== undefined;
  return send(place, show, () => tags, loses);
}

export interface Channel {
  url: string;
  given: () => Given;
  close(): void;
}

const LISTED = 6;

/** Serves segments at their pace; a break of some segments begins at each of `events`, with another encoder's form and clock. */
export async function channel({ seconds, events }: Show, programme: Buffer[], advert: Buffer[]): Promise<Channel> {
  const breakSeconds = 10;
  const isBreak = (n: number): boolean =>
    events.some((at) => n * SEGMENT_SECONDS >= at && n * SEGMENT_SECONDS < at + breakSeconds);
  const from = performance.now();
  const requested = new Set<number>();
  const count = (): number =>
    LISTED + Math.min(Math.floor((performance.now() - from) / 1000 / SEGMENT_SECONDS), seconds / SEGMENT_SECONDS);
  const seamsBefore = (n: number): number =>
    Array.from({ length: n }, (_, i) => i + 1).filter((i) => isBreak(i) !== isBreak(i - 1)).length;
  const server = createServer((request, response) => {
    const [, n] = /^\/(\d+)\.ts$/u.exec(request.url ?? '') ?? [];
    if (n !== undefined) {
      requested.add(Number(n));
      return void response.end((isBreak(Number(n)) ? advert : programme)[Number(n) % programme.length]);
    }
    const first = count() - LISTED;
    const lines = Array.from({ length: LISTED }, (_, i) => first + i).flatMap((i) => [
      ...(i > first && (isBreak(i) !== isBreak(i - 1) || i % programme.length === 0) ? ['#EXT-X-DISCONTINUITY'] : []),
      `#EXTINF:${SEGMENT_SECONDS},`,
      `/${i}.ts`,
    ]);
    const head = ['#EXTM3U', '#EXT-X-VERSION:3', `#EXT-X-TARGETDURATION:${SEGMENT_SECONDS}`];
    const numbers = [`#EXT-X-MEDIA-SEQUENCE:${first}`, `#EXT-X-DISCONTINUITY-SEQUENCE:${seamsBefore(first)}`];
    response.setHeader('content-type', 'application/vnd.apple.mpegurl');
    response.end([...head, ...numbers, ...lines, ''].join('\n'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/live.m3u8`,
    given: () => ({
      seconds: [...requested].flatMap((n) =>
        Array.from({ length: SEGMENT_SECONDS }, (_, i) => n * SEGMENT_SECONDS + i),
      ),
    }),
    close: () => void server.close(),
  };
}

/** The picture numbers of these seconds, counted on over the ends of the clip. */
export function picturesOf({ seconds }: Given): Set<number> {
  return new Set(seconds.flatMap((second) => Array.from({ length: COUNTED_FPS }, (_, i) => second * COUNTED_FPS + i)));
}
