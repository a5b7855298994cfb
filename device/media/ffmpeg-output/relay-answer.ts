/** The answers of the relay of RTSP that ffmpeg repeats in its stderr: `method DESCRIBE failed: 404 onair-source: …`. */

/** The rules of the networks have refused an address. */
export const RULES_MARK = 'onair:';
/** The source has refused, or is not there. */
export const RELAY_MARK = 'onair-source:';

const ANSWER = /method \w+ failed: (\d{3}) ?(onair:|onair-source:) (.+)$/gmu;
/** Whoever asks again is answered the same. */
const LASTING = new Set([401, 403, 404]);

export interface RelayAnswer {
  /** Half a sentence, which goes on after the name of the source. */
  words: string;
  isByRules: boolean;
  isRefusal: boolean;
}

/** Returns the last one; undefined when there is none. */
export function relayAnswer(stderr: string): RelayAnswer | undefined {
  const [, status, mark, words] = [...stderr.matchAll(ANSWER)].at(-1) ?? [];
  if (words === undefined) return undefined;
  return { words, isByRules: mark === RULES_MARK, isRefusal: LASTING.has(Number(status)) };
}
