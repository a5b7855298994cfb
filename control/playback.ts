/** Addresses at which viewers watch what a Device serves itself, and links for Destinations that are not public. */
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { MediaSource, PlaybackLink, WatchAddress } from '../domain/ports/control.ts';
import { AppError } from '../domain/base/errors.ts';
import type { Livestream } from '../domain/shapes/broadcasts/livestream.ts';
import { PLAYBACK_SECONDS, playbackPath, playbackToken } from '../domain/shapes/destinations/playback.ts';
import type { Publishing } from '../domain/shapes/destinations/publishing.ts';
import type { Run } from '../domain/shapes/broadcasts/run.ts';
import type { Device } from '../domain/shapes/devices/device.ts';
import type { DeviceRegistry, KnownDevice } from './device-registry.ts';
import type { PlaybackKeys } from './start/run-spec.ts';
import { andList, called } from '../domain/base/sentence.ts';
import { manifestOf, PACKAGED_TYPES } from '../domain/types/destination-questions.ts';

export interface PlaybackDeps {
  registry: DeviceRegistry;
  deviceRows: ReadonlyMap<number, Readonly<Device>>;
  /**
   * Address under which viewers reach this server and what the Device of its machine delivers; undefined when that Device is reached by its
   * own address.
   */
  publicUrl: string | undefined;
  /** undefined when nothing is delivered with tokens. */
  keyOf: PlaybackKeys | undefined;
  clock: Clock;
}

/** A Device dials again, or is asked again, within so long. */
const HEARD_SECONDS = 1;

export class Playback {
  private readonly deps: PlaybackDeps;

  constructor(deps: PlaybackDeps) {
    this.deps = deps;
  }

  /** Addresses that the run's Device reports as watchable now. A token in them lasts as long as one without a requested time. */
  addresses(run: Readonly<Run> | undefined): WatchAddress[] {
    const { registry, clock } = this.deps;
    const report = run && registry.report(run.runId);
    const base = run && this.baseOf(registry.deviceFor(run));
    if (run?.status !== 2 || report === undefined || base === undefined) return [];
    return report.watch.map(({ publishingId, path, access }) => {
      const publishing = report.publishings.find((candidate) => candidate.publishingId === publishingId);
      const { name = '', type = '' } = publishing ?? {};
      const expiresAtMs = clock.now() + PLAYBACK_SECONDS * 1000;
      const link =
        access === 'token'
          ? this.signed(`${base}${path}`, run.id, publishingId, expiresAtMs)
          : { url: `${base}${path}`, expires_at: null };
      return { publishingId, name, type, ...link };
    });
  }

  /**
   * Works before the Live stream is on air too, for the place where its server's own Device will deliver it. Throws AppError rule_violated
   * where there is nothing to sign, and wrong_state while the place is not known.
   */
  link(
    livestream: Readonly<Livestream>,
    publishing: Readonly<Publishing>,
    run: Readonly<Run> | undefined,
    expiresAtMs: number,
  ): PlaybackLink {
    const { registry, deviceRows } = this.deps;
    const { id, deviceId } = livestream;
    const manifest = manifestOf(publishing.type);
    const who = called('Destination', publishing);
    if (manifest === undefined || publishing.settings.url !== null)
      throw new AppError(
        'rule_violated',
        `${who} is not watched here: a Device serves ${andList(PACKAGED_TYPES)} without a url.`,
      );
    const isRunning = run !== undefined && run.status !== 0 && run.status !== 3;
    const locals = [...deviceRows.values()].filter(({ local }) => local);
    // Of several servers each has a Device on its own machine, and nobody knows which it will be.
    const own = locals.length === 1 ? locals[0] : undefined;
    const place = isRunning ? registry.deviceFor(run) : registry.get(deviceId ?? own?.id ?? 0);
    const base = this.baseOf(place);
    if (base === undefined)
      throw new AppError(
        'wrong_state',
        `Where ${called('Live stream', livestream)} will be delivered is not known yet. Start it, then ask again.`,
      );
    const url = `${base}${playbackPath(id, publishing.id)}${manifest}`;
    const inForce = run && registry.report(run.runId)?.watch.find(({ publishingId }) => publishingId === publishing.id);
    if (publishing.access !== 'token' && inForce?.access !== 'token')
      throw new AppError(
        'rule_violated',
        `${who} is public: everybody may watch it at ${url}. For links that run out set its access to token; it counts from the next start.`,
      );
    return this.signed(url, id, publishing.id, expiresAtMs);
  }

  /** Throws AppError as Control.mediaSource does. */
  source(
    livestream: Pick<Livestream, 'id' | 'name'>,
    run: Readonly<Run> | undefined,
    publishingId: number,
  ): MediaSource {
    const { registry, clock } = this.deps;
    const who = called('Live stream', livestream);
    if (run?.status !== 2)
      throw new AppError('wrong_state', `${who} is not on air.`, {
        remedy: 'Start it, and watch it once its status is 2.',
      });
    const report = registry.report(run.runId);
    const device = registry.deviceFor(run);
    // After a start of this server its Devices come one after the other.
    if (report === undefined || device === undefined)
      throw new AppError('unavailable', `Nothing is heard yet of ${who}, which is on air.`, {
        retryAfterSeconds: HEARD_SECONDS,
      });
    const watched = report.watch.find((candidate) => candidate.publishingId === publishingId);
    const base = device.mediaUrl?.replace(/\/+$/u, '');
    if (watched === undefined || base === undefined) {
      const name = report.publishings.find((candidate) => candidate.publishingId === publishingId)?.name;
      const destination = called('Destination', { id: publishingId, name });
      throw new AppError('not_found', `${who} has no ${destination} that can be watched at its Device now.`, {
        remedy: `getLivestreamStatus lists its Destinations; ${andList(PACKAGED_TYPES)} without a url can be watched.`,
      });
    }
    const folder = playbackPath(livestream.id, publishingId);
    const expiresAtMs = clock.now() + PLAYBACK_SECONDS * 1000;
    const token = watched.access === 'token' ? playbackToken(this.keyOf(publishingId), folder, expiresAtMs) : undefined;
    return { url: `${base}${folder}`, token };
  }

  /** Tells whether viewers find a Device of any of the servers, or the cloud platform, under this origin. */
  isOrigin(origin: string): boolean {
    const { registry, deviceRows, publicUrl } = this.deps;
    const urls = [publicUrl, ...registry.all.map(({ mediaUrl }) => mediaUrl)];
    for (const { media_url } of deviceRows.values()) urls.push(media_url);
    return urls.some((url) => url != null && URL.canParse(url) && new URL(url).origin === origin);
  }

  private signed(url: string, livestreamId: number, publishingId: number, expiresAtMs: number): PlaybackLink {
    const seconds = Math.floor(expiresAtMs / 1000);
    const token = playbackToken(this.keyOf(publishingId), playbackPath(livestreamId, publishingId), seconds * 1000);
    return { url: `${url}?token=${token}`, expires_at: toIso(seconds * 1000) };
  }

  private keyOf(publishingId: number): string {
    const key = this.deps.keyOf?.(publishingId);
    if (key === undefined) throw new AppError('unavailable', 'This server has no key to sign links with.');
    return key;
  }

  /** Has no slash at its end. Viewers reach the Devices of other machines directly. */
  private baseOf(place: KnownDevice | undefined): string | undefined {
    const { deviceRows, publicUrl } = this.deps;
    if (place?.mediaUrl == null) return undefined;
    const row = deviceRows.get(place.id);
    // Behind the address of several servers there may be the machine of another one.
    const isOwn = row?.local === true && row.member_id === undefined;
    return (isOwn ? (publicUrl ?? place.mediaUrl) : place.mediaUrl).replace(/\/+$/u, '');
  }
}
