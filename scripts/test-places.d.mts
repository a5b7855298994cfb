export const PLACES: { media: number; light: number };
export const LONG: readonly string[];
export const WIDE: readonly string[];
export function isMedia(file: string): boolean;
export function placesOf(file: string): number;
