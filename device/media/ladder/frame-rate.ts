/** A frame rate as a fraction: 29.97 is 30000/1001, and a rounded one drifts by a frame every 9 minutes. */
export interface FrameRate {
  num: number;
  den: number;
}

export function frameRate(fps: number): FrameRate {
  const whole = Math.round(fps);
  if (Math.abs(fps - whole) < 0.0005) return { num: whole, den: 1 };
  // NTSC rates are written with two or three decimals (23.976, 29.97, 59.94).
  if (Math.abs(fps - (whole * 1000) / 1001) < 0.006) return { num: whole * 1000, den: 1001 };
  return { num: Math.round(fps * 1000), den: 1000 };
}

export function fpsOf(rate: FrameRate): number {
  return rate.num / rate.den;
}

/** Writes a rate as ffmpeg reads it: 30 or 30000/1001. */
export function rateArgument(rate: FrameRate): string {
  return rate.den === 1 ? String(rate.num) : `${rate.num}/${rate.den}`;
}
