/** A saved wall: it fills the screen with its tiles, in their order, and turns the page by itself where there are more. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { display } from '../../../display.ts';
import { words as common } from '../../../i18n/words.ts';
import { feed, heardAt, isComplete, isStale, streamIds, viewOf } from '../../../live/streams.ts';
import { isPaused } from '../../../prefs.ts';
import { hrefOf } from '../../../route.ts';
import { shownZone } from '../../../shown-zone.ts';
import { useGlobalKeys } from '../../../ui/registry/keys.ts';
import { ProblemAlert } from '../../../ui/problem-alert.tsx';
import { clockText } from '../../../zone.ts';
import { words } from '../words.ts';
import { ScreenTile } from './screen-tile.tsx';
import { SCREEN_MS, screenOf } from './screens.ts';
import { useWall, type ShownWall } from './shown-wall.ts';

export function SavedWall({ wallId }: { wallId: number }) {
  const { data: wall, error } = useWall(wallId);
  const isKnown = isComplete.value || streamIds.value.length > 0;
  useEffect(() => {
    if (isKnown && wall !== undefined) performance.mark('useful');
  }, [isKnown, wall !== undefined]);
  // With the last answer it goes on, however the next ones fail.
  if (wall === undefined)
    return (
      <section class="screen">
        <h1 class="hidden">{common.value.pages.wall}</h1>
        {error !== null && <ProblemAlert problem={error} />}
        {error !== null && display === undefined && <a href={hrefOf('walls')}>{common.value.pages.walls}</a>}
      </section>
    );
  return <Tiles wall={wall} isKnown={isKnown} />;
}

/** Those that keep their places, and of the others those that are on. */
function shownTiles({ tiles }: ShownWall): number[] {
  const on = new Set(streamIds.value);
  // A Live stream that is off is in the feed alone.
  const { streams } = feed.value;
  return tiles
    .filter(({ livestreamId: id, always }) => on.has(id) || (always && streams.has(id)))
    .map((tile) => tile.livestreamId);
}

function Tiles({ wall, isKnown }: { wall: ShownWall; isKnown: boolean }) {
  const turned = useSignal(0);
  const all = shownTiles(wall);
  const { tiles, number, count } = screenOf(all, wall.layout, turned.value);
  const turn = (by: 1 | -1) => (): void => {
    turned.value += by;
  };
  useEffect(() => {
    const timer = setInterval(() => {
      if (!isPaused.peek()) turned.value += 1;
    }, SCREEN_MS);
    return () => clearInterval(timer);
  }, [turned.value]);
  const w = words.value.wall;
  useGlobalKeys(wall.name, {
    ArrowRight: { does: w.nextScreen, act: turn(1) },
    ArrowLeft: { does: w.screenBefore, act: turn(-1) },
    ...(display === undefined && {
      Escape: { does: w.leave, act: () => (location.hash = hrefOf('walls')) },
    }),
  });
  return (
    <section class="screen" aria-label={wall.name}>
      <h1 class="hidden">{wall.name}</h1>
      <div class="screen-tiles" data-layout={wall.layout}>
        {tiles.map((id) => {
          const view = viewOf(id);
          return view === undefined ? null : <ScreenTile key={id} id={id} view={view} />;
        })}
      </div>
      {isKnown && all.length === 0 && <p class="screen-empty">{w.nothing}</p>}
      {count > 1 && <p class="screen-number">{w.screen(number, count)}</p>}
      <Freshness />
    </section>
  );
}

function Freshness() {
  const { connection, connectionLabel } = common.value;
  const since =
    heardAt.value === 0 ? connection.connecting : connection.asOf(clockText(heardAt.value, shownZone.value));
  return (
    <p role="status" aria-label={connectionLabel} class={isStale.value ? 'screen-stale' : 'hidden'}>
      {isStale.value ? since : connection.live}
    </p>
  );
}
