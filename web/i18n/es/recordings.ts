import type { recordingsEn } from '../en/recordings.ts';

export const recordingsEs: typeof recordingsEn = {
  title: 'Grabaciones',
};
