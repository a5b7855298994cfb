import type { ChannelSettings } from './channel.ts';

/** A listener that a Device keeps open; the settings hold its secrets. */
export interface IngestOrder {
  channelId: number;
  name: string;
  type: 'RTMP-Push' | 'SRT';
  settings: ChannelSettings;
}
