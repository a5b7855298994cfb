/** Rows that a set-up has made together with the order to start. */
export interface SetUp {
  /** The call that made them; null without an Idempotency-Key. */
  changeId: string | null;
  /** They go again unless the start comes on air. */
  made: SetUpRows;
  /** True once it has come on air. */
  isWhole: boolean;
}

export interface SetUpRows {
  /** null where the file was there before. */
  assetId: number | null;
  channelId: number;
  encodingIds: number[];
  encodingGroupId: number;
  publishingId: number;
}
