/** The port through which every room writes for operators. pino fits it, and so does an object of three functions. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
