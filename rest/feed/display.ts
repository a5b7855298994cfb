/** A display that shows a wall by its link: it may see the Live streams of that wall, and nothing else. */
import type { Displays } from '../../auth/displays.ts';
import { unauthenticated } from '../../auth/auth.ts';
import { wallTiles, type WallTile } from '../../domain/rules/broadcasts/wall.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { Wall } from '../../domain/shapes/broadcasts/wall.ts';
import { ROLE } from '../../domain/shapes/installation/security.ts';
import type { ByeReason, Credential } from './feed-reader.ts';

export interface WallDeps {
  displays: Displays;
  store: Pick<Store, 'find' | 'get'>;
}

/** A wall as a page draws it. */
export interface ShownWall extends Pick<Wall, 'id' | 'name' | 'layout'> {
  tiles: WallTile[];
}

/** undefined when there is no such wall. */
export async function shownWall(store: WallDeps['store'], wallId: number): Promise<ShownWall | undefined> {
  const wall = (await store.get('walls', wallId))?.row;
  if (wall === undefined) return undefined;
  const { id, name, layout } = wall;
  return { id, name, layout, tiles: wallTiles(wall, (await store.find('livestreams', {})).rows) };
}

export class DisplayCredential implements Credential {
  readonly caller: Credential['caller'];
  readonly follows = ['displayLinks', 'walls', 'livestreams'] as const;
  private readonly deps: WallDeps;
  private readonly token: string;
  private wall: ShownWall;
  private hasNews = false;

  private constructor(deps: WallDeps, token: string, name: string, wall: ShownWall) {
    this.deps = deps;
    this.token = token;
    this.wall = wall;
    // Its scope has no operation, so that it may read no list.
    this.caller = {
      username: name,
      role: ROLE.operator,
      tokenKid: null,
      scope: { profile: 'readonly', operations: [] },
    };
  }

  /** undefined when the token is of no link. Rejects with AppError unauthenticated when its wall has just gone. */
  static async of(deps: WallDeps, token: string): Promise<DisplayCredential | undefined> {
    const link = await deps.displays.find(token);
    if (link === undefined) return undefined;
    const wall = await shownWall(deps.store, link.wallId);
    if (wall === undefined) throw unauthenticated();
    return new DisplayCredential(deps, token, link.name, wall);
  }

  get shown(): Readonly<ShownWall> {
    return this.wall;
  }

  shows(livestreamId: number): boolean {
    return this.wall.tiles.some((tile) => tile.livestreamId === livestreamId);
  }

  expiresMs(): undefined {
    return undefined;
  }

  takeNews(): boolean {
    const { hasNews } = this;
    this.hasNews = false;
    return hasNews;
  }

  async check(): Promise<ByeReason | undefined> {
    const link = await this.deps.displays.find(this.token);
    const wall = link && (await shownWall(this.deps.store, link.wallId));
    if (wall === undefined) return 'signed_out';
    this.hasNews ||= JSON.stringify(wall) !== JSON.stringify(this.wall);
    this.wall = wall;
    return undefined;
  }
}
