/** Those who watch one run: sessions while they last, and sums since its beginning. */
import {
  TOLD_APART_BY,
  totalsOf,
  type AudienceTotals,
  type PlayerSums,
  type ReportedAudience,
  type ToldApartBy,
  type Watched,
} from '../../../domain/shapes/broadcasts/audience.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { playerName } from '../../delivery/audience/player-names.ts';
import type { Sighting } from '../../delivery/audience/sightings.ts';
import { PlayerMeasures } from './player-measures.ts';
import { renditionOf } from './renditions.ts';

/** A viewer counts while its last request is younger than so many segments, and than MAX_AGE_MS. */
const SEGMENTS = 3;
const MAX_AGE_MS = 30_000;
const DEFAULT_SEGMENT_SECONDS = 6;
/** Each takes some 300 bytes. More than a Device can serve at a time are made up by a client. */
const MAX_SESSIONS = 20_000;

interface Session {
  by: ToldApartBy;
  player: string;
  encodingId: number | null;
  firstAt: number;
  lastAt: number;
  /** The longest time between two requests: segments may be longer than they were ordered, as where a source has few keyframes. */
  gapMs: number;
  segmentMs: number;
  /** It has got media: who reads playlists alone watches nothing. */
  isCounted: boolean;
  isCached: boolean;
  measures: PlayerMeasures | undefined;
}

const NO_SUMS: PlayerSums = { sessions: 0, starts: 0, start_ms: 0, stalls: 0, stalled_ms: 0, watched_ms: 0 };

export class RunAudience {
  readonly runId: string;
  private readonly sessions = new Map<string, Session>();
  private readonly byRendition: Map<number | null, number>;
  private readonly byPlayer: Map<string, number>;
  private readonly sums: PlayerSums;
  private seconds: number;
  private peak: number;
  private count: number;

  /** `kept`: what an earlier agent had counted of the run. */
  constructor(runId: string, kept: AudienceTotals | undefined) {
    this.runId = runId;
    this.byRendition = new Map(kept?.renditions);
    this.byPlayer = new Map(kept?.players);
    this.sums = { ...NO_SUMS, ...kept?.sums };
    this.seconds = kept?.seconds ?? 0;
    this.peak = kept?.peak ?? 0;
    this.count = kept?.sessions ?? 0;
  }

  /** `key` tells the player from all others; `former` is what it was called before midnight. `now` is in milliseconds of a clock that never jumps. */
  take(spec: RunSpec, seen: Sighting, { key, former }: { key: string; former: string | undefined }, now: number): void {
    const session = this.sessions.get(key) ?? this.renamed(key, former) ?? this.begin(key, spec, seen, now);
    if (session === undefined) return;
    if (seen.cmcd.length > 0) session.measures ??= new PlayerMeasures(session.firstAt);
    for (const cmcd of seen.cmcd) session.measures?.take(cmcd, now - cmcd.agoMs);
    if (session.isCounted) session.measures?.addTo(this.sums);
    // A player that has been left may report for hours.
    if (!seen.hasAsked) return;
    const passedMs = now - session.lastAt;
    session.lastAt = now;
    session.gapMs = Math.max(session.gapMs, passedMs);
    session.isCached = seen.isCached;
    for (const folder of seen.folders) {
      const encodingId = renditionOf(spec, seen.publishingId, folder);
      if (encodingId !== null) session.encodingId = encodingId;
    }
    if (session.isCounted) this.add(session, passedMs / 1000);
    else if (seen.folders.length > 0) this.admit(session);
  }

  /** Also forgets those who are long gone. */
  report(now: number): ReportedAudience {
    const by: Record<ToldApartBy, number> = { session: 0, token: 0, address: 0 };
    const renditions = watchedIn(this.byRendition);
    const players = watchedIn(this.byPlayer);
    let cached = 0;
    for (const [key, session] of this.sessions) {
      const age = now - session.lastAt;
      if (age > MAX_AGE_MS) this.sessions.delete(key);
      if (!session.isCounted || age > maxAgeMs(session)) continue;
      by[session.by] += 1;
      renditions.get(session.encodingId)!.now += 1;
      players.get(session.player)!.now += 1;
      if (session.isCached) cached += 1;
    }
    const present = TOLD_APART_BY.reduce((sum, each) => sum + by[each], 0);
    this.peak = Math.max(this.peak, present);
    return {
      now: present,
      seconds: rounded(this.seconds),
      peak: this.peak,
      sessions: this.count,
      by,
      renditions: [...renditions].map(([encodingId, watched]) => ({ encodingId, ...watched })),
      players: [...players].map(([player, watched]) => ({ player, ...watched })),
      sums: { ...this.sums, watched_ms: Math.round(this.sums.watched_ms) },
      cached: cached > 0,
    };
  }

  totals(now: number): AudienceTotals {
    return totalsOf(this.report(now));
  }

  private renamed(key: string, former: string | undefined): Session | undefined {
    const session = former === undefined ? undefined : this.sessions.get(former);
    if (session === undefined) return undefined;
    this.sessions.delete(former!);
    this.sessions.set(key, session);
    return session;
  }

  private begin(key: string, spec: RunSpec, seen: Sighting, now: number): Session | undefined {
    if (this.sessions.size >= MAX_SESSIONS) return undefined;
    const output = spec.outputs.find(({ publishingId }) => publishingId === seen.publishingId);
    const firstAt = now - Math.max(0, ...seen.cmcd.map(({ agoMs }) => agoMs));
    const session: Session = {
      by: seen.by,
      player: playerName(seen.agent),
      encodingId: null,
      firstAt,
      lastAt: now,
      gapMs: 0,
      segmentMs: (output?.settings.segment_duration ?? DEFAULT_SEGMENT_SECONDS) * 1000,
      isCounted: false,
      isCached: false,
      measures: undefined,
    };
    this.sessions.set(key, session);
    return session;
  }

  private admit(session: Session): void {
    session.isCounted = true;
    this.count += 1;
    session.measures?.addTo(this.sums);
    this.add(session, 0);
  }

  private add(session: Session, seconds: number): void {
    const { encodingId, player } = session;
    this.seconds += seconds;
    this.byRendition.set(encodingId, (this.byRendition.get(encodingId) ?? 0) + seconds);
    this.byPlayer.set(player, (this.byPlayer.get(player) ?? 0) + seconds);
    if (session.measures !== undefined) this.sums.watched_ms += seconds * 1000;
  }
}

function maxAgeMs({ segmentMs, gapMs }: Session): number {
  return Math.min(MAX_AGE_MS, SEGMENTS * Math.max(segmentMs, gapMs));
}

function watchedIn<T>(secondsBy: ReadonlyMap<T, number>): Map<T, Watched> {
  return new Map([...secondsBy].map(([of, seconds]) => [of, { now: 0, seconds: rounded(seconds) }]));
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
