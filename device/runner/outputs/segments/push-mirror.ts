/**
 * Keeps a folder of an origin like one on this disk: media first, then the manifests that name it, then what is gone. One round at a
 * time; what changes meanwhile is for the next, so a slow origin is given the newest and never a growing heap.
 */
import { open, readdir, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isManifest } from '../../../media/manifests/push-target.ts';
import { PushRefusal, type PushClient } from './push-client.ts';

export interface MirrorOptions {
  dir: string;
  /** Segments of a folder that are sent at most at a time: the newest. Older ones are passed over. */
  listed: number;
  /** A set of manifests, and all that they name, is on the origin. */
  onPublished(): void;
  /** `refused`: the origin has said no to what is written, and would again. */
  onFailed(reason: string, refused: boolean): void;
}

export class PushMirror {
  private readonly options: MirrorOptions;
  private readonly client: PushClient;
  /** Media on the origin, or passed over for good. */
  private readonly done = new Set<string>();
  /** Media that is on the origin and on the disk. */
  private readonly sent = new Set<string>();
  private readonly manifests = new Map<string, string>();
  private running: Promise<void> | undefined;
  private again = false;
  private over = false;
  private deletes = true;
  /** Segments that a slow origin was spared. */
  skipped = 0;

  constructor(options: MirrorOptions, client: PushClient) {
    this.options = options;
    this.client = client;
  }

  /** The folder has changed. */
  sync(): void {
    this.again = true;
    if (this.over) return;
    this.running ??= this.run().finally(() => (this.running = undefined));
  }

  /** The last state of the folder, when the origin takes it within the time. */
  async finish(ms: number): Promise<void> {
    this.sync();
    await Promise.race([this.running, delay(ms, undefined, { ref: false })]);
    this.stop();
  }

  stop(): void {
    this.over = true;
    this.client.close();
  }

  private async run(): Promise<void> {
    try {
      while (this.again && !this.over) {
        this.again = false;
        await this.round();
      }
    } catch (error) {
      if (this.over) return;
      this.over = true;
      this.client.close();
      this.options.onFailed((error as Error).message, error instanceof PushRefusal && error.lasts);
    }
  }

  private async round(): Promise<void> {
    // Read before the media is looked for: all that they name is there by then.
    const names = await this.files();
    const manifests = await Promise.all(
      names.filter(isManifest).map(async (name) => [name, await this.read(name)] as const),
    );
    const media = (await this.files()).filter((name) => !isManifest(name));
    if (!(await this.putMedia(this.wanted(media)))) return;
    const changed = manifests.flatMap(([name, body]) => {
      const text = body?.toString('utf8');
      return text === undefined || this.manifests.get(name) === text ? [] : [{ name, text }];
    });
    // A main manifest names the others.
    for (const isMain of [false, true])
      await Promise.all(
        changed.filter(({ name }) => !name.includes('/') === isMain).map((one) => this.putManifest(one)),
      );
    if (this.manifests.size > 0 && !this.over) this.options.onPublished();
    await this.removeGone(new Set(media));
  }

  /** What the origin lacks, oldest first, of each folder the newest that may be listed. */
  private wanted(media: readonly string[]): string[] {
    const missing = media.filter((name) => !this.done.has(name));
    const segments = byFolder(missing.filter(isSegment)).flatMap((names) => {
      const sorted = names.sort((a, b) => sequenceOf(a) - sequenceOf(b));
      const late = sorted.slice(0, Math.max(0, sorted.length - this.options.listed));
      this.skipped += late.length;
      for (const name of late) this.done.add(name);
      return sorted.slice(late.length);
    });
    return [...missing.filter((name) => !isSegment(name)), ...segments];
  }

  /**
   * Held open from the start, for what a slow origin has yet to get may be deleted here meanwhile. Answers whether all is there; else
   * the manifests of this round would name what is missing.
   */
  private async putMedia(names: readonly string[]): Promise<boolean> {
    const handles = new Map<string, FileHandle>();
    try {
      for (const name of names) handles.set(name, await open(join(this.options.dir, name)));
      const put = async (name: string): Promise<void> => {
        await this.client.put(name, await handles.get(name)!.readFile());
        this.sent.add(name);
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
      // Deleted since the folder was read: it has changed, and is read again.
      this.again = true;
      return false;
    } finally {
      await Promise.all([...handles.values()].map((handle) => handle.close()));
    }
  }

  private async putManifest({ name, text }: { name: string; text: string }): Promise<void> {
    await this.client.put(name, Buffer.from(text));
    this.manifests.set(name, text);
  }

  /** As far as the origin allows it; many delete by their own rules. */
  private async removeGone(present: ReadonlySet<string>): Promise<void> {
    for (const name of this.done) if (!present.has(name) && !this.sent.has(name)) this.done.delete(name);
    for (const name of [...this.sent].filter((one) => !present.has(one))) {
      if (this.over) return;
      this.sent.delete(name);
      this.done.delete(name);
      if (this.deletes) this.deletes = await this.client.remove(name).catch(() => true);
    }
  }

  /** Relative names, one folder deep; neither the journal nor half-written files. */
  private async files(): Promise<string[]> {
    const entries = await readdir(this.options.dir, { withFileTypes: true });
    const isWhole = (name: string): boolean => !name.startsWith('.') && !name.endsWith('.tmp');
    const inside = entries.filter((entry) => entry.isDirectory()).map(async ({ name: folder }) => {
      const names = await readdir(join(this.options.dir, folder));
      return names.filter(isWhole).map((name) => `${folder}/${name}`);
    }); // prettier-ignore
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

/** Numbered files; initialisation segments are not. */
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
