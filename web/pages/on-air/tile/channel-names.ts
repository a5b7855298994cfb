/** Names of Channels: one answer for all tiles. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useList } from '../../../api/reads.ts';
import { FIXED_TYPES } from '../../../gen/types.ts';

export const channelNames = signal<ReadonlyMap<number, string>>(new Map());
/** Ids of those that a broadcast on air can be switched to. */
export const switchable = signal<ReadonlySet<number>>(new Set());

export function useChannelNames(): void {
  const { rows } = useList('getAllChannels', { sort: 'name', pageSize: 500 });
  useEffect(() => {
    channelNames.value = new Map(rows.map(({ id, name }) => [id, name]));
    const live = rows.filter(({ type, enabled }) => enabled && !FIXED_TYPES.includes(type));
    switchable.value = new Set(live.map(({ id }) => id));
  }, [rows]);
}
