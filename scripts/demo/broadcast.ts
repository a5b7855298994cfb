/** Goes on air as an assistant does: Channel, ladder, Destination, Live stream, start. */
import { openAsBlob, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { assertTrustedListener } from '../../bin/server/listener.ts';
import type { Assistant, DemoServer } from './service.ts';

interface Created {
  data: { id: number };
}
interface StartAnswer {
  message: string;
  watch: { url: string }[];
}
interface StatusAnswer {
  name: string;
  status: number;
  uptime_seconds: number;
  encodings: { fps: number; bitrate_kbps: number; speed: number; dropped: number }[];
  publishings: { name: string; primary: { state: string } }[];
}

export interface Broadcast {
  start(): Promise<{ message: string; playlist: string }>;
  statusLine(): Promise<string>;
  stop(): Promise<void>;
}

/** Files that are larger than an assistant may send go over REST, as a form. */
const MAX_ASSISTANT_UPLOAD_BYTES = 8 * 1024 * 1024;
/** The name of the Live stream. */
export const DEMO_NAME = 'Demo';
const LADDER = [
  { name: '720p', height: 720, bitrate: 2500 },
  { name: '360p', height: 360, bitrate: 700 },
];

export async function setUpBroadcast(
  assistant: Assistant,
  server: DemoServer,
  source: string,
  say: (text: string) => void,
): Promise<Broadcast> {
  const add = async (operationId: string, args: Record<string, unknown>): Promise<number> => {
    const { data } = await assistant.operation<Created>(operationId, args);
    say(`call_tool ${operationId} → ${data.id}`);
    return data.id;
  };
  const channel = /^[a-z]+:\/\//iu.test(source)
    ? { type: 'Stream', settings: { url: source } }
    : { type: 'File', settings: { filename: await upload(assistant, server, source, say) } };
  const channelId = await add('addChannel', { name: 'Demo source', ...channel });
  const elements: number[] = [];
  for (const { name, height, bitrate } of LADDER) {
    elements.push(
      await add('addEncoding', {
        name,
        settings_video: { codec: 'h264', height, bitrate, fps: 30 },
        settings_audio: { codec: 'mp4a', bitrate: 128 },
      }),
    );
  }
  const encodingGroupId = await add('addEncodingGroup', { name: 'Demo ladder', elements });
  const publishingId = await add('addPublishing', { name: 'Demo player', type: 'HLS / TS' });
  const livestreamId = await add('addLivestream', { name: DEMO_NAME, channelId, encodingGroupId, publishingId });
  return {
    async start() {
      let last = '';
      const progress = (text: string): void => {
        if (text !== last) say(`  ${text}`);
        last = text;
      };
      const args = { livestream: livestreamId, wait_seconds: 40 };
      const { message, watch } = await assistant.call<StartAnswer>('start_livestream', args, progress);
      const [first] = watch;
      if (first === undefined) throw new Error(`start_livestream named nothing to watch: ${message}`);
      return { message, playlist: first.url };
    },
    async statusLine() {
      const status = await assistant.call<StatusAnswer>('get_livestream_status', { livestream: livestreamId });
      const rates = status.encodings
        .map((encoding) => `${encoding.fps.toFixed(0)} fps ${encoding.bitrate_kbps.toFixed(0)} kbit/s`)
        .join(' | ');
      const outputs = status.publishings.map((output) => `${output.name} ${output.primary.state}`).join(', ');
      return `status ${status.status}  ${status.uptime_seconds} s  ${rates}  ${outputs}`;
    },
    async stop() {
      await assistant.call('stop_livestream', { livestream: livestreamId });
    },
  };
}

async function upload(
  assistant: Assistant,
  server: DemoServer,
  path: string,
  say: (text: string) => void,
): Promise<string> {
  const filename = basename(path);
  if (statSync(path).size <= MAX_ASSISTANT_UPLOAD_BYTES) {
    await assistant.operation('uploadAsset', {
      fileType: 'files',
      filename,
      content_base64: (await readFile(path)).toString('base64'),
    });
    say(`call_tool uploadAsset → ${filename}`);
    return filename;
  }
  const form = new FormData();
  form.set('fileType', 'files');
  form.set('file', await openAsBlob(path), filename);
  await assertTrustedListener(server.url);
  const response = await fetch(`${server.url}/svcapiv2/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}` },
    body: form,
  });
  if (!response.ok) throw new Error(`upload of ${path}: ${await response.text()}`);
  say(`POST /svcapiv2/assets → ${filename}`);
  return filename;
}
