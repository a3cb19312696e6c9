import type { Lab } from './lab.js';

/** One side's figures: one number for each round, and the CPU that it took where that tells something. */
export interface Side {
  rounds: number[];
  /** Milliseconds of CPU of that side's own process for each message. */
  cpuMsPerMessage?: number[];
  /** The same of every process that took part, by its name. */
  cpuMsOf?: Record<string, number[]>;
  /** How many cores of the machine were busy, with whatever. */
  coresBusy?: number[];
}

/** A comparison of the gateway with the bare library, or with what does the least there is to do. */
export interface Comparison {
  name: string;
  unit: string;
  gateway: Side;
  raw: Side;
  /** What `raw` is where it is not the bare library. */
  rawIs?: string;
  /** The bound of gateway / raw; undefined for figures that only explain others. */
  target?: { atLeast: number } | { atMost: number };
  /** How each side was measured. */
  method: string;
}

/** Measures both sides in one run. */
export type Measurement = (lab: Lab) => Promise<Comparison[]>;
