/** The pages On air and Wall. */
export { OnAir as default } from './on-air.tsx';
