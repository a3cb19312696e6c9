export * from '../../src/local/drill/tcp-proxy.js';
