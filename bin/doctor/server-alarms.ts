/** Asks the server that runs here for the findings that this machine does not show: Devices, licences, services, mails. */
import type { Alarm, Finding } from '../../domain/shapes/installation/finding.ts';
import { ok } from '../../domain/shapes/installation/finding.ts';
import { AppError } from '../../domain/base/errors.ts';
import { sendCall } from '../client/call.ts';
import { resolveTarget } from '../settings/credentials.ts';
import type { Local } from '../settings/own-address.ts';

/** These are looked at here as well, without a server. */
const LOOKED_AT: readonly string[] = ['store', 'disk', 'clock', 'certificate'];

export async function fromServer(local: Local, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const { ONAIR_URL: _elsewhere, ...own } = env;
    const target = resolveTarget(local, own);
    if (target.isElsewhere === true) return [unasked('the commands of this user speak to another one')];
    const { rows } = (await sendCall(target, 'getSystemAlarms', { all: true, pageSize: 500 })) as { rows: Alarm[] };
    return rows.filter(({ check }) => !LOOKED_AT.includes(check));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [unasked(error.message)];
  }
}

/** It is no fault of the machine: an Administrator's token is not everybody's. */
function unasked(why: string): Finding {
  return ok('alarms', `The server was not asked what it knows of its Devices and services: ${why}`);
}
