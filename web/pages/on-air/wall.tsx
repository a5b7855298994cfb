/** The tiles, in a place that each keeps, and the keys that act on the one in focus. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useComputed, type ReadonlySignal } from '@preact/signals';
import { words as common } from '../../i18n/words.ts';
import { devices, streamIds, viewOf } from '../../live/streams.ts';
import { useKeys, type Keys } from '../../ui/registry/keys.ts';
import { arranged, moved } from './arrange.ts';
import { useActCommands } from './acts/act-commands.ts';
import { actsOn } from './acts/act-list.ts';
import { armed, confirmArmed, disarm, focusedId } from './acts/focus.ts';
import { Tile } from './tile/tile.tsx';
import { measureWall, resize, tileSize, wallPrefs } from './wall-prefs.ts';
import { words } from './words.ts';

/** The ids of the tiles in their order, of those whose name has the filter's words. */
export function useWallOrder(filter: ReadonlySignal<string>): ReadonlySignal<readonly number[]> {
  return useComputed(() => {
    const wanted = filter.value.trim().toLowerCase();
    const { order, hand } = wallPrefs.value;
    const streams = streamIds.value.flatMap((id) => {
      const status = viewOf(id)?.status.value;
      if (status === undefined || !status.name.toLowerCase().includes(wanted)) return [];
      const device = status.deviceId === null ? undefined : devices.peek().get(status.deviceId);
      return [{ id, name: status.name, device: device?.name ?? '', slot: status.slot }];
    });
    return arranged(streams, order, hand);
  });
}

interface WallProps {
  ids: readonly number[];
  hasActs: boolean;
}

export function Wall({ ids, hasActs }: WallProps) {
  const ref = useRef<HTMLDivElement>(null);
  const { width } = tileSize.value;
  useEffect(() => ref.current?.style.setProperty('--tile', `${width}px`), [width]);
  useEffect(() => {
    const wall = ref.current!;
    const measure = (): void => measureWall(wall, !hasActs);
    const observer = new ResizeObserver(measure);
    observer.observe(wall);
    addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      removeEventListener('resize', measure);
    };
  }, [hasActs]);
  const focus = ({ target }: FocusEvent): void => {
    const tile = target instanceof Element ? target.closest<HTMLElement>('[data-livestream]') : null;
    if (tile !== null) focusedId.value = Number(tile.dataset['livestream']);
  };
  return (
    <div ref={ref} class="wall" role="group" aria-label={words.value.board.wallOf} onFocusIn={focus}>
      {ids.map((id) => {
        const view = viewOf(id);
        return view === undefined ? null : <Tile key={id} id={id} view={view} hasActs={hasActs} />;
      })}
    </div>
  );
}

const tileOf = (root: HTMLElement | null, id: number): HTMLElement | null =>
  root?.querySelector<HTMLElement>(`[data-livestream="${id}"]`) ?? null;

/** The tile in that direction: rows follow the width of the window. */
function neighbour(root: HTMLElement | null, key: string): HTMLElement | undefined {
  const tiles = [...(root?.querySelectorAll<HTMLElement>('[data-livestream]') ?? [])];
  const at = tiles.findIndex((tile) => Number(tile.dataset['livestream']) === focusedId.peek());
  if (at === -1) return tiles[0];
  const top = tiles[0]?.offsetTop;
  const columns = Math.max(1, tiles.filter((tile) => tile.offsetTop === top).length);
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[key] ?? 0;
  return tiles[at + step];
}

/** The keys of everything in the stage: wall, and the bar of acts below it. */
export function useStageKeys(stage: RefObject<HTMLElement | null>, ids: readonly number[], hasActs: boolean): void {
  const w = words.value;
  const id = focusedId.value;
  const status = id === undefined ? undefined : viewOf(id)?.status.value;
  const keys: Keys = {};
  const arrow = (isListed: boolean) => ({
    does: w.board.toNeighbour,
    isListed,
    act: ({ key }: KeyboardEvent) => neighbour(stage.current, key)?.focus(),
  });
  Object.assign(keys, {
    ArrowRight: arrow(true),
    ArrowLeft: arrow(false),
    ArrowDown: arrow(false),
    ArrowUp: arrow(false),
    '+': { does: w.board.larger, act: () => resize(1) },
    '-': { does: w.board.smaller, act: () => resize(-1) },
  });
  const move = (by: 1 | -1) => (): void => {
    if (id === undefined) return;
    wallPrefs.value = { ...wallPrefs.peek(), order: 'hand', hand: moved(ids, id, by) };
    requestAnimationFrame(() => tileOf(stage.current, id)?.focus());
  };
  keys['Shift ArrowLeft'] = { does: w.board.earlier, act: move(-1) };
  keys['Shift ArrowRight'] = { does: w.board.later, act: move(1) };
  if (hasActs && status !== undefined)
    for (const act of actsOn(status)) keys[act.key] = { does: act.text, act: act.press };
  const enter = keys['Enter'];
  if (enter !== undefined)
    keys['Enter'] = {
      does: enter.does,
      act: (event) => {
        if (!confirmArmed(id)) enter.act(event);
      },
    };
  if (armed.value !== undefined) keys['Escape'] = { does: common.value.ui.cancel, isListed: false, act: disarm };
  useActCommands(hasActs, (of) => tileOf(stage.current, of)?.focus());
  useKeys(stage, common.value.pages['on-air'], keys);
}
