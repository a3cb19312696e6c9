import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import Drill from '../../../commands/drill.js';
import { readAnswer } from '../../../src/domain/json.js';
import type { FaultKind } from '../../../src/local/drill/faults/fault.js';
import type { Lab } from '../../../src/local/drill/lab.js';
import type { Arrival } from '../../../src/local/drill/observations.js';
import type { DrillReport } from '../../../src/local/drill/report.js';
import { compiledCommand } from '../../support/compiled.js';
import { runCommand } from '../../support/run-command.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { until } from '../../support/until.js';

const PATIENCE_MS = 240_000;
/** What was spoiled, by the kind of fault: the message's text. */
const spoiled = new Map<string, string>();

/** Waits for an arrival at the durable receiver that nothing else has spoiled, and is not one of the newest. */
async function settled(lab: Lab, fits: (arrival: Arrival) => boolean = () => true): Promise<Arrival> {
  const candidates = () => {
    const { arrivals } = lab.receivers.durable;
    return arrivals.slice(0, -2).filter((one) => ![...spoiled.values()].includes(one.token) && fits(one));
  };
  await until('an event', async () => candidates().length > 0);
  const [found] = candidates();
  if (!found) throw new Error('unreachable: there is one');
  return found;
}

function spoiling(name: string, spoil: (lab: Lab) => Promise<string>): FaultKind {
  return {
    name,
    summary: 'breaks a promise by hand',
    lasts: [0.2, 0.2],
    needs: [],
    async break(lab) {
      spoiled.set(name, await spoil(lab));
      return async () => undefined;
    },
  };
}

/** The folder of the JUnit report, which is removed after the drill has looked at it. */
let reports: TempDir;

/** Faults that no gateway mends, one for each promise. */
const SPOILERS: readonly FaultKind[] = [
  spoiling('receiver-forgets', async (lab) => {
    const { arrivals } = lab.receivers.durable;
    const lost = await settled(lab);
    for (let at = arrivals.length - 1; at >= 0; at--)
      if (arrivals[at]?.token === lost.token) arrivals.splice(at, 1);
    return lost.token;
  }),
  spoiling('receiver-gets-another-id', async (lab) => {
    const doubled = await settled(lab);
    lab.receivers.durable.arrivals.push({ ...doubled, deliveryId: 'another' });
    return doubled.token;
  }),
  spoiling('receiver-gets-it-late', async (lab) => {
    const { arrivals } = lab.receivers.durable;
    const early = await settled(lab, ({ token, session }) => {
      const lane = token.replace(/ \d+$/, '');
      return (
        arrivals.some((later) => later.session === session && later.token === `${lane} 3`) &&
        / 1$/.test(token)
      );
    });
    for (let at = arrivals.length - 1; at >= 0; at--) {
      const one = arrivals[at];
      if (one?.token === early.token && one.session === early.session) arrivals.splice(at, 1);
    }
    arrivals.push(early);
    return early.token;
  }),
  spoiling('phone-loses', async (lab) => {
    const number = lab.cast.people[0] ?? '';
    const sent = async () =>
      (await lab.phones.messages(number)).find(({ fromMe, text }) => !fromMe && / sent /.test(text));
    await until('a send on the phone', async () => (await sent()) !== undefined);
    const message = await sent();
    await lab.phones.forget(number, message?.messageId ?? '');
    return message?.text ?? '';
  }),
  spoiling('daemon-loses-a-row', async (lab) => {
    const { messageId, token, session } = await settled(lab);
    const node = lab.node(0);
    await node.stop();
    const database = new Database(join(node.dataDir, 'switchboard.db'));
    database.prepare('DELETE FROM messages WHERE client_id = ? AND message_id = ?').run(session, messageId);
    database.close();
    await node.start();
    await reports.remove();
    return token;
  }),
];

class SpoiledDrill extends Drill {
  protected override readonly program = { execArgv: [], script: compiledCommand() };

  protected override async kinds(): Promise<readonly FaultKind[]> {
    return SPOILERS;
  }
}

describe('switchboard drill in a world that loses and repeats messages', function () {
  this.timeout(PATIENCE_MS);
  let report: DrillReport;
  let exitCode: number;
  let notes: string;

  before(async () => {
    reports = await makeTempDir();
    const junit = join(reports.path, 'drill.xml');
    const argv = ['--minutes', '1', '--seed', '3', '--settle', '5', '--json', '--junit', junit];
    const result = await runCommand(SpoiledDrill, argv);
    exitCode = result.exitCode;
    notes = result.stderr;
    report = readAnswer(result.stdout);
  });
  after(() => reports.remove());

  const found = (breach: string, place: string, kind: string) =>
    report.findings.filter(
      (one) => one.breach === breach && one.place === place && one.token === spoiled.get(kind),
    );

  it('exits with 1 when a message was lost', () => {
    expect(exitCode).to.equal(1);
    expect(report.passed).to.equal(false);
    expect(spoiled.size).to.equal(SPOILERS.length);
  });

  it('shows the report even if its JUnit file cannot be written any more', () => {
    expect(report.totals.received).to.be.above(0);
    expect(notes).to.contain('warning: the JUnit report was not written: ENOENT');
  });

  it('finds an event that a receiver does not have', () => {
    expect(found('lost', 'durable', 'receiver-forgets')).to.have.length.above(0);
  });

  it('finds an event that came under two delivery ids', () => {
    expect(found('twice', 'durable', 'receiver-gets-another-id')).to.have.lengthOf(1);
  });

  it('finds an event that came after later ones of its chat', () => {
    expect(found('disordered', 'durable', 'receiver-gets-it-late')).to.have.lengthOf(1);
  });

  it('finds a send that is not on the phone of its recipient', () => {
    expect(found('lost', 'phone', 'phone-loses')).to.have.lengthOf(1);
  });

  it('finds a message that a daemon lost from its history', () => {
    expect(found('lost', 'history', 'daemon-loses-a-row')).to.have.lengthOf(1);
  });
});
