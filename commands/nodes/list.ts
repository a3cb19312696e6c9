import { Flags } from '@oclif/core';
import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';

export default class NodesList extends DaemonCommand {
  static override summary = 'List the nodes that share the store';
  static override description =
    `Lists each daemon with a recent heartbeat and its number of sessions. --leases adds the node of each session, the begin of its lease, \
and the time when it expires.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --leases',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.nodes[] | [.podName, .sessions] | @tsv'",
  ];
  static override flags = {
    leases: Flags.boolean({ description: 'also list the node of each session', default: false }),
  };

  async run(): Promise<Answer<'listNodes'>> {
    const { flags } = await this.parse(NodesList);
    const client = await this.daemon(flags);
    const answer = await client.listNodes(flags.leases ? { leases: true } : {});
    if (!this.jsonEnabled()) await this.show(answer);
    return answer;
  }

  private async show({ nodes, leases }: Answer<'listNodes'>): Promise<void> {
    const { sharesItsStore } = await import('../../src/terminal/cli/nodes.js');
    const table = await import('../../src/terminal/cli/nodes.js');
    const { paint } = this.output;
    await this.output.table(
      table.NODES_HEAD,
      nodes.map((node) => table.nodeCells(node, paint)),
    );
    if (!nodes.some(sharesItsStore)) {
      this.output.note('this is the only node: several nodes need a MongoDB store, see docs/clustering.md');
    } else if (leases?.length) {
      this.output.line();
      await this.output.table(
        table.LEASES_HEAD,
        leases.map((lease) => table.leaseCells(lease, paint)),
      );
    } else if (leases) {
      this.output.note('no node holds a session');
    }
  }
}
