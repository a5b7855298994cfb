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
  linkTo(key: string, seconds: number, answer?: LinkedAnswer): Promise<string>;
  /** An address at which anybody can write the object once, with PUT, until `seconds` are over. The bucket is not asked. */
  linkToWrite(key: string, seconds: number): Promise<string>;
  /** Begins an object whose parts others write. It is not visible before it is completed. */
  begin(key: string): Promise<ObjectInParts>;
  /** Undefined for an object that is not there. */
  sizeOf(key: string): Promise<number | undefined>;
  /** A missing object counts as removed. */
  remove(key: string): Promise<void>;
}

/** An object in parts: each but the last of 5 MiB or more, 10,000 at most. */
export interface ObjectInParts {
  /** An address at which anybody can write this part, from 1, with PUT, until `seconds` are over. */
  linkToPart(part: number, seconds: number): Promise<string>;
  /** Takes the tags (ETag) that the bucket has answered for the parts, in their order. */
  complete(tags: readonly string[]): Promise<void>;
  /** Forgets the parts. It never rejects: a lifecycle rule of the bucket clears what is left. */
  abandon(): Promise<void>;
}

/** The headers with which an address is answered. */
export interface LinkedAnswer {
  filename: string;
  contentType: string;
}

export interface FetchableMedia {
  /** Names this one content. */
  key: string;
  bytes: number;
  /** It lets anybody fetch the file for an hour: it is a secret. */
  url: string;
}
