/** Times within a Recording as people write them: `0:12:04.20`. */

export function timeText(seconds: number): string {
  const hundredths = Math.max(0, Math.round(seconds * 100));
  const pad = (part: number): string => String(part).padStart(2, '0');
  const whole = Math.floor(hundredths / 100);
  return `${Math.floor(whole / 3600)}:${pad(Math.floor(whole / 60) % 60)}:${pad(whole % 60)}.${pad(hundredths % 100)}`;
}

/** Seconds; undefined for what is no time. */
export function secondsOf(text: string): number | undefined {
  const match = /^(?:(?:(\d+):)?(\d{1,2}):)?(\d{1,2}(?:[.,]\d{1,3})?)$/u.exec(text.trim());
  if (match === null) return undefined;
  const [, hours = '0', minutes = '0', seconds = '0'] = match;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'));
}

/** The file of a clip with that name: clips are MP4. */
export function clipFile(name: string): string {
  const text = name.trim();
  return /\.mp4$/iu.test(text) ? text : `${text}.mp4`;
}
