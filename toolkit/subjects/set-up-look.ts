/** The look at the source of a set-up, for its dry run. */
import { z } from 'zod/v3';
import type { Channel } from '../../domain/channel.ts';
import { AppError } from '../../domain/errors.ts';
import { isPushed } from '../../domain/ingest.ts';
import { sourceProbe, type SourceProbe } from '../../domain/probe.ts';
import { probeText } from '../../domain/rules/probe-text.ts';
import type { ToolContext } from '../tool.ts';

export const sourceField = z
  .object({
    message: z.string().describe('What comes, or why nothing does, for people.'),
    probe: sourceProbe.nullable().describe('null: nothing has come.'),
  })
  .strict()
  .nullable()
  .describe(
    'In a dry run: a look at the source, as by probeChannel; null: none, as for an encoder that is yet to push.',
  );
export type LookedAt = z.infer<typeof sourceField>;

type NewSource = Pick<Channel, 'type' | 'settings'>;

interface Planned {
  name: string;
  source: { channelId: number } | { ingest: string } | NewSource;
  deviceId: number | undefined;
  /** Present for a file that was sent. */
  file?: object | undefined;
}

/**
 * Answers what comes from the source; a source that is silent now may come later, so that it is no failure. Nothing is looked at for a
 * caller who may not call probeChannel. A file that is sent is looked at where it is received.
 */
export async function lookAt(ctx: ToolContext, { name, source, deviceId, file }: Planned): Promise<LookedAt> {
  if (file !== undefined || 'ingest' in source) return null;
  if (!('channelId' in source) && isPushed(source)) return null;
  try {
    ctx.request.rights.assertMayCall('probeChannel');
    const probe = await probeOf(ctx, { name, source, deviceId });
    return { message: `It sends ${probeText(probe)}.`, probe };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'forbidden' ? null : { message: error.message, probe: null };
  }
}

function probeOf(
  { control }: ToolContext,
  { name, source, deviceId }: { name: string; source: { channelId: number } | NewSource; deviceId: number | undefined },
): Promise<SourceProbe> {
  if ('channelId' in source) return control.probeChannel(source.channelId);
  return control.probeSource({ name, ...source, deviceId: deviceId ?? null });
}
