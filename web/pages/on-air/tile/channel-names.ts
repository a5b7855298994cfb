/** Names of Channels: one answer for all tiles. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useList } from '../../../api/reads.ts';

export const channelNames = signal<ReadonlyMap<number, string>>(new Map());

export function useChannelNames(): void {
  const { rows } = useList('getAllChannels', { sort: 'name', pageSize: 500 });
  useEffect(() => {
    channelNames.value = new Map(rows.map(({ id, name }) => [id, name]));
  }, [rows]);
}
