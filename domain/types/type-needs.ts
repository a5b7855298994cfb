/** Needs that a Device must meet for a type, as its capabilities name them. */
export interface TypeNeeds {
  /**
   * Each group is met by any one of its words, such as `encoder:libx264`; `card:decklink`, `runtime:ndi` and `resolver:videosite` stand for what the
   * machine has beside ffmpeg. An empty list needs neither.
   */
  requires: readonly (readonly string[])[];
  /** The remedy that is told where this build or this ffmpeg lacks the feature. */
  needs: string;
  /** This build of the product has no code for it, whatever ffmpeg can. */
  absent?: true;
}

export const ffmpegWith = (what: string): string => `an ffmpeg built with ${what}`;
export const INSTALL_GSTREAMER =
  'apt-get install gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-plugins-bad';
/** SDI is taken in and played out by it. */
export const CARD_NEEDS = `a DeckLink card, its driver (Desktop Video), and GStreamer with decklink: ${INSTALL_GSTREAMER}`;

/** The name of a type on the page, by language. */
export interface TypeLabel {
  en: string;
  es: string;
}
