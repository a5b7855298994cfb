/** The server's words for a field, and those for people in English and in Spanish; none where the label says it all. */
export type HelpTexts = Readonly<Record<string, readonly [en: string, es: string] | readonly []>>;
