/** The storage that several servers share: files of Assets lie there, and each server has copies of those that it uses. */
export interface MediaBucket {
  /** For people, without secrets. */
  readonly name: string;
  /**
   * The object is not visible before it is whole. All calls reject with AppError, which names the bucket: unavailable when it does not
   * answer, so that the call may be repeated, and upstream_failed when it refuses.
   */
  send(key: string, path: string): Promise<void>;
  /** Writes the object to the path; `take` is called before so many bytes are written. Rejects with AppError not_found, too. */
  fetch(key: string, path: string, take: (bytes: number) => Promise<void>): Promise<void>;
  /**
   * An address at which anybody can fetch the object until `seconds` are over: it is a secret. The bucket is not asked.
   */
  linkTo(key: string, seconds: number): Promise<string>;
  /** A missing object counts as removed. */
  remove(key: string): Promise<void>;
}

export interface FetchableMedia {
  /** Names this one content. */
  key: string;
  bytes: number;
  /** It lets anybody fetch the file for an hour: it is a secret. */
  url: string;
}
