/** One attempt to deliver to a Destination: the interface between its path, which decides when, and the types, which know how. */
export interface Attempt {
  /** Ends in order within about 2 s, by force if need be. Never rejects; calls no hook any more. */
  end(): Promise<void>;
  /**
   * Sends nothing any more from this moment on, not even what waits; `end` follows. Attempts that nothing but the Device itself takes have none.
   */
  cut?(): void;
}

export interface AttemptHooks {
  /** The Destination has taken media: never called before that. */
  onUp(): void;
  /** The Destination does not take media, or no longer. `final`: another attempt cannot help; `refused`: its other end has said no. */
  onDown(reason: string, final?: boolean, refused?: boolean): void;
}
