import { injectedSuite } from './support/injected.js';

injectedSuite(2_000);
