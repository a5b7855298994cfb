/** `onair fleet` holds all Devices: nothing is moved by itself until they are released. */
import { callServer } from '../client/call.ts';
import { instantText } from '../output/instants.ts';
import { printOne, type FormatFlags } from '../output/format.ts';

interface Hold {
  since: string;
  by: string;
}

export async function holdFleet(flags: FormatFlags): Promise<void> {
  const { data } = await callServer<{ data: Hold }>('holdFleet', {});
  await printOne(
    data,
    ({ since, by }) => `No broadcast is moved by itself: ${by} holds the fleet since ${instantText(since)}.`,
    flags,
  );
}

export async function releaseFleet(flags: FormatFlags): Promise<void> {
  const { data } = await callServer<{ data: { former: Hold | null } }>('releaseFleet', {});
  await printOne(data, sayRelease, flags);
}

function sayRelease({ former }: { former: Hold | null }): string {
  if (former === null) return 'The fleet was not held.';
  return `Broadcasts may be moved again; ${former.by} had held the fleet since ${instantText(former.since)}.`;
}
