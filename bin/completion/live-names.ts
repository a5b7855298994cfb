/** The names that the server knows, for completion. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId } from '../../client/request.ts';
import { jsonOf } from '../../domain/base/json.ts';
import { sendCall } from '../client/call.ts';
import { commandLine, configFolder } from '../settings/config-folder.ts';
import { listContexts, resolveTarget, type Target } from '../settings/credentials.ts';
import type { Candidate } from './complete.ts';

/** The list that has the names of a kind, and the field that a person types. */
const LISTS: Readonly<Record<string, readonly [operation: OperationId, field: string]>> = {
  livestream: ['getAllLivestreams', 'name'],
  channel: ['getAllChannels', 'name'],
  destination: ['getAllPublishings', 'name'],
  livestreamId: ['getAllLivestreams', 'id'],
  channelId: ['getAllChannels', 'id'],
  publishingId: ['getAllPublishings', 'id'],
  publishingGroupId: ['getAllPublishingGroups', 'id'],
  encodingId: ['getAllEncodings', 'id'],
  encodingGroupId: ['getAllEncodingGroups', 'id'],
  scheduleId: ['getAllSchedules', 'id'],
  deviceId: ['getAllDevices', 'id'],
  recordingId: ['getRecordings', 'id'],
};
/** Nobody chooses from a longer list, and a page takes longer. */
const MAX_NAMES = 200;

export async function liveNames(kind: string): Promise<Candidate[]> {
  if (kind === 'server' || kind === 'url') return listContexts().map(({ url }) => ({ word: url }));
  const list = LISTS[kind];
  if (list === undefined) return [];
  const [operation, field] = list;
  const answer = await sendCall(server(), operation, { fields: 'id,name', pageSize: MAX_NAMES });
  const { rows } = answer as { rows: { id: number; name: string }[] };
  return rows.map(({ id, name }) =>
    field === 'id' ? { word: String(id), about: name } : { word: name, about: `id ${id}` },
  );
}

/** Settings as the program reads them, without their schemas: those take as long to load as the answer of the server. */
function server(): Target {
  const env = process.env;
  const path = commandLine.config ?? join(configFolder(env), 'config.json');
  const file = (existsSync(path) ? jsonOf(readFileSync(path, 'utf8')) : undefined) as
    Record<string, unknown> | undefined;
  const host = String(env['ONAIR_HOST'] || file?.['host'] || DEFAULTS.host);
  const tlsCert = env['ONAIR_TLS_CERT'] || file?.['tlsCert'];
  const data = env['ONAIR_DATA'] || file?.['data'];
  return resolveTarget({
    host: host === 'localhost' ? DEFAULTS.host : host,
    port: Number(env['ONAIR_PORT'] || file?.['port'] || DEFAULTS.port),
    ...(typeof tlsCert === 'string' && { tlsCert }),
    ...(typeof data === 'string' && { data }),
  });
}

const DEFAULTS = { host: '127.0.0.1', port: 8090 };
