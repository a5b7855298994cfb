/** The key of a pushed Channel, shown whole where its answer is for the person who sets up the encoder. */
import { z } from 'zod/v3';
import { presentChannel, type Channel } from '../../domain/shapes/sources/channel.ts';
import type { Control } from '../../domain/ports/control.ts';
import { ruleViolated } from '../../domain/base/errors.ts';
import { isPushed } from '../../domain/shapes/sources/ingest.ts';
import { isPlain } from '../../domain/base/schema.ts';
import { called } from '../../domain/base/sentence.ts';

type Addresses = Pick<Control, 'ingest' | 'ingestUrl'>;

export const ingestKeyOutput = z
  .object({
    id: z.number().int(),
    url: z.string().describe('Whole address for the encoder, with its secret: give it only to who may send.'),
    stream_key: z.string().nullable().describe('Whole key; of an SRT listener its streamid; null where it has none.'),
  })
  .strict();

/** Fields that show a key which was made for a new Channel; none where the caller sent the key, who knows it. */
export function madeKey(control: Addresses, row: Readonly<Channel>, sent: Record<string, unknown>): object {
  const settings = isPlain(sent['settings']) ? sent['settings'] : {};
  const key = row.settings.stream_key;
  if (row.type !== 'RTMP-Push' || key === undefined || settings['stream_key'] !== undefined) return {};
  const ingest = control.ingest(row);
  return {
    settings: { ...presentChannel(row).settings, stream_key: key },
    ...(ingest !== null && { ingest: { ...ingest, url: control.ingestUrl(row) } }),
  };
}

export function wholeKey(control: Addresses, row: Readonly<Channel>): z.infer<typeof ingestKeyOutput> {
  const { stream_key, streamid } = row.settings;
  return { id: row.id, url: control.ingestUrl(row), stream_key: stream_key ?? streamid ?? null };
}

/** Throws AppError rule_violated for a Channel that nobody pushes to. */
export function assertPushed(row: Readonly<Channel>): void {
  if (isPushed(row)) return;
  const message = `${called('Channel', row)} of type ${row.type} has no ingest key; RTMP-Push and SRT in mode listener have one`;
  throw ruleViolated(`${message}.`, [
    { field: 'channelId', code: 'unsupported', message, allowed: ['RTMP-Push', 'SRT'] },
  ]);
}
