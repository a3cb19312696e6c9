import { CliError } from '../../terminal/cli/errors.js';

/** The database of a drill on an operator's server. */
export interface StorePlace {
  url: string;
  /** The servers in the operator's URL, without user and password. */
  address: string;
  host: string;
  port: number;
  /** The URL of the database through a local port; undefined if the driver must find the servers itself. */
  urlBy: ((port: number) => string) | undefined;
}

const URL_PARTS = /^mongodb:\/\/(?:([^@/?]*)@)?([^/?@]+)(?:\/([^?]*))?(?:\?(.*))?$/;
const DEFAULT_PORT = 27_017;

/**
 * Names a database on the operator's server: the URL's own database is never opened.
 * @param store a `mongodb://` URL
 * @param name of a database that does not exist yet
 * @throws CliError `usage`
 */
export function placeOn(store: string, name: string): StorePlace {
  const [, user, hosts = '', given = '', query = ''] = URL_PARTS.exec(store) ?? [];
  if (hosts === '') throw new CliError('usage', '--store must be sqlite or a mongodb:// URL');
  const options = new URLSearchParams(query);
  // without `authSource`, the path of the URL names the database of the user
  if (user !== undefined && !options.has('authSource')) options.set('authSource', given || 'admin');
  const at = (address: string, all: URLSearchParams) =>
    `mongodb://${user === undefined ? '' : `${user}@`}${address}/${name}${all.size > 0 ? `?${all}` : ''}`;
  const [host = '', port = DEFAULT_PORT] = hosts.split(':');
  // no relay: a certificate is for the server's own name, and of several servers the driver must know all
  const isTls = ['tls', 'ssl'].some((option) => options.get(option) === 'true');
  const takesRelay = !hosts.includes(',') && !isTls;
  return {
    url: at(hosts, options),
    address: hosts,
    host,
    port: Number(port),
    urlBy: takesRelay ? (relay) => at(`127.0.0.1:${relay}`, throughRelay(options)) : undefined,
  };
}

/** Options for a relay: the driver must not look up the server's own address. */
function throughRelay(options: URLSearchParams): URLSearchParams {
  const own = new URLSearchParams(options);
  own.delete('replicaSet');
  own.set('directConnection', 'true');
  return own;
}
