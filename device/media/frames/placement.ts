/** The places of logo and text on the frame, and their sizes. */
import type { Position } from '../../../domain/shapes/broadcasts/livestream.ts';

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** So much is kept free at each edge: the action-safe area of EBU R 95 leaves 3.5 % of width and height, what no screen cuts off. */
const MARGIN = 0.035;
/** A logo larger than a fifth of the frame covers the programme. */
const LOGO_SHARE = 0.2;
const REFERENCE_LINES = 1080;

/** Size of a pixel of a frame of 1080 lines. An upright frame (1080×1920) counts as one of 1080 lines, too. */
export function pixelScale({ width, height }: Size): number {
  return Math.min(width, height) / REFERENCE_LINES;
}

/**
 * A logo has its own pixels on 1080 lines, fewer where they would take more than their share. ffmpeg's scale computes the same in logoArgs.
 */
export function logoBounds(frame: Size): { scale: number; width: number; height: number } {
  return { scale: pixelScale(frame), width: frame.width * LOGO_SHARE, height: frame.height * LOGO_SHARE };
}

export function safeArea({ width, height }: Size): Size & Point {
  const x = Math.round(width * MARGIN);
  const y = Math.round(height * MARGIN);
  return { x, y, width: width - 2 * x, height: height - 2 * y };
}

/** The top left corner of a box, on even pixels, because chroma has one sample for two. */
export function place(position: Position, box: Size, frame: Size): Point {
  const area = safeArea(frame);
  const even = (value: number): number => 2 * Math.round(value / 2);
  const right = area.x + area.width - box.width;
  const bottom = area.y + area.height - box.height;
  const x = position.endsWith('Left') ? area.x : position.endsWith('Right') ? right : (frame.width - box.width) / 2;
  const y = position.startsWith('Top')
    ? area.y
    : position.startsWith('Bottom')
      ? bottom
      : (frame.height - box.height) / 2;
  return { x: even(x), y: even(y) };
}
