/** Reads a pushed source from the push process of this Device. */
import { connect, type OnReadOpts, type Socket } from 'node:net';
import type { IngestReport } from '../../domain/shapes/sources/ingest.ts';
import { callSocket } from '../socket-http.ts';
import { pushFiles } from './push-paths.ts';

const ASK_MS = 1000;

/**
 * Connects to the media of a Channel: FLV or Matroska of an RTMP-Push Channel (`formOf` tells), MPEG-TS of an SRT listener. It begins with the last keyframe, waits while
 * nobody pushes, and ends when the pusher has left or the Channel is not listened for. It emits `error` when no push process answers. A
 * reader that is slow misses what comes before a later keyframe. With `ofOneFormat` it ends before media with other codecs or configurations.
 * With `onread` its media comes there, and not in events.
 */
export function readPushed(deviceDir: string, channelId: number, ofOneFormat = false, onread?: OnReadOpts): Socket {
  const socket = connect({ path: pushFiles(deviceDir).media, ...(onread && { onread }) });
  // Readers wait for as long as nobody pushes: the socket stays open in both directions.
  socket.write(`${ofOneFormat ? '+' : ''}${channelId}\n`);
  return socket;
}

/** Resolves with the state of the Channel's listener; undefined when there is none, or no push process answers. */
export async function pushedReport(deviceDir: string, channelId: number): Promise<IngestReport | undefined> {
  const socket = pushFiles(deviceDir).control;
  try {
    const { body } = await callSocket({ socket, method: 'GET', path: '/ingests', timeoutMs: ASK_MS });
    return (body as IngestReport[]).find((report) => report.channelId === channelId);
  } catch {
    // The agent starts the process again; who asks is told that there is none.
    return undefined;
  }
}
