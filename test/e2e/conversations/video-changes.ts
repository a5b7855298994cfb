/** Colours at given places of a video frame, as a viewer sees it. */
import { spawnSync } from 'node:child_process';

const [WIDTH, HEIGHT] = [160, 90];
export type Color = 'red' | 'green' | 'black' | 'yellow' | 'white' | 'other';

export interface Look {
  middle: Color;
  /** Colour at the place of a logo. */
  topLeft: Color;
  /** Whether something white is on the lower third. */
  caption: boolean;
}

/** Looks at a JPEG, or at the first video frame of a segment. */
export function lookAt(picture: Uint8Array): Look {
  const scaled = ['-frames:v', '1', '-vf', `scale=${WIDTH}:${HEIGHT}`, '-pix_fmt', 'rgb24', '-f', 'rawvideo', '-'];
  const { stdout } = spawnSync('ffmpeg', ['-v', 'error', '-i', 'pipe:0', ...scaled], { input: picture });
  if (stdout.length !== WIDTH * HEIGHT * 3) throw new Error(`no picture: ${stdout.length} bytes`);
  const at = (x: number, y: number): Color => {
    const [r = 0, g = 0, b = 0] = stdout.subarray((y * WIDTH + x) * 3);
    return colorOf(r, g, b);
  };
  let caption = false;
  for (let y = 60; y < HEIGHT; y += 1) for (let x = 0; x < WIDTH; x += 1) caption ||= at(x, y) === 'white';
  return { middle: at(WIDTH / 2, HEIGHT / 2), topLeft: at(14, 10), caption };
}

function colorOf(r: number, g: number, b: number): Color {
  if (Math.max(r, g, b) < 45) return 'black';
  if (Math.min(r, g, b) > 170) return 'white';
  if (r > 150 && g > 150 && b < 110) return 'yellow';
  if (r > 130 && g < 90 && b < 90) return 'red';
  return g > 110 && r < 90 && b < 90 ? 'green' : 'other';
}
