/** The reserves of Device groups, as answers tell them. */
import { z } from 'zod/v3';
import type { View } from '../../domain/ports/store.ts';
import { count, say, sentence, type Sentence } from '../sentence.ts';
import type { ToolContext } from '../tool.ts';

export const reserveUse = z
  .object({
    name: z.string().describe('Device group.'),
    reserve: z.number().int().describe('How many of its Devices may be lost.'),
    slots_left: z.number().describe('Slots that starts may still take beside that, on the freest Device.'),
  })
  .strict();
type ReserveUse = z.infer<typeof reserveUse>;

/** Those of the groups that the Device is in, or of all. */
export function reservesOf(ctx: ToolContext, view: View, deviceId: number | undefined): ReserveUse[] {
  return view.find('deviceGroups', {}).rows.flatMap((group) => {
    if (deviceId !== undefined && !group.devices.includes(deviceId)) return [];
    const left = ctx.control.slotsBesideReserve(view, group);
    if (left === undefined) return [];
    return [{ name: group.name, reserve: group.reserve ?? 0, slots_left: Math.floor(left * 10) / 10 }];
  });
}

/** People who listen keep no more in mind. */
const SAID = 2;

export function withReserves(use: Sentence, reserves: readonly ReserveUse[]): Sentence {
  return reserves
    .slice(0, SAID)
    .reduce(
      (text, { name, reserve, slots_left: left }) =>
        sentence`${text} ${say(name)} keeps room for the loss of ${count(reserve, 'Device')}; starts may take ${count(left, 'slot')} more there.`,
      use,
    );
}
