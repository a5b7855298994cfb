/** The rows of a large fleet, made over the API as a program of a customer makes them. */
import { callUntilAnswered } from '../../test/helpers/fleet-calls.ts';

/** Two programs that set up a station have no more calls open at a time. */
const AT_ONCE = 8;

export interface Rack {
  idEncoderGroup: number;
  token: string;
}

export class FleetRows {
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** A Device group, and a token with which so many Devices join it. */
  async rack(number: number, devices: number): Promise<Rack> {
    const group = await this.add('/devices/groups', { name: `Rack ${number}`, devices: [] });
    const words = { name: `rack ${number}`, max_uses: devices, idEncoderGroup: group.id };
    const { token } = await this.add('/devices/joinTokens', words);
    return { idEncoderGroup: Number(group.id), token: token as string };
  }

  /**
   * Each has a source of its own, the ladder of all, a Destination of its own and one for the web, and runs in one of the racks, in turn.
   * Answers their ids.
   */
  async livestreams(count: number, racks: readonly Rack[]): Promise<number[]> {
    const elements: unknown[] = [];
    for (const height of [720, 480, 360]) {
      const settings_video = { height, bitrate: height * 3 };
      elements.push((await this.add('/encodings', { name: `${height}p`, settings_video })).id);
    }
    const { id: encodingGroupId } = await this.add('/encodings/groups', { name: 'ladder', elements });
    const web = (await this.add('/publishings', { name: 'web', type: 'HLS / TS' })).id;
    return eachOf(count, async (number) => {
      const source = { url: `http://203.0.113.7/${number}/live.m3u8` };
      const channel = { name: `Camera ${number}`, type: 'Stream', settings: source };
      const target = { url: 'rtmp://203.0.113.8/live', stream_key: `key-of-${number}` };
      const platform = { name: `Platform ${number}`, type: 'RTMP', settings: target };
      const channelId = (await this.add('/channels', channel)).id;
      const own = (await this.add('/publishings', platform)).id;
      const destinations = { name: `Destinations ${number}`, elements: [own, web] };
      const publishingGroupId = (await this.add('/publishings/groups', destinations)).id;
      const { idEncoderGroup } = racks[number % racks.length]!;
      const bound = { channelId, encodingGroupId, publishingGroupId, idEncoderGroup };
      return Number((await this.add('/livestreams', { name: `Match ${number}`, ...bound })).id);
    });
  }

  private async add(path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await callUntilAnswered([this.url], { method: 'POST', path, body, timeoutMs: 30_000 });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data as Record<string, unknown>;
  }
}

/** Does it for each number below `count`, some at a time; answers what they answered, in the order of the numbers. */
export async function eachOf<T>(count: number, task: (number: number) => Promise<T>, atOnce = AT_ONCE): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const number = next;
      next += 1;
      results[number] = await task(number);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, work));
  return results;
}
