/** `onair doctor` looks at everything that a broadcast needs of this machine, and says what to do about what is wrong. It changes nothing. */
import { join } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';
import { failure, ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { certificate } from '../../system/health/certificate.ts';
import { clock, disk } from '../../system/health/machine.ts';
import { loadConfig, strayVariables, type Config } from '../settings/config.ts';
import { ownUrl } from '../settings/own-address.ts';
import { handOnEnvironment } from '../environment.ts';
import { printRows, type Column, type FormatFlags } from '../output/format.ts';
import type { Tone } from '../output/screen.ts';
import { isShared } from '../store/store-place.ts';
import { database } from './database.ts';
import { dataFolder, server, store } from './installation.ts';
import { credentials, SERVICE, serviceSettings, type ServiceSettings } from './secrets.ts';
import { encodingCost, ffmpeg, ffprobe, node, utilities } from './machine.ts';
import { fromServer } from './server-alarms.ts';

export type DoctorFlags = FormatFlags & { config?: string; data?: string };

const ANSWER_MS = 3000;
const TONES: Readonly<Record<Finding['state'], Tone>> = { ok: 'good', warning: 'wait', error: 'bad' };
const COLUMNS: readonly Column<Finding>[] = [
  { head: 'CHECK', cell: ({ check }) => check },
  { head: 'STATE', cell: ({ state }) => ({ text: state, tone: TONES[state] }) },
  { head: 'DETAIL', cell: ({ detail }) => detail },
  { head: 'REMEDY', cell: ({ remedy }) => remedy },
];

/** Exits with 1 when anything keeps broadcasts from working. */
export async function doctor(flags: DoctorFlags): Promise<void> {
  const findings = (await diagnose(flags)).map(shown);
  await printRows(findings, { columns: COLUMNS, empty: 'Nothing was looked at.' }, flags);
  if (findings.some(({ state }) => state === 'error')) process.exitCode = 1;
}

/** The answer has the fields of getSystemAlarms. */
function shown({ check, state, detail, remedy, since = null }: Finding): Required<Omit<Finding, 'of'>> {
  return { check, state, detail, remedy, since };
}

/** `env` is that of the caller, which wins over that of the service. */
export async function diagnose(
  { config: file, data }: DoctorFlags,
  env: NodeJS.ProcessEnv = process.env,
  service = SERVICE,
): Promise<Finding[]> {
  handOnEnvironment();
  let config: Config;
  let fromUnit: ServiceSettings;
  try {
    const named = { ...(file !== undefined && { config: file }), ...(data !== undefined && { data }) };
    const load = (all: NodeJS.ProcessEnv): Config => loadConfig(named, all, process.cwd(), () => undefined);
    config = load(env);
    fromUnit = serviceSettings(config.data, service);
    config = load({ ...fromUnit.variables, ...env });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const refused = failure('settings', error.message, error.extras.remedy ?? 'Correct the setting, then look again.');
    return [refused, node(), ...(await ffmpeg()), await ffprobe(), await utilities()];
  }
  const strays = strayVariables({ ...fromUnit.variables, ...env });
  const url = ownUrl(config);
  const running = await server(config, url, statusAt);
  return [
    strays === undefined
      ? ok('settings', 'They are read.')
      : warning('settings', strays, 'Correct their names, or unset them.'),
    ...fromUnit.findings,
    ...credentials(env),
    node(),
    ...(await ffmpeg()),
    await ffprobe(),
    await utilities(),
    encodingCost(join(config.data, 'device')),
    await dataFolder(config),
    isShared(config) ? await database(config) : await store(config),
    await disk(config.data),
    ...running,
    await clock(config.data, config.timezone, systemClock.now()),
    certificate(config, systemClock.now()),
    ...(running.some(({ check, state }) => check === 'server' && state === 'ok') ? await fromServer(config, env) : []),
  ];
}

/** undefined when nobody answers. */
async function statusAt(url: string): Promise<number | undefined> {
  const { request } = await (url.startsWith('https:') ? import('node:https') : import('node:http'));
  return new Promise((resolve) => {
    // No secret is sent, and the certificate has a check of its own.
    const call = request(url, { timeout: ANSWER_MS, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(undefined));
    call.end();
  });
}
