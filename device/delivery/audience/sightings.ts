/**
 * Who was seen at the delivery of media, gathered for a second. Several processes of a machine deliver; the Device agent alone counts, so that a
 * player whose requests go to two of them is one viewer.
 */
import { networkOf } from '../../../domain/network/client-network.ts';
import type { HeaderReader } from '../../../domain/network/http-conditions.ts';
import type { ToldApartBy } from '../../../domain/shapes/broadcasts/audience.ts';
import { PAGE_AGENT, PLAYBACK_TOKEN_HEADER } from '../../../domain/shapes/destinations/playback.ts';
import { cmcdOf, parseCmcd, type Cmcd } from './cmcd.ts';
import type { Report } from './cmcd-report.ts';

/** `agoMs`: how long before the sighting was handed on the player said it. */
export interface TimedCmcd extends Omit<Cmcd, 'sid'> {
  agoMs: number;
}

/** One player in one second. */
export interface Sighting {
  livestreamId: number;
  publishingId: number;
  by: ToldApartBy;
  /** Session id, token, or address and agent: it is kept nowhere, and hashed where it is counted. */
  key: string;
  /** The player calls itself so. */
  agent: string;
  /** The folders that it got media of, the last at the end; none for one that got playlists alone. */
  folders: string[];
  isCached: boolean;
  /** False for one of which only reports have come. */
  hasAsked: boolean;
  cmcd: TimedCmcd[];
}

interface SeenRequest {
  method: string;
  target: string;
  header: HeaderReader;
  report?: Report | undefined;
}

/** The time for which sightings are gathered. */
const GATHERED_MS = 1000;
/** More than all connections can ask for in a second; what comes on top is an attack, and is not counted. */
const MAX_SIGHTINGS = 20_000;
/** A player asks for some parts and playlists a second. */
const MAX_SAID = 50;
const MAX_AGENT = 300;
/** Pictures, sound and texts, and a change between renditions. */
const MAX_FOLDERS = 8;

const PATH = /^\/live\/(\d+)\/(\d+)\/(?:([^/?]+)\/)?([^/?]*)(?:\?(.*))?$/su;
const MEDIA = /\.(?:ts|m4s|mp4|m4v|m4a|aac)$/u;
const TOKEN = /(?:^|&)token=([^&]*)/u;

/** `handOn` gets what was seen in each second in which something was. */
export class Sightings {
  private readonly handOn: (seen: Sighting[]) => void;
  private readonly byName = new Map<string, Gathered>();
  private timer: NodeJS.Timeout | undefined;

  constructor(handOn: (seen: Sighting[]) => void) {
    this.handOn = handOn;
  }

  /** Takes a request that was answered with `status`. */
  note({ method, target, header, report }: SeenRequest, address: string, status: number): void {
    const isTaken = status === 204 && report !== undefined && 'lines' in report;
    if (!isTaken && (method !== 'GET' || (status !== 200 && status !== 206 && status !== 304))) return;
    const [, livestream, publishing, folder = '', file = '', query = ''] = PATH.exec(target) ?? [];
    if (livestream === undefined) return;
    const agent = (header('user-agent') ?? '').slice(0, MAX_AGENT);
    // The server itself reads media for people who are signed in: they look after the broadcast.
    if (agent === PAGE_AGENT || header(PLAYBACK_TOKEN_HEADER) != null) return;
    const isCached = header('via') != null || header('cdn-loop') != null;
    const player = (cmcd: Cmcd | undefined): Gathered | undefined => {
      const [by, key] = keyOf(cmcd, query, address, agent);
      const seen = this.of(`${livestream}/${by}/${key}`, () => ({
        livestreamId: Number(livestream),
        publishingId: Number(publishing),
        by,
        key,
        agent,
        folders: [],
        isCached,
        hasAsked: false,
        cmcd: [],
      }));
      if (seen !== undefined && cmcd !== undefined && seen.cmcd.length < MAX_SAID)
        seen.cmcd.push({ cmcd, at: performance.now() });
      return seen;
    };
    if (isTaken) {
      for (const cmcd of report.lines.map(parseCmcd)) if (cmcd.e !== undefined) player(cmcd);
      return;
    }
    const seen = player(cmcdOf(query, header));
    if (seen === undefined) return;
    seen.hasAsked = true;
    if (MEDIA.test(file) && !file.startsWith('init-')) noteFolder(seen.folders, folder);
  }

  private of(name: string, make: () => Gathered): Gathered | undefined {
    const known = this.byName.get(name);
    if (known !== undefined) return known;
    if (this.byName.size >= MAX_SIGHTINGS) return undefined;
    const made = make();
    this.byName.set(name, made);
    // Nobody waits for it: a process that has nothing else to do ends.
    this.timer ??= setTimeout(() => this.flush(), GATHERED_MS).unref();
    return made;
  }

  private flush(): void {
    const now = performance.now();
    const seen = [...this.byName.values()];
    this.byName.clear();
    this.timer = undefined;
    this.handOn(
      seen.map((each) => {
        const cmcd = each.cmcd.map(({ at, cmcd: { bl, bs, su, ot, msd, bsd, e, sta, ts } }) => {
          return { agoMs: Math.round(now - at), bl, bs, su, ot, msd, bsd, e, sta, ts };
        });
        return Object.assign(each, { cmcd });
      }),
    );
  }
}

function noteFolder(folders: string[], folder: string): void {
  if (folders.at(-1) === folder) return;
  const at = folders.indexOf(folder);
  if (at !== -1) folders.splice(at, 1);
  if (folders.length < MAX_FOLDERS) folders.push(folder);
}

type Gathered = Omit<Sighting, 'cmcd'> & { cmcd: { cmcd: Cmcd; at: number }[] };

function keyOf(cmcd: Cmcd | undefined, query: string, address: string, agent: string): [by: ToldApartBy, key: string] {
  if (cmcd?.sid !== undefined) return ['session', cmcd.sid];
  const [, token] = TOKEN.exec(query) ?? [];
  return token === undefined ? ['address', `${networkOf(address)}\n${agent}`] : ['token', token];
}
