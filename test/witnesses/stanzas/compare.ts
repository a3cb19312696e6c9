/** What the clients sent for one act. */
export interface ActRecord {
  act: string;
  /** Facts and order of the stanzas, by client. A client without a call for the act is not in it. */
  clients: ReadonlyMap<string, { facts: readonly string[]; order: readonly string[] }>;
}

/** Something that some clients send and others do not. */
export interface Difference {
  act: string;
  fact: string;
  has: string[];
  lacks: string[];
}

/** What not all clients send. Of an element that a client lacks, attributes and children are not listed again. */
export function differencesOf({ act, clients }: ActRecord): Difference[] {
  const names = [...clients.keys()];
  const all = new Set([...clients.values()].flatMap(({ facts }) => facts));
  const rows = [...all].sort().flatMap((fact) => {
    const has = names.filter((name) => clients.get(name)?.facts.includes(fact));
    return has.length === names.length
      ? []
      : [{ act, fact, has, lacks: names.filter((one) => !has.includes(one)) }];
  });
  const isKnown = (parent: string, { has }: Difference) =>
    rows.some((row) => row.fact === parent && row.has.join() === has.join());
  return [
    ...rows.filter((row) => !parentsOf(row.fact).some((parent) => isKnown(parent, row))),
    ...orderOf(act, clients),
  ];
}

/** `a/b@c=d` is part of `a/b` and of `a`. */
function parentsOf(fact: string): string[] {
  const element = fact.replace(/( has content|@.*)$/, '');
  const steps = element.split('/');
  const above = steps.slice(0, -1).map((_, at) => steps.slice(0, at + 1).join('/'));
  return element === fact ? above : [...above, element];
}

/** A row when what all clients send comes in another order. */
function orderOf(act: string, clients: ActRecord['clients']): Difference[] {
  const orders = [...clients].map(([name, { order }]) => [name, [...new Set(order)]] as const);
  const common = orders.map(([name, order]) => {
    const shared = order.filter((one) => orders.every(([, other]) => other.includes(one)));
    return [name, shared.join(' → ')] as const;
  });
  const kinds = [...new Set(common.map(([, order]) => order))];
  if (kinds.length < 2) return [];
  return kinds.map((fact) => {
    const has = common.filter(([, order]) => order === fact).map(([name]) => name);
    return {
      act,
      fact: `order: ${fact}`,
      has,
      lacks: common.map(([name]) => name).filter((name) => !has.includes(name)),
    };
  });
}
