import type { liveStreamsEn } from '../en/live-streams.ts';

export const liveStreamsEs: typeof liveStreamsEn = {
  title: 'Emisiones',
};
