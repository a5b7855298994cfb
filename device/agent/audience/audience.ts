/**
 * Counts those who watch what this Device serves. Nothing of a person is kept: session ids, tokens, addresses and agents are hashed with a salt
 * that lives for a day in the memory of this process, and the hashes for as long as their players are there.
 */
import { hash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  audienceTotals,
  type AudienceTotals,
  type ReportedAudience,
} from '../../../domain/shapes/broadcasts/audience.ts';
import type { RunReport } from '../../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { monotonicClock, systemClock, type Clock } from '../../../domain/time/clock.ts';
import { isServed } from '../../../domain/types/destination-questions.ts';
import { readCached, writeJson } from '../../atomic-file.ts';
import type { Sighting } from '../../delivery/audience/sightings.ts';
import { runFiles } from '../../run-dir.ts';
import { isFinal } from '../runs/own-reports.ts';
import { RunAudience } from './run-audience.ts';

/** So much of the sums is lost at most when this process is killed. */
const KEPT_EVERY_MS = 10_000;
/** A player that was not seen for so long is gone. */
const FORMER_KEPT_MS = 60_000;
const DAY_MS = 86_400_000;
const KEY_CHARS = 22;

interface Followed {
  spec: RunSpec;
  audience: RunAudience;
  keptAt: number;
  keptSeconds: number;
}

export class Audience {
  private readonly deviceDir: string;
  private readonly clock: Pick<Clock, 'now'>;
  private readonly passing: Pick<Clock, 'now'>;
  private readonly followed = new Map<number, Followed>();
  private salt = newSalt();
  /** Those who watch over midnight are known by it until they are seen again. */
  private formerSalt: string | undefined;
  private saltedAt = 0;
  private day: number;

  /** `passing` never jumps. */
  constructor(
    deviceDir: string,
    clock: Pick<Clock, 'now'> = systemClock,
    passing: Pick<Clock, 'now'> = monotonicClock,
  ) {
    this.deviceDir = deviceDir;
    this.clock = clock;
    this.passing = passing;
    this.day = this.today();
  }

  /** Players of a Live stream that has no run any more still ask for the last segments: nobody counts them. */
  readonly take = (seen: readonly Sighting[]): void => {
    this.renewSalt();
    const now = this.passing.now();
    for (const each of seen) {
      const followed = this.followed.get(each.livestreamId);
      if (followed === undefined) continue;
      const text = `${each.by}\n${each.key}`;
      const former = this.formerSalt && hashed(this.formerSalt, text);
      followed.audience.take(followed.spec, each, { key: hashed(this.salt, text), former }, now);
    }
  };

  /** The runner knows nothing of those who watch, since the agent delivers to them. */
  readonly withAudience = (spec: RunSpec, report: RunReport): RunReport => {
    const audience = this.report(spec, isFinal(report));
    return audience === undefined ? report : { ...report, audience };
  };

  /** Undefined for a run of which nothing is served here. It is called about once a second while the run lasts, and once at its end. */
  report(spec: RunSpec, isOver: boolean): ReportedAudience | undefined {
    const { livestreamId, runId } = spec;
    const known = this.followed.get(livestreamId);
    const isKnown = known?.audience.runId === runId;
    if (!isKnown && (isOver || !spec.outputs.some(isServed))) return undefined;
    const followed = isKnown ? known : this.follow(spec);
    followed.spec = spec;
    const now = this.passing.now();
    const report = followed.audience.report(now);
    if (isOver) this.followed.delete(livestreamId);
    else this.keep(followed, now);
    return report;
  }

  private follow(spec: RunSpec): Followed {
    const kept = audienceTotals.safeParse(readCached(this.fileOf(spec)));
    const audience = new RunAudience(spec.runId, kept.success ? (kept.data as AudienceTotals) : undefined);
    const followed = { spec, audience, keptAt: this.passing.now(), keptSeconds: kept.data?.seconds ?? 0 };
    this.followed.set(spec.livestreamId, followed);
    return followed;
  }

  private keep(followed: Followed, now: number): void {
    if (now - followed.keptAt < KEPT_EVERY_MS) return;
    const totals = followed.audience.totals(now);
    if (totals.seconds === followed.keptSeconds) return;
    followed.keptAt = now;
    followed.keptSeconds = totals.seconds;
    // A full disk keeps no figures; those in memory go on.
    void writeJson(this.fileOf(followed.spec), totals).catch(() => undefined);
  }

  private fileOf({ runId }: RunSpec): string {
    return join(runFiles(this.deviceDir, runId).dir, 'audience.json');
  }

  private today(): number {
    return Math.floor(this.clock.now() / DAY_MS);
  }

  private renewSalt(): void {
    const now = this.passing.now();
    const today = this.today();
    if (now - this.saltedAt > FORMER_KEPT_MS) this.formerSalt = undefined;
    if (today === this.day) return;
    this.formerSalt = this.salt;
    this.salt = newSalt();
    this.saltedAt = now;
    this.day = today;
  }
}

function newSalt(): string {
  return randomBytes(16).toString('hex');
}

/** In one call: a hash object would take four times as long, and thousands of players are hashed each second. */
function hashed(salt: string, text: string): string {
  return hash('sha256', salt + text, 'base64').slice(0, KEY_CHARS);
}
