/** Draws a picture in its own shape: the style fits the canvas into its place, with bars beside or above it. */

interface Surface {
  width: number;
  height: number;
  getContext(kind: '2d', options: { alpha: boolean }): { drawImage(image: never, x: number, y: number): void } | null;
}

export function paint(surface: Surface, bitmap: { width: number; height: number }): void {
  // Setting a size clears the canvas, even where it is the same.
  if (surface.width !== bitmap.width || surface.height !== bitmap.height) {
    surface.width = bitmap.width;
    surface.height = bitmap.height;
  }
  surface.getContext('2d', { alpha: false })?.drawImage(bitmap as never, 0, 0);
}
