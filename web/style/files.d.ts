/** The build bundles styles; they have no values. */
declare module '*.css';
