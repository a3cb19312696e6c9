// must be the first: it silences libsignal before anything imports it
import '../../quiet-console.js';

export { type BaileysLinksOptions, createBaileysLinks } from './factory.js';
export type { NetworkAddress } from './socket.js';
