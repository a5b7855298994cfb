/** The messages between the simulator and its processes of Devices. */

/** To a process of Devices. */
export type Order =
  | ({ type: 'open' } & Opening)
  /** Every Device reports so many events at once. */
  | { type: 'storm'; events: number }
  /** Every Device reports one event in so many ms; 0: none any more. */
  | { type: 'events'; everyMs: number }
  /** Nothing of the Device arrives at any server any more, nor anything of them there; or it does again. */
  | { type: 'silence' | 'mend'; device: number }
  | { type: 'count' }
  | { type: 'mark' }
  | { type: 'close' };

export interface Opening {
  /** A folder for all. */
  dir: string;
  seed: number;
  /** Their numbers. */
  devices: number[];
  /** Those that may fall silent. */
  frail: number[];
  /** Those that the servers are dialled at. */
  ports: number[];
  /** Join tokens, used in turn by the number of the Device. */
  tokens: string[];
}

/** From a process of Devices. */
export type News =
  | { type: 'joined'; device: number; deviceId: number }
  /** The port of the server that has claimed the Device; null: its connection has ended. `at` is Unix time in ms. */
  | { type: 'connection'; device: number; port: number | null; at: number }
  | { type: 'refused'; device: number; why: string }
  | { type: 'stormed'; at: number }
  | ({ type: 'counted' } & Counted)
  /** Each is the mark of one event that was reported. */
  | { type: 'marked'; marks: string[] };

export interface Counted {
  runs: { runId: string; livestreamId: number; deviceId: number }[];
  /** Orders that have reached the Devices. */
  starts: number;
  stops: number;
  /** Reports of runs on air. */
  reports: number;
  /** Events that were reported. */
  events: number;
}
