import { Args, Flags } from '@oclif/core';
import type { Node } from '../../src/contract/index.js';
import { systemClock } from '../../src/domain/clock.js';
import type { DaemonClient } from '../../src/terminal/cli/client.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { WaitingLine } from '../../src/terminal/cli/progress.js';
import { listenForInterrupt } from '../../src/terminal/cli/terminal.js';

export default class NodesDrain extends DaemonCommand {
  static override summary = 'Move the sessions of a node to the other nodes';
  static override description =
    `The node finishes the work in flight of each session, hands the session over, and takes no new ones. \
It still answers and forwards requests. --undo or a restart of the node ends the drain. \
With --wait, exits when the node holds no sessions, or with 1 after the timeout.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> node-2 --wait',
    '<%= config.bin %> <%= command.id %> node-2 --undo',
  ];
  static override args = {
    node: Args.string({ required: true, description: 'name or id of the node' }),
  };
  static override flags = {
    undo: Flags.boolean({ description: 'let the node take sessions again', default: false }),
    wait: Flags.boolean({ description: 'wait until the node holds no sessions', default: false }),
    timeout: Flags.integer({
      description: 'timeout of --wait in seconds',
      default: 300,
      min: 1,
      helpValue: 'SECONDS',
    }),
  };

  async run(): Promise<{ node: Node }> {
    const { args, flags } = await this.parse(NodesDrain);
    if (flags.undo && flags.wait) throw new CliError('usage', '--wait cannot be combined with --undo');
    const { drainNode } = await import('../../src/terminal/cli/nodes.js');
    const interrupt = listenForInterrupt();
    try {
      const client = await this.daemon(flags, interrupt.signal);
      let node = await drainNode(client, args.node, !flags.undo);
      if (!flags.undo) await this.warnIfAlone(client, node);
      if (flags.wait) node = await this.drained(client, node, flags.timeout, interrupt.signal);
      if (!this.jsonEnabled()) await this.show(node);
      return { node };
    } finally {
      interrupt.release();
    }
  }

  private async warnIfAlone(client: DaemonClient, node: Node): Promise<void> {
    const { hasTaker } = await import('../../src/terminal/cli/nodes.js');
    const { nodes } = await client.listNodes();
    if (!hasTaker(nodes, node)) this.output.warning('no other node can take its sessions');
  }

  private async drained(
    client: DaemonClient,
    node: Node,
    seconds: number,
    signal: AbortSignal,
  ): Promise<Node> {
    const { sessionCount, sessionsLeft } = await import('../../src/terminal/cli/nodes.js');
    const waiting = new WaitingLine((left) => `${node.podName} still holds ${left}`);
    const options = { timeoutMs: seconds * 1_000, clock: systemClock, signal };
    try {
      for await (const left of sessionsLeft(client, node, options)) waiting.show(sessionCount(left));
    } finally {
      waiting.clear();
    }
    return { ...node, sessions: 0 };
  }

  private async show({ podName, draining, sessions }: Node): Promise<void> {
    const { sessionCount } = await import('../../src/terminal/cli/nodes.js');
    const does = draining ? 'is draining' : 'takes sessions again';
    this.output.line(
      `${podName} ${does}; it holds ${sessions === 0 ? 'no sessions' : sessionCount(sessions)}`,
    );
  }
}
