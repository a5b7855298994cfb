/**
 * Keeps a folder of an origin like one on this disk: media is sent first, then the manifests that name it, then deletions. There is one
 * round at a time, and changes meanwhile wait for the next, so a slow origin gets the newest segments and never a growing queue.
 */
import { readFileSync } from 'node:fs';
import { open, readdir, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeAtomic } from '../../../atomic-file.ts';
import { isManifest } from '../../../media/manifests/push-target.ts';
import type { FormerPeriods } from './former-periods.ts';
import { PushRefusal, type PushClient } from './push-client.ts';

export interface MirrorOptions {
  dir: string;
  /** At most so many segments of a folder, the newest, are sent at a time. Older ones are passed over. */
  listed: number;
  /** It is looked at before each file. */
  lease: { readonly isHeld: boolean };
  former: Pick<FormerPeriods, 'before'>;
  /** A set of manifests is on the origin, and all files that they name. */
  onPublished(): void;
  /** `refused`: the origin has said no to a file, and would again. */
  onFailed(reason: string, refused: boolean): void;
}

export class PushMirror {
  private readonly options: MirrorOptions;
  private readonly client: PushClient;
  /** Media on the origin, or passed over for good. */
  private readonly done = new Set<string>();
  /** Media that may be on the origin, an earlier attempt's or a killed runner's too. */
  private readonly sent: Set<string>;
  private readonly manifests = new Map<string, string>();
  private running: Promise<void> | undefined;
  private isDirty = false;
  private isOver = false;
  private canDelete = true;
  /** Segments that were passed over, since the origin is slow. */
  skipped = 0;

  constructor(options: MirrorOptions, client: PushClient) {
    this.options = options;
    this.client = client;
    this.sent = new Set(sentBefore(options.dir));
  }

  /** Called when the folder has changed. */
  sync(): void {
    this.isDirty = true;
    if (this.isOver) return;
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  /** Sends the last state of the folder, if the origin takes it within the time. */
  async finish(ms: number): Promise<void> {
    this.sync();
    await Promise.race([this.running, delay(ms, undefined, { ref: false })]);
    this.stop();
  }

  stop(): void {
    this.isOver = true;
    this.client.close();
  }

  private async run(): Promise<void> {
    try {
      while (this.isDirty && !this.isOver) {
        this.isDirty = false;
        await this.round();
      }
    } catch (error) {
      if (this.isOver) return;
      this.isOver = true;
      this.client.close();
      this.options.onFailed((error as Error).message, error instanceof PushRefusal && error.lasts);
    }
  }

  private async round(): Promise<void> {
    // Manifests are read before the media is listed: all files that they name are on the disk by then.
    const names = await this.files();
    const manifests = await Promise.all(
      names.filter(isManifest).map(async (name) => [name, await this.read(name)] as const),
    );
    const media = (await this.files()).filter((name) => !isManifest(name));
    if (!(await this.putMedia(this.missing(media)))) return;
    const changed = manifests.flatMap(([name, body]) => {
      const text = body?.toString('utf8');
      return text === undefined || this.manifests.get(name) === text ? [] : [{ name, text }];
    });
    // A main manifest names the others, so it comes last.
    for (const isMain of [false, true])
      await Promise.all(
        changed.filter(({ name }) => !name.includes('/') === isMain).map((one) => this.putManifest(one)),
      );
    if (this.manifests.size > 0 && !this.isOver) this.options.onPublished();
    await this.removeGone(new Set(media));
  }

  /** Returns the media that is not on the origin, oldest first; of each folder only the newest that may be listed. */
  private missing(media: readonly string[]): string[] {
    const unsent = media.filter((name) => !this.done.has(name));
    const segments = byFolder(unsent.filter(isSegment)).flatMap((names) => {
      const sorted = names.sort((a, b) => sequenceOf(a) - sequenceOf(b));
      const late = sorted.slice(0, Math.max(0, sorted.length - this.options.listed));
      this.skipped += late.filter((name) => !this.sent.has(name)).length;
      for (const name of late) this.done.add(name);
      return sorted.slice(late.length);
    });
    return [...unsent.filter((name) => !isSegment(name)), ...segments];
  }

  /**
   * Files are open from the start, since one that a slow origin has yet to get may be deleted here meanwhile. Resolves with whether all
   * media is on the origin; otherwise the manifests of this round would name missing files.
   */
  private async putMedia(names: readonly string[]): Promise<boolean> {
    const handles = new Map<string, FileHandle>();
    try {
      for (const name of names) handles.set(name, await open(join(this.options.dir, name)));
      this.remember(names);
      const put = async (name: string): Promise<void> => {
        await this.put(name, await handles.get(name)!.readFile());
        this.done.add(name);
      };
      await Promise.all(
        byFolder(names).map(async (inOrder) => {
          for (const name of inOrder) await put(name);
        }),
      );
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // A file was deleted since the folder was read, so it is read again.
      this.isDirty = true;
      return false;
    } finally {
      await Promise.all([...handles.values()].map((handle) => handle.close()));
    }
  }

  /** It is written down before it is sent: whoever comes after a kill deletes it there in its time. */
  private remember(names: readonly string[]): void {
    if (names.length === 0) return;
    for (const name of names) this.sent.add(name);
    writeAtomic(join(this.options.dir, SENT_FILE), JSON.stringify([...this.sent]));
  }

  private async putManifest({ name, text }: { name: string; text: string }): Promise<void> {
    await this.put(name, Buffer.from(await this.options.former.before(name, text)));
    this.manifests.set(name, text);
  }

  /** Without a lease the path is cut, which ends this round. */
  private async put(name: string, body: Buffer): Promise<void> {
    if (!this.options.lease.isHeld) throw new Error('There is no lease to send it by.');
    await this.client.put(name, body);
  }

  /** Deletes as far as the origin allows it; many delete by their own rules. */
  private async removeGone(present: ReadonlySet<string>): Promise<void> {
    for (const name of this.done) if (!present.has(name)) this.done.delete(name);
    for (const name of [...this.sent].filter((one) => !present.has(one))) {
      if (this.isOver) return;
      this.sent.delete(name);
      // A request that failed says nothing about what the origin allows; the file stays there, and no list names it.
      if (this.canDelete) this.canDelete = await this.client.remove(name).catch(() => true);
    }
  }

  /** Returns relative names, one folder deep, without the index and half-written files. */
  private async files(): Promise<string[]> {
    const entries = await readdir(this.options.dir, { withFileTypes: true });
    const isWhole = (name: string): boolean => !name.startsWith('.') && !name.endsWith('.tmp');
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const inside = folders.map(async (folder) => {
      const names = await readdir(join(this.options.dir, folder));
      return names.filter(isWhole).map((name) => `${folder}/${name}`);
    });
    const own = entries.filter((entry) => entry.isFile() && isWhole(entry.name)).map(({ name }) => name);
    return [...own, ...(await Promise.all(inside)).flat()];
  }

  private async read(name: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.options.dir, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

/** Begins with a dot, as all that is no media. */
const SENT_FILE = '.sent.json';

/** Without a file that can be read nothing is deleted that this attempt has not sent. */
function sentBefore(dir: string): string[] {
  try {
    const names: unknown = JSON.parse(readFileSync(join(dir, SENT_FILE), 'utf8'));
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** Segments have numbers as names; initialisation segments have not. */
function isSegment(name: string): boolean {
  return /^\d/u.test(name.split('/').at(-1)!);
}

function sequenceOf(name: string): number {
  return Number.parseInt(name.split('/').at(-1)!, 10);
}

function byFolder(names: readonly string[]): string[][] {
  const folders = new Map<string, string[]>();
  for (const name of names) {
    const folder = name.split('/').slice(0, -1).join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), name]);
  }
  return [...folders.values()];
}
