/** The key of a pushed Channel, shown whole where its answer is for the person who sets up the encoder. */
import { z } from 'zod/v3';
import { presentChannel, type Channel } from '../../domain/shapes/sources/channel.ts';
import type { Control } from '../../domain/ports/control.ts';
import { ruleViolated } from '../../domain/base/errors.ts';
import { isPlain } from '../../domain/base/schema.ts';
import { andList, called } from '../../domain/base/sentence.ts';
import { isPushed, PUSHED_NAMES, PUSHED_TYPES, pushOf } from '../../domain/types/channel-questions.ts';

type Addresses = Pick<Control, 'ingest' | 'ingestUrls'>;

export const ingestKeyOutput = z
  .object({
    id: z.number().int(),
    url: z.string().describe('Whole address for the encoder, with its secret: give it only to who may send.'),
    backup_urls: z.array(z.string()).describe('The same for the other Devices that listen; encoders may push to both.'),
    stream_key: z.string().nullable().describe('Whole key; of an SRT listener its streamid; null where it has none.'),
  })
  .strict();

/** Fields that show a key which was made for a new Channel; none where the caller sent the key, who knows it. */
export function madeKey(control: Addresses, row: Readonly<Channel>, sent: Record<string, unknown>): object {
  const settings = isPlain(sent['settings']) ? sent['settings'] : {};
  const pushed = pushOf(row);
  if (pushed?.isKeyMade !== true || settings[pushed.key] !== undefined) return {};
  const key = row.settings[pushed.key];
  if (key === undefined) return {};
  const ingest = control.ingest(row);
  return {
    settings: { ...presentChannel(row).settings, [pushed.key]: key },
    ...(ingest !== null && { ingest: { ...ingest, url: control.ingestUrls(row).url } }),
  };
}

export function wholeKey(control: Addresses, row: Readonly<Channel>): z.infer<typeof ingestKeyOutput> {
  const { stream_key, streamid } = row.settings;
  return { id: row.id, ...control.ingestUrls(row), stream_key: stream_key ?? streamid ?? null };
}

/** Throws AppError rule_violated for a Channel that nobody pushes to. */
export function assertPushed(row: Readonly<Channel>): void {
  if (isPushed(row)) return;
  const message = `${called('Channel', row)} of type ${row.type} has no ingest key; ${andList(PUSHED_NAMES)} have one`;
  throw ruleViolated(`${message}.`, [{ field: 'channelId', code: 'unsupported', message, allowed: PUSHED_TYPES }]);
}
