import { injectedSuite } from './support/injected.js';

// with the ten thousand that a whole daemon gets
injectedSuite(30_000);
