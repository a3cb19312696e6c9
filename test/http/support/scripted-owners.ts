import type { Owner, Owners, PeerNode } from '../../../src/cluster/owners.js';

/** Who holds what, as a test says it. */
export class ScriptedOwners implements Owners {
  readonly self: PeerNode;
  /** Sessions that are held here. */
  readonly held = new Set<string>();
  /** Sessions that exist. */
  readonly known = new Set<string>();
  /** What is done, in its order. */
  readonly calls: string[] = [];
  /** Requests under way here, and how many there have been. */
  underWay = 0;
  entered = 0;
  peers: PeerNode[] = [];
  /** Asked for sessions that are not held here. */
  script: (clientId: string) => Owner = () => ({ at: 'nobody' });
  /** Whether a session is taken when that is asked for. */
  takes: (clientId: string) => boolean = () => false;
  failure: Error | undefined;

  constructor(name: string) {
    this.self = { nodeId: `id-of-${name}`, name, url: '' };
  }

  /** Holds nothing, and knows of nothing. */
  reset(): void {
    Object.assign(this, new ScriptedOwners(this.self.name), { self: this.self });
  }

  async find(clientId: string): Promise<Owner> {
    this.calls.push('find');
    if (this.failure) throw this.failure;
    return this.held.has(clientId) ? { at: 'here' } : this.script(clientId);
  }

  distrust(): void {
    this.calls.push('distrust');
  }

  async exists(clientId: string): Promise<boolean> {
    return this.known.has(clientId);
  }

  async take(clientId: string): Promise<boolean> {
    this.calls.push('take');
    const isTaken = this.takes(clientId);
    if (isTaken) this.held.add(clientId);
    return isTaken;
  }

  enter(clientId: string): (() => void) | undefined {
    if (!this.held.has(clientId)) return undefined;
    this.underWay += 1;
    this.entered += 1;
    return () => {
      this.underWay -= 1;
    };
  }

  async others(): Promise<PeerNode[]> {
    return this.peers;
  }
}
