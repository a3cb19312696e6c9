import { describePairPage } from './support/pair-page-suite.js';

describePairPage('dark');
