/** The bucket that history is archived in: objects are put into it, and none is read or deleted. */
export interface ArchiveBucket {
  /** For people, without secrets. */
  readonly name: string;
  /** Puts a small object that says in plain words which objects there are. Rejects as `send` does. */
  describe(): Promise<void>;
  /**
   * The object is not visible before it is whole; one of the same key is replaced. Rejects with AppError, which names the bucket: unavailable
   * when it does not answer, and upstream_failed when it refuses.
   */
  send(key: string, path: string): Promise<void>;
}
