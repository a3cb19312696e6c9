import type { Account } from '../account.js';
import type { FaultRequest } from '../api.js';
import type { Connection } from '../connection.js';
import type { Network } from '../network.js';
import type { Fault } from './fault.js';

interface Order {
  fault: Fault;
  account?: Account;
  /** Infinity: until it is cleared. */
  left: number;
  ms: number;
}

/** The faults that are ordered and not used up. */
export class FaultBoard {
  #orders: Order[] = [];

  /** Orders a fault; one that can strike does so at once on the connected companions it is meant for. */
  order(
    fault: Fault,
    request: Omit<FaultRequest, 'kind' | 'number'>,
    network: Network,
    account?: Account,
  ): void {
    const left = request.count ?? fault.defaultCount ?? Number.POSITIVE_INFINITY;
    const order: Order = { fault, left, ms: request.ms ?? 0, ...(account && { account }) };
    if (this.#strikeNow(order, network)) order.left--;
    if (order.left > 0) this.#orders.push(order);
  }

  /** Takes one use of a fault; undefined when it is not ordered for that account. */
  take(fault: Fault, account?: Account): { ms: number } | undefined {
    if (this.#orders.length === 0) return undefined;
    return this.#use((order) => order.fault === fault && isMeant(order, account));
  }

  /** Strikes a login that would succeed. @returns true when it is refused. */
  refuseLogin(connection: Connection, account: Account, network: Network): boolean {
    return this.#strikeOne(connection, account, network, true);
  }

  /** Strikes a connection that has just logged in. */
  strikeLogin(connection: Connection, account: Account, network: Network): void {
    this.#strikeOne(connection, account, network, false);
  }

  clear(): void {
    this.#orders = [];
  }

  #strikeNow({ fault, account }: Order, network: Network): boolean {
    if (!fault.strike) return false;
    const targets = [...network.connections].filter(
      ({ companion }) => companion && (account === undefined || companion.account === account),
    );
    for (const connection of targets) fault.strike(connection, network);
    return targets.length > 0;
  }

  #strikeOne(connection: Connection, account: Account, network: Network, refusing: boolean): boolean {
    const order = this.#use(
      ({ fault, ...rest }) =>
        fault.strike !== undefined && (fault.refusesLogin ?? false) === refusing && isMeant(rest, account),
    );
    order?.fault.strike?.(connection, network);
    return order !== undefined;
  }

  #use(matches: (order: Order) => boolean): Order | undefined {
    const order = this.#orders.find(matches);
    if (order && --order.left <= 0) this.#orders = this.#orders.filter((other) => other !== order);
    return order;
  }
}

function isMeant(order: Pick<Order, 'account'>, account: Account | undefined): boolean {
  return order.account === undefined || order.account === account;
}
