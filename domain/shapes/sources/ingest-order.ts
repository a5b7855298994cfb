import type { ChannelSettings } from '../../types/channel-settings.ts';
import type { ChannelType } from '../../types/channel-types.ts';

/** A listener that a Device keeps open; the settings hold its secrets. */
export interface IngestOrder {
  channelId: number;
  name: string;
  type: ChannelType;
  settings: ChannelSettings;
}
