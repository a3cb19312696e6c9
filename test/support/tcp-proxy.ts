export * from '../../src/cli/drill/tcp-proxy.js';
