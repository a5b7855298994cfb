/** The operations that a set-up stands for, in its order. */
export const SET_UP_OPERATIONS = [
  'uploadAsset',
  'addChannel',
  'addEncoding',
  'addEncodingGroup',
  'addPublishing',
  'addPublishingGroup',
  'addLivestream',
  'addSchedule',
  'start_livestream',
] as const;
export type SetUpOperation = (typeof SET_UP_OPERATIONS)[number];

/** The set-up that an order to start belongs to, by which a retry of its call finds it. */
export interface SetUp {
  /** The call that made it; null without an Idempotency-Key. */
  changeId: string | null;
  made: SetUpRows;
}

export interface SetUpRows {
  /** null where the file was there before, or there is none. */
  assetId: number | null;
  channelId: number;
  /** Those of a ladder that was made. */
  encodingIds: number[];
  encodingGroupId: number | null;
  /** The one Encoding that was there before. */
  encodingId?: number;
  /** null where the Destinations are those of a group that was there before. */
  publishingId: number | null;
  /** All Destinations in their order but the one that records, where there are several. */
  publishingIds?: number[];
  recordPublishingId?: number;
  publishingGroupId?: number;
  scheduleId?: number;
  /** Which of these rows were there before. */
  taken?: TakenRows;
}

/** Ids of rows. */
export type TakenRows = Partial<
  Record<'channels' | 'encodings' | 'encodingGroups' | 'publishings' | 'publishingGroups', number[]>
>;
