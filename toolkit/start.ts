/** What the workflows around a start share: the place to run on, and the errors of a start that came to nothing. */
import { z } from 'zod/v3';
import type { StartRequest } from '../domain/control.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import type { Livestream } from '../domain/livestream.ts';
import type { Run } from '../domain/run.ts';
import { resolveRow } from './resolve.ts';
import type { ToolContext } from './tool.ts';
import { count, say } from './workflow.ts';

export const placeFields = {
  target: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Device to run on: id or name. Left out: as configured, or any with room.'),
  idEncoderGroup: z.number().int().positive().optional().describe('Id of the Device group to run on.'),
  deviceId: z.number().int().positive().optional().describe('Id of the Device to run on.'),
  cloudAccountId: z.number().int().positive().optional().describe('Id of the Cloud account to run on.'),
};

interface Place {
  target?: string | undefined;
  idEncoderGroup?: number | undefined;
  deviceId?: number | undefined;
  cloudAccountId?: number | undefined;
}

/** Throws AppError invalid_input when two places are named. */
export async function resolvePlace(ctx: Pick<ToolContext, 'store'>, place: Place): Promise<StartRequest> {
  const { target, idEncoderGroup, deviceId, cloudAccountId } = place;
  if ([target, idEncoderGroup, deviceId, cloudAccountId].filter((given) => given !== undefined).length > 1) {
    const message = 'name one place only: target, deviceId, idEncoderGroup or cloudAccountId';
    throw invalidInput([{ field: 'target', code: 'ambiguous', message }]);
  }
  if (target === undefined) return { idEncoderGroup, deviceId, cloudAccountId };
  return { deviceId: (await resolveRow(ctx.store, 'devices', 'Device', target)).id };
}

/** Throws when the run that was awaited has failed, or was stopped by somebody else. */
export function assertStarted(
  { id, name }: Readonly<Livestream>,
  run: Readonly<Run> | undefined,
  seconds: number,
): void {
  const status = run?.status ?? 0;
  const facts = { livestreamId: id, livestream_status: status };
  if (status === 0) {
    const detail = `${say(name)} was stopped by another caller while it was starting. Start it again if it should be on air.`;
    throw new AppError('conflict', detail, { facts });
  }
  if (status !== 3) return;
  const detail = `${say(name)} did not go on air: the start failed after ${count(seconds, 'second')}; upstream says why. Mend that, then start it again.`;
  throw new AppError('upstream_failed', detail, { facts, ...(run?.errorstatus && { upstream: run.errorstatus }) });
}
