/** A real RTSP server, that of GStreamer, whose media an ffmpeg gives. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { cleanUp, type TestScope } from '../clean-up.ts';
import { freePort } from '../ports.ts';
import { wordsOf } from '../words.ts';

const PROGRAM = fileURLToPath(new URL('rtsp-server.py', import.meta.url));
/** Debian's own Python has the bindings of its packages. */
const PYTHON = '/usr/bin/python3';
const BINDINGS = 'import gi; gi.require_version("GstRtspServer", "1.0"); from gi.repository import GstRtspServer';

/** The reason to skip a test, for the option `skip`. */
export const rtspServerMissing =
  spawnSync(PYTHON, ['-c', BINDINGS]).status === 0 ? false : 'needs python3-gi and gir1.2-gst-rtsp-server-1.0';

export interface RtspServerOptions {
  port?: number;
  transports?: ('tcp' | 'udp')[];
  user?: string;
  password?: string;
  method?: 'basic' | 'digest';
  /** Paths; with them it speaks TLS. */
  key?: string;
  certificate?: string;
  /** It plays the file once, picture and sound by one clock; left out, an ffmpeg gives it over and over, and sound is 0.3 s early. */
  isOnce?: boolean;
}

export interface RtspServer {
  port: number;
  kill(): Promise<void>;
}

/** Serves the H.264 and the mono AAC of `file` at `/live`; gone after the test. */
export async function startRtspServer(
  t: TestScope,
  file: string,
  options: RtspServerOptions = {},
): Promise<RtspServer> {
  const [port, video, audio] = [options.port ?? (await freePort()), await freePort(), await freePort()];
  const feed = ['-v', 'error', '-re', '-stream_loop', '-1', '-i', file, '-c', 'copy'];
  feed.push(...wordsOf('-map 0:v -bsf:v h264_mp4toannexb -f rtp -payload_type 96'), `rtp://127.0.0.1:${video}`);
  feed.push('-map', '0:a', '-c', 'copy', '-f', 'rtp', '-payload_type', '97', `rtp://127.0.0.1:${audio}`);
  const { isOnce = false, ...others } = options;
  const feeder = isOnce ? undefined : spawn('ffmpeg', feed, { stdio: 'ignore' });
  const media = isOnce ? { file } : { rtp: [video, audio] };
  const all = { transports: ['tcp', 'udp'], method: 'digest', ...others, port, ...media };
  const server = spawn(PYTHON, [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  // Its arguments would show the password to whoever looks at processes.
  server.stdin.end(JSON.stringify(all));
  let words = '';
  server.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
  const ended = Promise.all([server, ...(feeder === undefined ? [] : [feeder])].map((child) => once(child, 'exit')));
  const kill = async (): Promise<void> => {
    feeder?.kill('SIGKILL');
    server.kill('SIGKILL');
    await ended;
  };
  cleanUp(t, kill);
  await Promise.race([
    once(server.stdout, 'data'),
    once(server, 'exit').then(() => Promise.reject(new Error(`The RTSP server has ended: ${words}`))),
  ]);
  return { port, kill };
}
