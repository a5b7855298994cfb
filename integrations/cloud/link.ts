/**
 * The cloud platform as a Device: a run is a Live stream there with resources of its own. Nothing about it is stored here; the names of
 * those resources tell a restarted control plane all that it needs.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { anySignal } from '../../domain/base/any-signal.ts';
import { PLATFORM_CAPABILITIES } from '../../domain/shapes/devices/cloud-account.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import type { DeviceHello, DeviceLink, DeviceMessage } from '../../domain/ports/device-link.ts';
import type { LivePicture } from '../../domain/shapes/broadcasts/live-picture.ts';
import type { LivestreamStatusView } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { Log } from '../../domain/base/log.ts';
import { pause } from '../../domain/time/pause.ts';
import { understood } from '../../domain/reported/fields.ts';
import { runEvent } from '../../domain/reported/messages.ts';
import { anyReport } from '../../domain/reported/run-report.ts';
import type { RunChange } from '../../domain/shapes/changes/run-change.ts';
import type { RunEvent, RunReport } from '../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { carryOut } from './changes.ts';
import { placeFiles, removeFiles } from './files.ts';
import { Platform, type PlatformAccess } from './platform.ts';
import { reportOf } from './report.ts';
import {
  channelBody,
  encodingBody,
  livestreamBody,
  nameOf,
  ownIdOf,
  prefixOf,
  publishingBody,
  readLivestreamName,
  secretsOf,
  type CloudRunName,
} from './resources.ts';

const POLL_MS = 1000;
/** The pause while no run is there. */
const IDLE_POLL_MS = 5000;
const MAX_POLL_MS = 8000;
const STOP_MS = 30_000;

interface Row {
  id: number;
  name: string;
  description?: string | null;
}
interface Known {
  remoteId: number;
  name: CloudRunName;
  /** Ids of the platform's Publishings and Encodings, by our ids. */
  publishings: Map<number, number>;
  encodings: Map<number, number>;
  /** Names of our Publishings, by our ids. */
  names: Map<number, string>;
  lastEventId: number;
}
type Collection = 'livestreams' | 'publishings/groups' | 'encodings/groups' | 'publishings' | 'encodings' | 'channels';
/** A resource is deleted before those that it uses. */
const DELETION_ORDER: readonly Collection[] = [
  'livestreams',
  'publishings/groups',
  'encodings/groups',
  'publishings',
  'encodings',
  'channels',
];

export interface CloudLinkOptions extends PlatformAccess {
  /** Letters and digits that tell this service's runs on the platform from those of others. */
  owner: string;
  log: Pick<Log, 'warn'>;
}

export class CloudLink implements DeviceLink {
  private readonly platform: Platform;
  private readonly owner: string;
  private readonly cloudUrl: string;
  private readonly log: CloudLinkOptions['log'];
  private readonly known = new Map<string, Known>();
  /** It ends the pause between two polls. */
  private wakeUp = new AbortController();

  constructor({ owner, log, ...access }: CloudLinkOptions) {
    this.platform = new Platform(access);
    this.owner = owner;
    this.cloudUrl = access.cloudUrl;
    this.log = log;
  }

  async hello(): Promise<DeviceHello> {
    const runs: RunReport[] = [];
    for (const row of await this.find('livestreams', 'onair:')) {
      const name = readLivestreamName(row.name);
      if (name?.owner === this.owner) runs.push(await this.report(await this.remember(row.id, name)));
    }
    return { capabilities: PLATFORM_CAPABILITIES, mediaUrl: this.cloudUrl, cores: Number.MAX_SAFE_INTEGER, runs };
  }

  /** Each step has a key of its own: a start that is repeated after a crash creates nothing twice. */
  async start(spec: RunSpec): Promise<void> {
    const { runId, source } = spec;
    const secrets = secretsOf(spec);
    const create = async (path: string, step: string, body: object): Promise<number> => {
      const idempotencyKey = `${runId}:${step}`;
      const { data } = await this.platform.call<{ data: Row }>('POST', path, { body, idempotencyKey, secrets });
      return data.id;
    };
    try {
      const files = await placeFiles(this.platform, spec);
      const channelId = await create('/channels', 'channel', channelBody(runId, source, files.source));
      const encodings = new Map<number, number>();
      for (const rendition of spec.renditions) {
        const { encodingId } = rendition;
        encodings.set(encodingId, await create('/encodings', `encoding ${encodingId}`, encodingBody(runId, rendition)));
      }
      const encodingGroupId = await create('/encodings/groups', 'ladder', {
        name: nameOf(runId, 'ladder', 0),
        elements: [...encodings.values()],
      });
      const startConfig: object[] = [];
      for (const output of spec.outputs) {
        const step = `publishing ${output.publishingId}`;
        const publishingId = await create('/publishings', step, publishingBody(runId, output));
        const qualities = output.qualities.flatMap((id) => encodings.get(id) ?? []);
        const entry = { publishingId, primary: output.primary, backup: output.backup ?? false };
        startConfig.push(qualities.length > 0 ? { ...entry, qualities } : entry);
      }
      const bound = startConfig.map((entry) => (entry as { publishingId: number }).publishingId);
      const publishingGroupId = await create('/publishings/groups', 'outputs', {
        name: nameOf(runId, 'outputs', 0),
        elements: bound,
      });
      const body = livestreamBody(this.owner, spec, files, { channelId, encodingGroupId, publishingGroupId });
      const livestreamId = await create('/livestreams', 'livestream', body);
      await this.platform.call('POST', `/livestreams/${livestreamId}/start`, { body: { startConfig }, secrets });
      await this.remember(livestreamId, { ...spec, owner: this.owner, channelId: source.channelId });
    } catch (error) {
      // Control asks a platform again that is away for a moment, and goes on where it was; a refusal leaves nothing there.
      const isPassing = error instanceof AppError && (error.code === 'unavailable' || error.code === 'timeout');
      // The refusal is the error to report; `forget` removes what could not be removed here.
      if (!isPassing) await this.remove(runId).catch(() => undefined);
      throw error;
    }
  }

  async stop(runId: string): Promise<void> {
    const known = await this.lookUp(runId);
    if (known === undefined) return;
    await this.platform.call('POST', `/livestreams/${known.remoteId}/stop`, { body: {} });
    const end = performance.now() + STOP_MS;
    while ((await this.status(known)).status !== 0) {
      if (performance.now() > end)
        throw new AppError('timeout', `The cloud platform has not stopped the run within ${STOP_MS / 1000} s.`);
      await delay(POLL_MS / 2);
    }
  }

  async change(runId: string, change: RunChange, changeId?: string): Promise<RunReport> {
    const known = await this.onAir(runId);
    await carryOut(this.platform.keyed(changeId), known.remoteId, known.publishings, change);
    return this.report(known);
  }

  async preview(runId: string): Promise<Buffer> {
    await this.onAir(runId);
    throw new AppError(
      'unsupported_by_device',
      'The cloud platform gives no preview through this service; watch it there.',
    );
  }

  async picture(): Promise<LivePicture> {
    throw new AppError('unsupported_by_device', 'The cloud platform gives no pictures through this service.');
  }

  async forget(runId: string): Promise<void> {
    await this.remove(runId);
    this.known.delete(runId);
  }

  watch(onMessage: (message: DeviceMessage) => void, onState: (online: boolean) => void): () => void {
    const ended = new AbortController();
    void this.poll(onMessage, onState, ended.signal);
    return () => ended.abort();
  }

  private async poll(
    onMessage: (message: DeviceMessage) => void,
    onState: (online: boolean) => void,
    signal: AbortSignal,
  ): Promise<void> {
    let online: boolean | undefined;
    let isFirst = true;
    for (let pauseMs = POLL_MS; !signal.aborted;) {
      try {
        if (isFirst) await this.hello();
        isFirst = false;
        if (this.known.size === 0) await this.platform.call('GET', '/livestreams?pageSize=1&fields=id');
        for (const known of this.known.values()) await this.tell(known, onMessage);
        pauseMs = this.known.size === 0 ? IDLE_POLL_MS : POLL_MS;
        if (online !== true && !signal.aborted) onState((online = true));
      } catch (error) {
        if (online !== false && !signal.aborted) {
          this.log.warn({ err: error }, 'The cloud platform does not answer; it is asked again.');
          onState((online = false));
        }
        pauseMs = Math.min(pauseMs * 2, MAX_POLL_MS);
      }
      await pause(pauseMs, anySignal([signal, this.wakeUp.signal]), { ref: false });
    }
  }

  /** Events go first: a report that ends a run finds them in the log. */
  private async tell(known: Known, onMessage: (message: DeviceMessage) => void): Promise<void> {
    for (const event of await this.events(known)) onMessage({ type: 'event', event });
    onMessage({ type: 'report', report: await this.report(known) });
  }

  private async events(known: Known): Promise<RunEvent[]> {
    const { rows } = await this.platform.call<{ rows: LivestreamEvent[] }>(
      'GET',
      `/livestreams/${known.remoteId}/events?sort=-id&pageSize=100`,
    );
    const fresh = rows.filter(({ id }) => id > known.lastEventId).reverse();
    known.lastEventId = fresh.at(-1)?.id ?? known.lastEventId;
    const { runId, livestreamId } = known.name;
    return fresh.map(({ id, at, kind, severity, message, data }) => {
      const event = { runId, livestreamId, seq: id, at, kind, severity, message, data: { ...data, cloud: true } };
      return understood('event', runEvent, event);
    });
  }

  private async report(known: Known): Promise<RunReport> {
    return understood('status', anyReport, reportOf(await this.status(known), known));
  }

  private async status({ remoteId }: Known): Promise<LivestreamStatusView> {
    return (await this.platform.call<{ data: LivestreamStatusView }>('GET', `/livestreams/${remoteId}/status`)).data;
  }

  private async onAir(runId: string): Promise<Known> {
    const known = await this.lookUp(runId);
    if (known === undefined) throw new AppError('wrong_state', `Run ${runId} is not on air on the cloud platform.`);
    return known;
  }

  private async lookUp(runId: string): Promise<Known | undefined> {
    const knownRun = this.known.get(runId);
    if (knownRun !== undefined) return knownRun;
    for (const row of await this.find('livestreams', prefixOf(runId))) {
      const name = readLivestreamName(row.name);
      if (name?.runId === runId) return this.remember(row.id, name);
    }
    return undefined;
  }

  private async remember(remoteId: number, name: CloudRunName): Promise<Known> {
    const knownRun = this.known.get(name.runId);
    if (knownRun !== undefined) return knownRun;
    const findOwn = async (kind: 'publishing' | 'encoding'): Promise<(Row & { ours: number })[]> => {
      const prefix = `${prefixOf(name.runId)}${kind}:`;
      return (await this.find(`${kind}s`, prefix)).map((row) => ({ ...row, ours: ownIdOf(row.name) }));
    };
    const publishings = await findOwn('publishing');
    const encodings = await findOwn('encoding');
    const { owner, runId, livestreamId, channelId } = name;
    const known: Known = {
      remoteId,
      name: { owner, runId, livestreamId, channelId },
      publishings: new Map(publishings.map(({ ours, id }) => [ours, id])),
      encodings: new Map(encodings.map(({ ours, id }) => [ours, id])),
      names: new Map(publishings.map(({ ours, description }) => [ours, description ?? ''])),
      lastEventId: 0,
    };
    this.known.set(runId, known);
    this.wakeUp.abort();
    this.wakeUp = new AbortController();
    return known;
  }

  private async find(path: Collection, search: string): Promise<Row[]> {
    const query = new URLSearchParams({ search, fields: 'id,name,description', pageSize: '500' });
    const { rows } = await this.platform.call<{ rows: Row[] }>('GET', `/${path}?${query}`);
    return rows.filter(({ name }) => name.startsWith(search));
  }

  private async remove(runId: string): Promise<void> {
    for (const path of DELETION_ORDER)
      for (const { id } of await this.find(path, prefixOf(runId)))
        await this.platform.call('DELETE', `/${path}/${id}`).catch((error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
        });
    await removeFiles(this.platform, runId);
  }
}
