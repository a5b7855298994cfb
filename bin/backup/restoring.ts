/** The folder of a restore under way, in the data folder. A server does not start beside it. */
export const RESTORING = 'restoring';
