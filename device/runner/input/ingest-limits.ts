/** Times and counts of an ingest. */

/** A source in trouble is asked again soon, and every 1-2 s in the end: one that returns is on air within 3 s. */
export const BACK_OFF = { max_attempts: Number.MAX_SAFE_INTEGER, initial_delay_ms: 250, max_delay_ms: 2000 };
/** ffmpeg's own limits end most silences after 5 s; this ends those that it does not see. */
export const SILENT_MS = 8000;
/** A stopped ffmpeg never goes on by itself; a busy machine stops none. */
export const STOPPED_MS = 900;
/** Connect, handshakes and analysis of a slow RTMP server take up to 8 s. */
export const FIRST_MEDIA_MS = 20_000;
/** A connection that lasted so long was a good one: the next failure starts with a short pause again. */
export const HEALTHY_MS = 10_000;
/** A wait for a peer that ends sooner is no wait, but a port that cannot be had. */
export const MIN_WAIT_MS = 1000;
export const FINAL_REFUSALS = 2;
/**
 * A first source that has given nothing for so long is not waited for alone: its backup is opened, and the first of both that comes goes on
 * air. The connection and the analysis of a slow one take less.
 */
export const BACKUP_AFTER_MS = 5000;
