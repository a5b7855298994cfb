/** The facts about the source of a Live stream that are known before its start, without a connection to it. */
import { z } from 'zod/v3';
import type { Control } from '../../ports/control.ts';
import { ingestOutput, type ChannelIngest, type Ingest } from '../../shapes/sources/ingest.ts';
import { sourceProbe } from '../../shapes/sources/probe.ts';
import { reference } from '../../base/schema.ts';
import type { View } from '../../ports/store.ts';

export const knownSourceOutput = z
  .object({
    channelId: reference('Channel'),
    ingest: ingestOutput.nullable().describe('What a pushed source sends now; null for other types.'),
    probe: sourceProbe.nullable().describe('The last probeChannel since this server started; null: none.'),
  })
  .strict();
export type KnownSource = z.infer<typeof knownSourceOutput>;

/** Answers null when the Channel is gone. */
export function knownSource(
  view: View,
  control: Pick<Control, 'ingest' | 'lastProbe'>,
  channelId: number,
): KnownSource | null {
  const channel = view.get('channels', channelId);
  if (channel === undefined) return null;
  return { channelId, ingest: ownIngest(control.ingest(channel)), probe: control.lastProbe(channelId) ?? null };
}

function ownIngest(ingest: ChannelIngest | null): Ingest | null {
  if (ingest === null) return null;
  const { backups: _others, ...own } = ingest;
  return own;
}

/** Answers what is known of the picture, the present before the past; null when nothing is. */
export function knownPicture({ ingest, probe }: KnownSource): Ingest['video'] {
  return ingest?.video ?? probe?.video ?? null;
}
