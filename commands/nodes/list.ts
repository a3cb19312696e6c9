import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import type { NodesAnswer } from '../../src/cli/nodes.js';

export default class NodesList extends DaemonCommand {
  static override summary = 'List the nodes that share the store';
  static override description =
    `Every daemon that has told the store lately that it is there, with how many sessions it holds; with
--leases also which one holds which session, for how long, and when that runs out unless it is renewed.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --leases',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.nodes[] | [.podName, .sessions] | @tsv'",
  ];
  static override flags = {
    leases: Flags.boolean({ description: 'also which node holds which session', default: false }),
  };

  async run(): Promise<NodesAnswer> {
    const { flags } = await this.parse(NodesList);
    const { readNodes } = await import('../../src/cli/nodes.js');
    const answer = await readNodes(await this.daemon(flags), flags);
    if (!this.jsonEnabled()) await this.show(answer);
    return answer;
  }

  private async show({ nodes, leases }: NodesAnswer): Promise<void> {
    const { sharesItsStore } = await import('../../src/cli/nodes.js');
    const table = await import('../../src/cli/nodes-table.js');
    const { paint } = this.output;
    await this.output.table(
      table.NODES_HEAD,
      nodes.map((node) => table.nodeCells(node, paint)),
    );
    if (!nodes.some(sharesItsStore)) {
      this.output.note(
        'there is only this node: several need MongoDB as their store, see docs/clustering.md',
      );
    } else if (leases?.length) {
      this.output.line();
      await this.output.table(
        table.LEASES_HEAD,
        leases.map((lease) => table.leaseCells(lease, paint)),
      );
    } else if (leases) {
      this.output.note('no node holds any session');
    }
  }
}
