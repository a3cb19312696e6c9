import { Args, Flags } from '@oclif/core';
import { CliError } from '../../src/cli/cli-error.js';
import type { DaemonClient } from '../../src/cli/client.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { listenForInterrupt } from '../../src/cli/interrupt.js';
import type { NodeView } from '../../src/cli/nodes.js';
import { WaitingLine } from '../../src/cli/waiting-line.js';
import { systemClock } from '../../src/domain/clock.js';

export default class NodesDrain extends DaemonCommand {
  static override summary = 'Have a node give its sessions to the others';
  static override description =
    `The node finishes what is in flight of each session, gives it away, and takes no more; it goes on
answering and passing requests on. That ends with --undo, or when the node is started anew.
With --wait it ends when the node holds no session any more, and with 1 when that takes too long.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> node-2 --wait',
    '<%= config.bin %> <%= command.id %> node-2 --undo',
  ];
  static override args = {
    node: Args.string({ required: true, description: 'the name of the node, or its id' }),
  };
  static override flags = {
    undo: Flags.boolean({ description: 'let the node take sessions again', default: false }),
    wait: Flags.boolean({ description: 'wait until it holds no session', default: false }),
    timeout: Flags.integer({
      description: 'with --wait: seconds until it is given up',
      default: 300,
      min: 1,
      helpValue: 'SECONDS',
    }),
  };

  async run(): Promise<{ node: NodeView }> {
    const { args, flags } = await this.parse(NodesDrain);
    if (flags.undo && flags.wait) throw new CliError('usage', '--wait does not go with --undo');
    const { drainNode } = await import('../../src/cli/nodes.js');
    const interrupt = listenForInterrupt();
    try {
      const client = await this.daemon(flags, interrupt.signal);
      let node = await drainNode(client, args.node, !flags.undo);
      if (!flags.undo) await this.warnOfNobody(client, node);
      if (flags.wait) node = await this.drained(client, node, flags.timeout, interrupt.signal);
      if (!this.jsonEnabled()) await this.show(node);
      return { node };
    } finally {
      interrupt.release();
    }
  }

  private async warnOfNobody(client: DaemonClient, node: NodeView): Promise<void> {
    const { hasTaker, readNodes } = await import('../../src/cli/nodes.js');
    const { nodes } = await readNodes(client, { leases: false });
    if (!hasTaker(nodes, node)) this.output.warning('there is no other node that takes its sessions');
  }

  private async drained(
    client: DaemonClient,
    node: NodeView,
    seconds: number,
    signal: AbortSignal,
  ): Promise<NodeView> {
    const { sessionCount, sessionsLeft } = await import('../../src/cli/nodes.js');
    const waiting = new WaitingLine((left) => `${node.podName} still holds ${left}`);
    const options = { timeoutMs: seconds * 1_000, clock: systemClock, signal };
    try {
      for await (const left of sessionsLeft(client, node, options)) waiting.show(sessionCount(left));
    } finally {
      waiting.clear();
    }
    return { ...node, sessions: 0 };
  }

  private async show({ podName, draining, sessions }: NodeView): Promise<void> {
    const { sessionCount } = await import('../../src/cli/nodes.js');
    const does = draining ? 'is draining' : 'takes sessions again';
    this.output.line(`${podName} ${does}; it holds ${sessions === 0 ? 'none' : sessionCount(sessions)}`);
  }
}
