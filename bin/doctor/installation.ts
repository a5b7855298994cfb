/** The installation: its data folder, its store, its server and its ports. */
import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { AppError } from '../../domain/base/errors.ts';
import { SCHEMA_VERSION } from '../../domain/ports/store.ts';
import { failure, ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';
import { namesIn } from '../../linux/folder.ts';
import { captureStore } from '../../store/embedded/capture.ts';
import { isHeld } from '../../store/files/lock.ts';
import { RESTORING } from '../backup/restoring.ts';
import type { Config } from '../settings/config.ts';
import { lockedFolder } from '../store/store-place.ts';

export async function dataFolder({ data }: Config): Promise<Finding> {
  if (!existsSync(data)) return ok('data', `There is no ${data} yet; the first start makes it.`);
  const mayUse = await access(data, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!mayUse)
    return failure(
      'data',
      `This user may not read and write ${data}.`,
      `Run it as the owner of that folder, or name another one with ONAIR_DATA.`,
    );
  if (existsSync(join(data, RESTORING)))
    return failure(
      'data',
      `A restore into ${data} is under way, or was cut short.`,
      `Where no onair restore runs, remove ${data} and restore again.`,
    );
  return ok('data', `${data}.`);
}

export async function store({ data }: Config): Promise<Finding> {
  const dir = join(data, 'store');
  try {
    if ((await namesIn(dir)).length === 0) return ok('store', 'There is none yet; the first start makes it.');
    const { schemaVersion, files, close } = await captureStore(dir);
    await close();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const detail = `Schema version ${schemaVersion}, ${(bytes / 1e6).toFixed(1)} MB.`;
    if (schemaVersion > SCHEMA_VERSION)
      return failure(
        'store',
        `It has schema version ${schemaVersion}; this onair reads up to ${SCHEMA_VERSION}.`,
        'Start the newer onair that wrote it, or go back as docs/upkeep.md says.',
      );
    if (schemaVersion < SCHEMA_VERSION)
      return warning(
        'store',
        `${detail} The next start brings it to ${SCHEMA_VERSION} and keeps a copy.`,
        'Make a backup first: onair backup <file>.',
      );
    const kept = (await namesIn(data)).filter((name) => name.startsWith('store-schema-'));
    if (kept.length === 0) return ok('store', detail);
    return warning(
      'store',
      `${detail} Copies from before updates are kept: ${kept.join(', ')}.`,
      'Remove them when nobody wants to go back any more.',
    );
  } catch (error) {
    return failure(
      'store',
      error instanceof AppError ? error.message : (error as Error).message,
      'Bring the data folder back from a backup: onair restore <file>.',
    );
  }
}

/** Whether a server runs on the data folder and answers, and who has its port otherwise. */
export async function server(
  config: Config,
  url: string,
  ask: (url: string) => Promise<number | undefined>,
): Promise<Finding[]> {
  const { host, port, mediaPort } = config;
  const isRunning = await isHeld(lockedFolder(config));
  // Where a server with port 0 does not run, nobody knows its port.
  const status = url.endsWith(':0') ? undefined : await ask(`${url}/readyz`);
  const ports: Finding[] = [];
  if (!isRunning)
    for (const each of new Set([port, mediaPort].filter((number) => number !== 0))) {
      const problem = await listenProblem(host, each);
      if (problem !== undefined)
        ports.push(
          failure(
            'ports',
            `Port ${each} on ${host} cannot be had: ${problem}.`,
            'End the program that has it, or choose another port with ONAIR_PORT and ONAIR_MEDIA_PORT.',
          ),
        );
    }
  if (ports.length === 0)
    ports.push(
      ok(
        'ports',
        isRunning
          ? `The server has ${port}, its Device ${mediaPort}.`
          : `${port} and ${mediaPort} on ${host} are free.`,
      ),
    );
  return [running(config, isRunning, status, url), ...ports];
}

function running({ data, port }: Config, isRunning: boolean, status: number | undefined, url: string): Finding {
  if (isRunning && (status === 200 || port === 0))
    return ok('server', port === 0 ? `One runs on ${data}.` : `It is ready at ${url}.`);
  if (isRunning)
    return failure(
      'server',
      `One runs on ${data}, but ${status === undefined ? `nobody answers at ${url}` : `it answers ${status} at ${url}/readyz`}.`,
      'Look into its log: journalctl -u onair, or serve.log in the data folder.',
    );
  if (status !== undefined)
    return warning(
      'server',
      `None runs on ${data}, but one answers at ${url}.`,
      'Name the data folder of that server with --data or ONAIR_DATA.',
    );
  return warning('server', `None runs on ${data}.`, 'Start it: onair serve, or systemctl start onair.');
}

function listenProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      const known: Record<string, string> = {
        EADDRINUSE: 'another program has it',
        EACCES: 'this user may not open ports below 1024',
        EADDRNOTAVAIL: 'this machine has no such address',
      };
      resolve(known[error.code ?? ''] ?? error.message);
    });
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
