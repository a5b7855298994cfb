/** `onair watch` says where a broadcast can be watched, and opens it there on request. */
import { spawn } from 'node:child_process';
import { AppError } from '../../domain/base/errors.ts';
import { instantText } from '../output/instants.ts';
import { printRows, type Column, type FormatFlags } from '../output/format.ts';
import { livestreamNamed } from './names.ts';
import type { StatusAnswer } from './status.ts';
import { orList } from '../../domain/base/sentence.ts';
import { PACKAGED_TYPES } from '../../domain/types/destination-questions.ts';

type Address = StatusAnswer['watch'][number];

const COLUMNS: readonly Column<Address>[] = [
  { head: 'DESTINATION', cell: ({ name }) => name },
  { head: 'TYPE', cell: ({ type }) => type },
  { head: 'UNTIL', cell: ({ expires_at }) => (expires_at === null ? '' : instantText(expires_at)) },
  { head: 'ADDRESS', cell: ({ url }) => url },
];
/** It works while no server answers, and changes with the Device. */
const AT_DEVICE: Column<Address> = { head: 'AT ITS DEVICE', cell: ({ device_url }) => device_url ?? '' };

export async function watchBroadcast(livestream: string, flags: FormatFlags & { open?: boolean }): Promise<void> {
  const { name, on_air, watch, publishings } = await livestreamNamed(livestream);
  if (!on_air)
    throw new AppError('wrong_state', `"${name}" is not on air, so there is nothing to watch.`, {
      remedy: `Start it: onair start ${JSON.stringify(name)}`,
    });
  if (watch.length === 0) {
    const others = publishings.map((each) => each.name).join(', ');
    throw new AppError('wrong_state', `"${name}" is delivered to ${others} alone, which viewers watch elsewhere.`, {
      remedy: `Watch it there, or bind a Destination of the type ${orList(PACKAGED_TYPES)} without an address.`,
    });
  }
  const columns = watch.some(({ device_url }) => device_url !== null) ? [...COLUMNS, AT_DEVICE] : COLUMNS;
  await printRows(watch, { columns, empty: '' }, flags);
  if (flags.open === true) await open(watch[0]?.url ?? '');
}

/** The desktop chooses the player, and the player outlives this command. */
async function open(url: string): Promise<void> {
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(opener, [url], { detached: true, stdio: 'ignore' });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(
        new AppError('unavailable', `Nothing here opens addresses: ${cause.message}.`, {
          cause,
          remedy: `Open ${url} in a player.`,
        }),
      ),
    );
  });
  child.unref();
}
