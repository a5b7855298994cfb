/**
 * A model of the lease: three servers, three Devices, one database and one run, in ticks of simulated time, with pauses, cuts, a database that is
 * away and messages that come late. Its rules are those of the product; each of the weakenings breaks one of them.
 */
import {
  ANSWER_MARGIN_MS,
  ANSWER_RENEWED_MS,
  ANSWER_TTL_MS,
  ASK_EVERY_MS,
  GivenLease,
  mayGrant,
  MOVE_AFTER_MS,
  TAKEN_TTL_MS,
  TakenLease,
  Wakefulness,
} from '../../domain/time/lease.ts';
import { GONE_MS } from '../../domain/shapes/installation/member.ts';
import { seededRandom } from '../helpers/random.ts';

export const WEAKENINGS = [
  'counts from the receipt',
  'has no token',
  'counts a claim as accepted',
  'moves after 4 s',
  'forgets its own move',
  'answers without the right',
  'notes an acceptance late',
] as const;
export type Weakening = (typeof WEAKENINGS)[number];

const TICK_MS = 25;
const SILENT_MS = 4000;
const MAX_LATE_MS = 6000;

interface Row {
  owner: { acceptedMemberId: string | null; token: number; acceptedToken: number; memberId: string };
}

interface Run {
  deviceId: number;
  runId: number;
}

interface Database {
  owners: Row['owner'][];
  run: Run;
  rights: Map<string, { holder: string; until: number; token: number }>;
  renewedAt: Map<string, number>;
}

interface Member {
  id: string;
  /** Its clock runs so much faster than that of the others. */
  drift: number;
  pausedUntil: number;
  cutUntil: number;
  known: Pick<Database, 'owners' | 'run'>;
  rightUntil: number;
  given: Map<number, GivenLease>;
  withheld: Set<number>;
  wakefulness: Wakefulness;
  renewsAt: number;
  looksAt: number;
  triedAt: number;
  taken: { token: number; at: number } | undefined;
}

interface Device {
  id: number;
  drift: number;
  deadUntil: number;
  pausedUntil: number;
  token: number;
  /** The server that it is connected to, and when that was last heard. */
  link: number | undefined;
  heardAt: number;
  nextDial: number;
  dials: number;
  carries: number | undefined;
  lease: TakenLease;
  asksAt: number;
}

export interface Outcome {
  /** Simulated milliseconds in which two Devices delivered at once. */
  twoAtOnceMs: number;
  moves: number;
}

export function runModel(seed: number, seconds: number, weakening?: Weakening): Outcome {
  return new Model(seed, weakening).run(seconds * 1000);
}

class Model {
  private now = 0;
  private readonly random: () => number;
  private readonly weakening: Weakening | undefined;
  private readonly database: Database;
  private readonly members: Member[];
  private readonly devices: Device[];
  private readonly cuts = new Map<string, number>();
  private messages: { at: number; act: () => void }[] = [];
  private runs = 1;

  constructor(seed: number, weakening: Weakening | undefined) {
    this.random = seededRandom(seed * 7919 + 13);
    for (let skipped = 0; skipped < 5; skipped += 1) this.random();
    this.weakening = weakening;
    const owner = { acceptedMemberId: null, token: 0, acceptedToken: 0, memberId: '' };
    const owners = [0, 1, 2].map(() => ({ ...owner }));
    this.database = { owners, run: { deviceId: 0, runId: 1 }, rights: new Map(), renewedAt: new Map() };
    const drift = (): number => 1 + (this.random() - 0.5) * 0.0004;
    this.members = ['a', 'b', 'c'].map((id) => ({
      id,
      drift: drift(),
      pausedUntil: 0,
      cutUntil: 0,
      known: structuredClone({ owners, run: this.database.run }),
      rightUntil: -Infinity,
      given: new Map(),
      withheld: new Set(),
      wakefulness: new Wakefulness(0),
      renewsAt: 0,
      looksAt: 0,
      triedAt: -Infinity,
      taken: undefined,
    }));
    this.devices = [0, 1, 2].map((id) => ({
      id,
      drift: drift(),
      deadUntil: 0,
      pausedUntil: 0,
      token: 0,
      link: undefined,
      heardAt: -Infinity,
      nextDial: 0,
      dials: id,
      carries: undefined,
      lease: new TakenLease(),
      asksAt: 0,
    }));
  }

  run(ms: number): Outcome {
    let twoAtOnceMs = 0;
    for (this.now = 0; this.now < ms; this.now += TICK_MS) {
      this.disturb();
      const due = this.messages.filter(({ at }) => at <= this.now);
      if (due.length > 0) this.messages = this.messages.filter(({ at }) => at > this.now);
      for (const { act } of due) act();
      for (const member of this.members) if (this.now >= member.pausedUntil) this.step(member);
      for (const device of this.devices) if (this.isUp(device)) this.stepDevice(device);
      const delivering = this.devices.filter((device) => this.delivers(device)).length;
      if (delivering > 1) twoAtOnceMs += TICK_MS;
    }
    return { twoAtOnceMs, moves: this.runs - 1 };
  }

  private delivers(device: Device): boolean {
    return this.isUp(device) && device.carries !== undefined && device.lease.isHeld(this.clockOf(device));
  }

  private isUp({ deadUntil, pausedUntil }: Device): boolean {
    return this.now >= deadUntil && this.now >= pausedUntil;
  }

  private clockOf({ drift }: { drift: number }): number {
    return this.now * drift;
  }

  private chance(perSecond: number): boolean {
    return this.random() < (perSecond * TICK_MS) / 1000;
  }

  private disturb(): void {
    const span = (max: number): number => this.now + this.random() * max;
    for (const member of this.members) {
      if (this.chance(0.01)) member.pausedUntil = span(20_000);
      if (this.chance(0.004)) member.pausedUntil = span(100_000);
      if (this.chance(0.01)) member.cutUntil = span(30_000);
      if (this.chance(0.004)) member.cutUntil = span(100_000);
    }
    for (const device of this.devices) {
      if (this.chance(0.008)) device.pausedUntil = span(15_000);
      if (this.chance(0.004)) this.kill(device, span(30_000));
      if (this.chance(0.006)) this.members.forEach((_, at) => this.cuts.set(`${device.id} ${at}`, span(40_000)));
      this.members.forEach((_, at) => this.chance(0.02) && this.cuts.set(`${device.id} ${at}`, span(20_000)));
    }
    if (this.chance(0.003)) {
      const until = span(60_000);
      for (const member of this.members) member.cutUntil = until;
    }
  }

  private kill(device: Device, until: number): void {
    Object.assign(device, { deadUntil: until, link: undefined, carries: undefined, lease: new TakenLease() });
  }

  /** Most messages are quick; what is sent over a link that is cut is lost. */
  private send(act: () => void): void {
    const lateMs = this.random() < 0.9 ? this.random() * 100 : this.random() * MAX_LATE_MS;
    this.messages.push({ at: this.now + lateMs, act });
  }

  private isCut(deviceId: number, at: number): boolean {
    return (this.cuts.get(`${deviceId} ${at}`) ?? 0) > this.now;
  }

  /** A message that arrives while its reader stands still is read when that goes on. */
  private whenAwake(reader: { pausedUntil: number }, act: () => void): () => void {
    const tryIt = (): void => {
      if (this.now >= reader.pausedUntil) act();
      else this.messages.push({ at: reader.pausedUntil, act: tryIt });
    };
    return tryIt;
  }

  private toMember(device: Device, at: number, act: (member: Member) => void): void {
    const member = this.members[at]!;
    if (!this.isCut(device.id, at)) this.send(this.whenAwake(member, () => act(member)));
  }

  private toDevice(device: Device, at: number, act: () => void): void {
    const arrive = this.whenAwake(device, () => this.now >= device.deadUntil && act());
    if (!this.isCut(device.id, at)) this.send(arrive);
  }

  /** Resolves late, or never, for the one who commits; what was sent is carried out all the same. */
  private commit(member: Member, plan: () => void, onDone: () => void): void {
    if (member.cutUntil > this.now) return;
    this.messages.push({
      at: this.now + this.random() * (this.random() < 0.9 ? 200 : 5000),
      act: () => {
        plan();
        if (this.random() < 0.9) this.send(this.whenAwake(member, onDone));
      },
    });
  }

  private step(member: Member): void {
    const { database, now } = this;
    if (member.cutUntil <= now) member.known = structuredClone({ owners: database.owners, run: database.run });
    if (now >= member.renewsAt) {
      member.renewsAt = now + ANSWER_RENEWED_MS;
      const began = this.clockOf(member);
      if (member.cutUntil <= now) {
        database.renewedAt.set(member.id, now);
        if (this.claimRight(member.id, member.id, ANSWER_TTL_MS) !== undefined)
          member.rightUntil = began + ANSWER_TTL_MS - ANSWER_MARGIN_MS;
        else member.rightUntil = -Infinity;
      }
    }
    if (now < member.looksAt) return;
    member.looksAt = now + 250;
    const awakeSince = member.wakefulness.look(this.clockOf(member));
    this.look(member, awakeSince);
  }

  private claimRight(name: string, holder: string, ttlMs: number): number | undefined {
    const { rights } = this.database;
    const present = rights.get(name);
    if (present !== undefined && present.holder !== holder && present.until > this.now) return undefined;
    const token = present?.holder === holder && present.until > this.now ? present.token : (present?.token ?? 0) + 1;
    rights.set(name, { holder, until: this.now + ttlMs, token });
    return token;
  }

  private look(member: Member, awakeSince: number): void {
    const { run, owners } = member.known;
    const clock = this.clockOf(member);
    if (clock - member.triedAt < 5000) return;
    const owner = owners[run.deviceId]!;
    const accepted = this.weakening === 'counts a claim as accepted' ? owner.memberId : owner.acceptedMemberId;
    if (accepted === member.id) {
      const given = this.givenTo(member, run.deviceId);
      // A lease that is looked at earlier by so much counts as ended earlier.
      const early = this.weakening === 'moves after 4 s' ? MOVE_AFTER_MS - 4000 : 0;
      if (given.hasEnded(clock + early, awakeSince)) this.move(member, run, (now) => now === member.id);
      return;
    }
    if (accepted === null || member.cutUntil > this.now) return;
    if (this.now - (this.database.renewedAt.get(accepted) ?? -Infinity) < GONE_MS) return;
    member.triedAt = clock - 5000 + ASK_EVERY_MS;
    const token = this.claimRight(accepted, member.id, TAKEN_TTL_MS);
    if (token === undefined) return void (member.taken = undefined);
    if (member.taken?.token !== token) member.taken = { token, at: clock };
    if (clock - member.taken.at >= MOVE_AFTER_MS) this.move(member, run, (now) => now === accepted);
  }

  private move(member: Member, run: Run, isAllowed: (ownerId: string | null) => boolean): void {
    member.triedAt = this.clockOf(member);
    if (this.weakening !== 'forgets its own move') member.withheld.add(run.runId);
    const plan = (): void => {
      const { database } = this;
      const owner = database.owners[run.deviceId]!;
      const ownerId = this.weakening === 'counts a claim as accepted' ? owner.memberId : owner.acceptedMemberId;
      if (database.run.runId !== run.runId || !isAllowed(ownerId)) return;
      this.runs += 1;
      const next = (run.deviceId + 1 + Math.floor(this.random() * 2)) % 3;
      database.run = { deviceId: next, runId: this.runs };
    };
    this.commit(member, plan, () => member.withheld.delete(run.runId));
  }

  private givenTo(member: Member, deviceId: number): GivenLease {
    const given = member.given.get(deviceId) ?? new GivenLease(this.clockOf(member));
    member.given.set(deviceId, given);
    return given;
  }

  private stepDevice(device: Device): void {
    const { link, heardAt } = device;
    if (link !== undefined && this.now - heardAt > SILENT_MS) device.link = undefined;
    if (device.link === undefined) {
      if (this.now < device.nextDial) return;
      device.nextDial = this.now + 1000 + this.random() * 500;
      device.dials += 1;
      this.dial(device, device.dials % 3);
    } else if (this.now >= device.asksAt) {
      device.asksAt = this.now + ASK_EVERY_MS;
      this.ask(device, device.link);
    }
  }

  private dial(device: Device, at: number): void {
    this.toMember(device, at, (member) => {
      const { owners } = this.database;
      let token = 0;
      const claim = (): void => {
        token = owners[device.id]!.token + 1;
        Object.assign(owners[device.id]!, { token, memberId: member.id });
      };
      this.commit(member, claim, () => {
        if (this.weakening === 'counts a claim as accepted') this.givenTo(member, device.id).note(this.clockOf(member));
        this.toDevice(device, at, () => this.obey(device, at, token));
      });
    });
  }

  private obey(device: Device, at: number, token: number): void {
    if (token < device.token) return;
    device.token = token;
    Object.assign(device, { link: at, heardAt: this.now, asksAt: this.now });
    this.toMember(device, at, (member) => {
      const owner = this.database.owners[device.id]!;
      const accept = (): void => {
        if (owner.token === token) Object.assign(owner, { acceptedMemberId: member.id, acceptedToken: token });
      };
      if (this.weakening !== 'notes an acceptance late') this.givenTo(member, device.id).note(this.clockOf(member));
      this.commit(member, accept, () => this.givenTo(member, device.id).note(this.clockOf(member)));
    });
  }

  private ask(device: Device, at: number): void {
    const askedAt = this.clockOf(device);
    this.toMember(device, at, (member) => {
      const owner = member.known.owners[device.id]!;
      const { run } = member.known;
      const clock = this.clockOf(member);
      const token = owner.token;
      const facts =
        this.weakening === 'counts a claim as accepted'
          ? { ...owner, acceptedMemberId: owner.memberId, acceptedToken: owner.token }
          : owner;
      const mayAnswer = clock < member.rightUntil || this.weakening === 'answers without the right';
      if (facts.acceptedMemberId === member.id) this.givenTo(member, device.id).note(clock);
      const isOwn = mayGrant({ owner: facts, memberId: member.id, mayAnswer });
      const isHere = run.deviceId === device.id && !member.withheld.has(run.runId);
      this.toDevice(device, at, () =>
        this.hear(device, at, { token, askedAt, runId: isOwn && isHere ? run.runId : undefined, isOwn, own: run }),
      );
    });
  }

  private hear(
    device: Device,
    at: number,
    {
      token,
      askedAt,
      runId,
      isOwn,
      own,
    }: { token: number; askedAt: number; runId: number | undefined; isOwn: boolean; own: Run },
  ): void {
    if (token < device.token && this.weakening !== 'has no token') return;
    if (device.link === at) device.heardAt = this.now;
    if (!isOwn) return;
    // The run of the row is handed over, and any other is ended.
    if (own.deviceId !== device.id) device.carries = undefined;
    else if (runId !== undefined) {
      if (device.carries !== runId) device.lease = new TakenLease();
      device.carries = runId;
      const clock = this.clockOf(device);
      device.lease.grant(this.weakening === 'counts from the receipt' ? clock : askedAt, clock);
    }
  }
}
